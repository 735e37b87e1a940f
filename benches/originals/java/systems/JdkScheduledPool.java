package systems;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * java.util.concurrent.ScheduledThreadPoolExecutor with one thread. A cancelled task leaves the
 * heap at once, as in our ScheduledThreadPool; in the JDK this has to be switched on.
 */
final class JdkScheduledPool implements TimerSystem {
  private final ScheduledThreadPoolExecutor pool =
      new ScheduledThreadPoolExecutor(1, work -> new Thread(work, THREAD));

  JdkScheduledPool() {
    pool.setRemoveOnCancelPolicy(true);
  }

  @Override
  public Object schedule(long delay, Runnable task) {
    return pool.schedule(task, delay, TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean cancel(Object handle) {
    return ((Future<?>) handle).cancel(false);
  }

  @Override
  public int stop() throws InterruptedException {
    int pending = pool.shutdownNow().size();
    pool.awaitTermination(1, TimeUnit.MINUTES);
    return pending;
  }
}
