package harness;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import systems.TimerSystem;

/** A timer at rest: nothing is due in it. */
public final class Settled {
  private static final int SOME = 8;

  private Settled() {}

  /** Runs some tasks, while nothing else is due. After that the timer has all its threads. */
  public static void runSome(TimerSystem system) throws InterruptedException {
    CountDownLatch left = new CountDownLatch(SOME);
    for (int i = 0; i < SOME; ++i) {
      system.schedule(0, left::countDown);
    }
    if (!left.await(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException(left.getCount() + " of " + SOME + " tasks did not run");
    }
  }

  /** Stops the timer. Fails if another number of timers was pending. */
  public static void stopWithPending(TimerSystem system, int expected) throws Exception {
    int pending = system.stop();
    if (pending != expected) {
      throw new IllegalStateException(
          expected + " timers should be pending in the end, and " + pending + " are");
    }
  }
}
