package virtual;

import java.util.ArrayList;
import java.util.List;

/**
 * Time that stands still until somebody moves it. Originals read it in place of the clock, and
 * sleep until it has moved far enough: see RewritingLoader.
 */
public final class VirtualTime {
  private static final List<Sleeper> asleep = new ArrayList<>();
  private static long now;

  /** How often time was reset, and the number of the reset that a thread has seen. */
  private static int times;
  private static final ThreadLocal<Integer> timeOfThread = ThreadLocal.withInitial(() -> times);

  private VirtualTime() {}

  /** A thread that sleeps on a monitor until it is woken, or its time has come. */
  static final class Sleeper {
    private final Thread thread = Thread.currentThread();
    private final Object monitor;
    private final long deadline;
    private boolean isAwake;

    private Sleeper(Object monitor, long deadline) {
      this.monitor = monitor;
      this.deadline = deadline;
    }

    void sleep() throws InterruptedException {
      synchronized (monitor) {
        try {
          while (!isAwake(this)) {
            monitor.wait();
          }
        } finally {
          rouse(this);  // it may have been interrupted
        }
      }
    }

    /** False if the thread no longer sleeps. */
    boolean wake() {
      if (!rouse(this)) {
        return false;
      }
      synchronized (monitor) {
        monitor.notifyAll();
      }
      return true;
    }
  }

  /** From now on the calling thread counts as asleep. It must call `sleep` next. */
  static synchronized Sleeper fallAsleep(Object monitor, long deadline) {
    Sleeper sleeper = new Sleeper(monitor, deadline);
    if (timeOfThread.get() == times) {
      sleeper.isAwake = deadline <= now;
      if (!sleeper.isAwake) {
        asleep.add(sleeper);
      }
    }
    return sleeper;
  }

  private static synchronized boolean isAwake(Sleeper sleeper) {
    return sleeper.isAwake;
  }

  /** False if the thread is awake already. */
  private static synchronized boolean rouse(Sleeper sleeper) {
    boolean slept = !sleeper.isAwake;
    sleeper.isAwake = true;
    asleep.remove(sleeper);
    return slept;
  }

  /** The end of a span that begins now; the last instant, if the span is longer than that. */
  public static synchronized long after(long span) {
    return span > Long.MAX_VALUE - Math.max(now, 0) ? Long.MAX_VALUE : now + span;
  }

  /** In place of System.nanoTime. */
  public static synchronized long nanoTime() {
    return now;
  }

  /** The same, for originals such as Netty that take 0 for a clock that was not read yet. */
  public static long nanoTimeBeyondZero() {
    return nanoTime() + 3_600_000_000_000L;
  }

  /** In place of System.currentTimeMillis. */
  public static long currentTimeMillis() {
    return Math.floorDiv(nanoTime(), 1_000_000L);
  }

  /** In place of Thread.sleep. */
  public static void sleep(long milliseconds) throws InterruptedException {
    sleepNanos(milliseconds * 1_000_000);
  }

  public static void sleepNanos(long span) throws InterruptedException {
    fallAsleep(new Object(), after(span)).sleep();
  }

  /**
   * Resets time to an instant. Threads that sleep then sleep for ever, even if somebody wakes them.
   * The garbage collector does so with a Timer that is no longer used.
   */
  public static synchronized void reset(long instant) {
    ++times;
    asleep.clear();
    now = instant;
  }

  /** Moves time to an instant in one jump. */
  public static void moveTo(long instant) {
    List<Sleeper> due;
    synchronized (VirtualTime.class) {
      now = instant;
      due = asleep.stream().filter(sleeper -> sleeper.deadline <= instant).toList();
    }
    due.forEach(Sleeper::wake);
  }

  /**
   * Whether this many threads sleep, and none was interrupted. An interrupted thread counts as
   * asleep until it has its monitor again. It leaves the list before it releases the monitor.
   */
  public static boolean areAsleep(int threads) {
    List<Sleeper> all;
    synchronized (VirtualTime.class) {
      all = List.copyOf(asleep);
    }
    for (Sleeper sleeper : all) {
      synchronized (sleeper.monitor) {
        if (sleeper.thread.isInterrupted() || isAwake(sleeper)) {
          return false;
        }
      }
    }
    return all.size() == threads;
  }
}
