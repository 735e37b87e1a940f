package systems;

import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * java.util.concurrent.DelayQueue, and a thread that takes expired entries and runs them. To remove
 * an entry the queue would have to search all of them, so a cancelled entry only loses its task.
 */
final class JdkDelayQueue implements TimerSystem {
  private final DelayQueue<Entry> queue = new DelayQueue<>();
  private final Thread thread = new Thread(this::consume, THREAD);

  /** Holds its task until somebody takes it, either to run it or to cancel it. */
  @SuppressWarnings("serial")
  private static final class Entry extends AtomicReference<Runnable> implements Delayed {
    private final long deadline;

    Entry(Runnable task, long deadline) {
      super(task);
      this.deadline = deadline;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.signum(deadline - ((Entry) other).deadline);
    }
  }

  JdkDelayQueue() {
    thread.start();
  }

  @Override
  public Object schedule(long delay, Runnable task) {
    Entry entry = new Entry(task, System.nanoTime() + delay);
    queue.put(entry);
    return entry;
  }

  @Override
  public boolean cancel(Object handle) {
    return ((Entry) handle).getAndSet(null) != null;
  }

  @Override
  public int stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
    return (int) queue.stream().filter(entry -> entry.get() != null).count();
  }

  private void consume() {
    try {
      while (true) {
        Runnable task = queue.take().getAndSet(null);
        if (task != null) {
          task.run();
        }
      }
    } catch (InterruptedException stopped) {
      // This is how the thread ends.
    }
  }
}
