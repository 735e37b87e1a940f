package harness;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

/** How long timers wait, in nanoseconds. */
public final class Delays {
  private static final long LEAST = MILLISECONDS.toNanos(10);

  private Delays() {}

  /** Draws the delays of a workload. */
  @FunctionalInterface
  public interface Delay {
    long draw(Random random);
  }

  /** Uniform from 10 ms to 1 s. */
  public static long uniform(Random random) {
    return LEAST + (long) ((SECONDS.toNanos(1) - LEAST) * random.uniform());
  }

  /** At least 10 ms, and 100 ms on average. */
  public static long exponential(Random random) {
    return LEAST + (long) random.exponential(MILLISECONDS.toNanos(100) - LEAST);
  }

  /** Uniform from one to two hours: for timers that must stay pending all the time. */
  public static long inOneToTwoHours(Random random) {
    long hour = HOURS.toNanos(1);
    return hour + (long) (hour * random.uniform());
  }
}
