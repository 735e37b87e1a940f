package harness;

import java.util.Arrays;
import java.util.function.IntConsumer;
import systems.TimerSystem;

/**
 * The cost of calls of a timer, slice by slice. Disturbances come in bursts of milliseconds, and
 * slices are as short. So the median over the slices leaves them out.
 */
public final class CallSlices {
  private static final int TIMED_ONE_IN = 7;

  /**
   * The cost of one call, as an average over a slice. `wall` is the time in ns from the first call
   * to the end of the last. `process` and `threads` are processor times in ns, until all timers are
   * filed and all threads rest: of the whole process, and of only the producers and the timer.
   * `wakes` is how often the threads of the timer were woken.
   */
  public record Cost(double wall, double process, double threads, double wakes) {}

  private final Producers producers;
  private final TimerSystem system;
  private final TimerThreads timer;

  public CallSlices(Producers producers, TimerSystem system, TimerThreads timer) {
    this.producers = producers;
    this.system = system;
    this.timer = timer;
  }

  /** All producers together make the calls of a slice. Each makes its share. */
  public Cost costOf(Part slice, IntConsumer call) throws InterruptedException {
    ProcessThreads.waitUntilOthersSleep();
    long sleeps = timer.sleeps();
    long timerBefore = timer.nanos();
    long processBefore = ProcessThreads.nanosOfOthers();
    Producers.Stint[] stints = producers.run(producer -> {
      Part part = slice.share(producer, producers.count());
      for (int i = part.first(); i < part.end(); ++i) {
        call.accept(i);
      }
    });
    system.waitUntilFiled();
    ProcessThreads.waitUntilOthersSleep();
    long process = ProcessThreads.nanosOfOthers() - processBefore;
    long threads = timer.nanos() - timerBefore;
    threads += Arrays.stream(stints).mapToLong(Producers.Stint::processor).sum();
    long begin = Arrays.stream(stints).mapToLong(Producers.Stint::begin).min().getAsLong();
    long end = Arrays.stream(stints).mapToLong(Producers.Stint::end).max().getAsLong();
    double calls = slice.size();
    return new Cost(
        (end - begin) / calls,
        process / calls,
        threads / calls,
        (timer.sleeps() - sleeps) / calls);
  }

  /** The same, but some of the calls are timed one by one. Returns the p99 of these, in ns. */
  public long p99Of(Part slice, IntConsumer call) throws InterruptedException {
    long[] times = new long[(slice.size() - 1) / TIMED_ONE_IN + 1];
    costOf(slice, i -> {
      int rank = i - slice.first();
      if (rank % TIMED_ONE_IN != 0) {
        call.accept(i);
        return;
      }
      long begin = System.nanoTime();
      call.accept(i);
      times[rank / TIMED_ONE_IN] = System.nanoTime() - begin;
    });
    return new Quantiles(times).at(0.99);
  }
}
