package harness;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.stream.LongStream;

/**
 * When timers are scheduled and when they are due, in nanoseconds from the beginning, in the order
 * of the calls. The figures are about the timers that are due in the window. A timer that is due
 * before the window runs like the rest. A timer that is due after it stays pending.
 */
public record Plan(long[] calls, long[] dues, long windowBegin, long windowEnd) {
  public int size() {
    return calls.length;
  }

  public boolean hasEnd() {
    return windowEnd != Long.MAX_VALUE;
  }

  public boolean stays(int timer) {
    return dues[timer] >= windowEnd;
  }

  /**
   * n calls at the beginning. Their timers are due at random times during `within`, which begins
   * `lead` after the calls.
   */
  public static Plan ahead(int n, long lead, long within) {
    Random random = new Random(3);
    long[] dues = new long[n];
    for (int i = 0; i < n; ++i) {
      dues[i] = lead + (long) (within * random.uniform());
    }
    return new Plan(new long[n], dues, 0, Long.MAX_VALUE);
  }

  /**
   * A piece of this length of a continuous load of `callsASecond`. The timers that are pending at
   * its beginning are all scheduled at once, `lead` before the first is due. A tenth of a second
   * passes before the window. What would be due after the window is due an hour later, so that it
   * stays pending.
   */
  public static Plan steady(
      long callsASecond, Delays.Delay delay, long lead, long length, long seed) {
    long past = SECONDS.toNanos(1); // Hardly any delay is longer.
    long windowBegin = lead + MILLISECONDS.toNanos(100);
    long end = windowBegin + length;
    Random random = new Random(seed);
    LongStream.Builder calls = LongStream.builder();
    LongStream.Builder dues = LongStream.builder();
    for (long i = 0; ; ++i) {
      long call = lead - past + SECONDS.toNanos(1) * i / callsASecond;
      if (call >= end) {
        return new Plan(calls.build().toArray(), dues.build().toArray(), windowBegin, end);
      }
      long due = call + delay.draw(random);
      if (due < lead) {
        continue; // It has run.
      }
      calls.add(call < lead ? 0 : call);
      dues.add(due < end ? due : due + HOURS.toNanos(1));
    }
  }
}
