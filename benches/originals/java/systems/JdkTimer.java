package systems;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;

/**
 * java.util.Timer: a heap behind a monitor, and one thread. It uses the time of day in whole
 * milliseconds: the delay and the time of the call are both truncated.
 */
final class JdkTimer implements TimerSystem {
  private final Timer timer = new Timer(THREAD);

  private static final class Task extends TimerTask {
    private final Runnable task;

    Task(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      task.run();
    }
  }

  @Override
  public Object schedule(long delay, Runnable task) {
    Task handle = new Task(task);
    timer.schedule(handle, TimeUnit.NANOSECONDS.toMillis(delay));
    return handle;
  }

  @Override
  public boolean cancel(Object handle) {
    return ((Task) handle).cancel();
  }

  /** A cancelled task stays in the heap until its time comes, or until a purge. */
  @Override
  public int stop() throws ReflectiveOperationException {
    timer.purge();
    int pending = size();
    timer.cancel();
    return pending;
  }

  @Override
  public long mayBeEarly() {
    return TimeUnit.MILLISECONDS.toNanos(2);
  }

  /** A Timer does not report how many tasks it has, but its heap does. */
  private int size() throws ReflectiveOperationException {
    Field queue = Timer.class.getDeclaredField("queue");
    queue.setAccessible(true);
    Object tasks = queue.get(timer);
    Method size = tasks.getClass().getDeclaredMethod("size");
    size.setAccessible(true);
    return (int) size.invoke(tasks);
  }
}
