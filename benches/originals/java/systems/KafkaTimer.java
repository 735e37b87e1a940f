package systems;

import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;
import org.apache.kafka.server.util.timer.TimerTask;

/**
 * Kafka's SystemTimer with its reaper, as brokers have it: wheels of 20 buckets, a tick of 1 ms,
 * and a thread for the tasks. It uses whole milliseconds: the delay and the time of the call are
 * both truncated.
 */
final class KafkaTimer implements TimerSystem {
  private final SystemTimerReaper timer = new SystemTimerReaper(THREAD, new SystemTimer(THREAD));

  private static final class Task extends TimerTask {
    private final Runnable task;

    Task(long delayMs, Runnable task) {
      super(delayMs);
      this.task = task;
    }

    @Override
    public void run() {
      task.run();
    }
  }

  @Override
  public Object schedule(long delay, Runnable task) {
    Task handle = new Task(TimeUnit.NANOSECONDS.toMillis(delay), task);
    timer.add(handle);
    return handle;
  }

  /** Kafka does not say whether a cancel was in time. The timers left at the end show it. */
  @Override
  public boolean cancel(Object handle) {
    ((Task) handle).cancel();
    return true;
  }

  @Override
  public int stop() throws Exception {
    int pending = timer.size();
    timer.close();
    return pending;
  }

  @Override
  public long mayBeEarly() {
    return TimeUnit.MILLISECONDS.toNanos(2);
  }
}
