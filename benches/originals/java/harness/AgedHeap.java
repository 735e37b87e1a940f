package harness;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.function.Supplier;
import systems.TimerSystem;

/**
 * A heap in which timers of a former system lived: many died in random order, and some live on.
 * What this means is up to the collector, which moves living objects.
 */
public final class AgedHeap {
  private static final int TIMERS = 1_000_000;
  private static final int ONE_STAYS_OF = 16;

  private final Object[] survivors = new Object[TIMERS / ONE_STAYS_OF];

  public AgedHeap(Supplier<TimerSystem> make, Producers producers) throws Exception {
    Object[] handles = new Object[TIMERS];
    TimerSystem former = make.get();
    producers.run(producer -> {
      Random random = new Random(producer);
      Part part = new Part(0, TIMERS).share(producer, producers.count());
      for (int i = part.first(); i < part.end(); ++i) {
        handles[i] = former.schedule(Delays.inOneToTwoHours(random), () -> {});
      }
    });
    Settled.stopWithPending(former, TIMERS);
    int[] order = new int[TIMERS];
    Arrays.setAll(order, i -> i);
    new Random(17).shuffle(order, 0, TIMERS);
    Arrays.setAll(survivors, i -> handles[order[i]]);
  }

  /** Keeps the survivors alive until it is called. */
  public void keep() {
    Reference.reachabilityFence(survivors);
  }
}
