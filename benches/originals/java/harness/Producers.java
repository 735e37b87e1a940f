package harness;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Threads that call a timer at the same time, again and again. They stay the same, as in a program.
 */
public final class Producers implements AutoCloseable {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** When a producer began and ended its calls, and its processor time, in ns. */
  public record Stint(long begin, long end, long processor) {}

  private final Stint[] stints;
  private final AtomicInteger stillToCome = new AtomicInteger();
  private IntConsumer work;
  private int handedOut;
  private int atWork;
  private Throwable failure;

  public Producers(int count) {
    stints = new Stint[count];
    for (int producer = 0; producer < count; ++producer) {
      int number = producer;
      Thread thread = new Thread(() -> serve(number), "producer");
      thread.setDaemon(true);
      thread.start();
    }
  }

  public int count() {
    return stints.length;
  }

  /** Lets each producer run the body with its number. None begins before all are ready. */
  public synchronized Stint[] run(IntConsumer body) {
    handOut(body);
    try {
      while (atWork > 0) {
        wait();
      }
    } catch (InterruptedException error) {
      throw new IllegalStateException(error);
    }
    if (failure != null) {
      throw new IllegalStateException("a call failed: " + failure, failure);
    }
    return stints;
  }

  @Override
  public void close() {
    handOut(null);
  }

  /** null ends the threads. */
  private synchronized void handOut(IntConsumer body) {
    work = body;
    ++handedOut;
    atWork = count();
    stillToCome.set(count());
    notifyAll();
  }

  private synchronized IntConsumer next(int done) {
    try {
      while (handedOut == done) {
        wait();
      }
    } catch (InterruptedException error) {
      throw new IllegalStateException(error);
    }
    return work;
  }

  private void serve(int producer) {
    IntConsumer body;
    for (int done = 0; (body = next(done)) != null; ++done) {
      stillToCome.decrementAndGet();
      while (stillToCome.get() > 0) {
        Thread.yield();
      }
      Throwable thrown = null;
      long before = THREADS.getCurrentThreadCpuTime();
      long begin = System.nanoTime();
      try {
        body.accept(producer);
      } catch (Throwable error) {
        thrown = error;
      }
      long end = System.nanoTime();
      leave(producer, new Stint(begin, end, THREADS.getCurrentThreadCpuTime() - before), thrown);
    }
  }

  private synchronized void leave(int producer, Stint stint, Throwable thrown) {
    stints[producer] = stint;
    failure = thrown == null ? failure : thrown;
    if (--atWork == 0) {
      notifyAll();
    }
  }
}
