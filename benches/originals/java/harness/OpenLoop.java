package harness;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import systems.TimerSystem;

/**
 * Lets a timer run a plan, and records when each task ran. The plan is fixed, whatever the timer
 * does: a generator that falls behind catches up, and no deadline moves.
 */
public final class OpenLoop {
  private final Plan plan;
  private final long[] due;
  private final long[] started; // 0 means it did not run, as no time of the clock is 0
  private final long[] lags;
  private final AtomicInteger ran = new AtomicInteger();
  private final AtomicInteger ranAgain = new AtomicInteger();
  private boolean generatorLagged;
  private long processNanos;
  private long timerNanos;

  public OpenLoop(Plan plan) {
    this.plan = plan;
    due = new long[plan.size()];
    started = new long[plan.size()];
    lags = new long[plan.size()];
  }

  /**
   * Runs all timers that are due before the window ends, and stops the timer. Timers that are due
   * later, and the ballast that was scheduled before, must still be pending then. Fails if a timer
   * did not run, or ran twice.
   *
   * <p>The plan begins a multiple of 100 ms after `made`, when the timer was made: so the ticks of a
   * wheel begin with the plan.
   */
  public void run(TimerSystem system, long made, TimerThreads threads, int ballast)
      throws Exception {
    int staying = (int) IntStream.range(0, plan.size()).filter(plan::stays).count();
    long tick = MILLISECONDS.toNanos(100);
    long begin = made + ((System.nanoTime() - made) / tick + 1) * tick;
    sleepUntil(begin);
    Arrays.setAll(due, i -> begin + plan.dues()[i]);
    generate(system, threads, begin);
    if (plan.hasEnd()) {
      sleepUntil(begin + plan.windowEnd());
      windowEnds(threads);
    }
    waitFor(plan.size() - staying);
    if (!plan.hasEnd()) {
      ProcessThreads.waitUntilOthersSleep();
      windowEnds(threads);
    }
    prove(system.stop(), staying + ballast);
  }

  /** The runs of the timers that are due in the window. */
  public Runs runs() {
    int[] inWindow = IntStream.range(0, plan.size())
        .filter(i -> plan.dues()[i] >= plan.windowBegin() && !plan.stays(i))
        .toArray();
    return new Runs(
        Arrays.stream(inWindow).mapToLong(i -> due[i]).toArray(),
        Arrays.stream(inWindow).mapToLong(i -> started[i]).toArray());
  }

  /** For the calls in the window: from the planned time of a call until the call has returned. */
  public long[] lags() {
    return IntStream.range(0, plan.size())
        .filter(i -> plan.calls()[i] >= plan.windowBegin())
        .mapToLong(i -> lags[i])
        .toArray();
  }

  /** Whether a timer was due before the system had it. That is not the fault of the system. */
  public boolean generatorLagged() {
    return generatorLagged;
  }

  /** Whether all timers of the beginning were scheduled before any was due. */
  public boolean beganInTime() {
    long firstDue = Arrays.stream(plan.dues()).min().getAsLong();
    return IntStream.range(0, plan.size())
        .noneMatch(i -> plan.calls()[i] == 0 && lags[i] > firstDue);
  }

  /** Processor time in the window, of all threads except the generator. */
  public long processNanos() {
    return processNanos;
  }

  /** The same, only for the threads of the timer. */
  public long timerNanos() {
    return timerNanos;
  }

  private void generate(TimerSystem system, TimerThreads threads, long begin) {
    boolean isInWindow = false;
    for (int i = 0; i < plan.size(); ++i) {
      if (!isInWindow && plan.calls()[i] >= plan.windowBegin()) {
        isInWindow = true;
        processNanos = ProcessThreads.nanosOfOthers();
        timerNanos = threads.nanos();
      }
      long call = begin + plan.calls()[i];
      sleepUntil(call);
      int timer = i;
      system.schedule(Math.max(due[i] - System.nanoTime(), 0), () -> start(timer));
      long now = System.nanoTime();
      lags[i] = now - call;
      generatorLagged |= now > due[i];
    }
  }

  private void windowEnds(TimerThreads threads) {
    processNanos = ProcessThreads.nanosOfOthers() - processNanos;
    timerNanos = threads.nanos() - timerNanos;
  }

  /** What a task does. */
  private void start(int timer) {
    long now = System.nanoTime();
    if (started[timer] != 0) {
      ranAgain.incrementAndGet();
    }
    started[timer] = now;
    ran.incrementAndGet();
  }

  private static void sleepUntil(long instant) {
    for (long left = instant - System.nanoTime(); left > 0; left = instant - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Waits until `expected` timers have run, as long as some run each minute. */
  private void waitFor(int expected) {
    sleepUntil(IntStream.range(0, plan.size())
        .filter(i -> !plan.stays(i))
        .mapToLong(i -> due[i])
        .max()
        .getAsLong());
    int most = ran.get();
    long limit = System.nanoTime() + MINUTES.toNanos(1);
    for (int now = most; now < expected && System.nanoTime() < limit; now = ran.get()) {
      if (now > most) {
        most = now;
        limit = System.nanoTime() + MINUTES.toNanos(1);
      }
      LockSupport.parkNanos(MILLISECONDS.toNanos(10));
    }
  }

  private void prove(int pending, int expected) {
    long lost =
        IntStream.range(0, plan.size()).filter(i -> !plan.stays(i) && started[i] == 0).count();
    if (lost > 0 || ranAgain.get() > 0 || pending != expected) {
      throw new IllegalStateException(String.format(
          "of %d timers %d did not run and %d ran again; %d should be pending, and %d are",
          plan.size(), lost, ranAgain.get(), expected, pending));
    }
  }
}
