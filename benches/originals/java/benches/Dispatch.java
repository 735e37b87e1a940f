package benches;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.sun.management.ThreadMXBean;
import harness.Collections;
import harness.ProcessThreads;
import harness.Random;
import harness.Settled;
import harness.TimerThreads;
import harness.WarmUp;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import systems.TimerSystem;

/**
 * The processor time that a timer takes after it was filed:
 * benches/services/dispatch.cpp says how. The figure is that of the timer's threads. The figure of
 * the whole process is also reported; it includes work of the virtual machine itself.
 */
final class Dispatch implements Bench {
  private static final ThreadMXBean THREADS =
      (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final long WITHIN = MILLISECONDS.toNanos(250);
  private static final int TIMERS_AT_WARM_UP = 100_000;
  private static final long LEAD_AT_WARM_UP = MILLISECONDS.toNanos(200);

  @Override
  public List<String> cases() {
    return List.of("within_250ms/1000", "within_250ms/10000", "within_250ms/100000");
  }

  @Override
  public Map<String, Object> measure(Case of, Supplier<TimerSystem> make) throws Exception {
    WarmUp.by(() -> measure(TIMERS_AT_WARM_UP, LEAD_AT_WARM_UP, make));
    return measure(of.n(), MILLISECONDS.toNanos(300) + MICROSECONDS.toNanos(2L * of.n()), make);
  }

  private static Map<String, Object> measure(int n, long lead, Supplier<TimerSystem> make)
      throws Exception {
    Map<String, Object> figures = run(n, lead, make);
    return figures == null ? measure(n, 2 * lead, make) : figures;
  }

  /** Returns null if a timer was due before all were scheduled. */
  private static Map<String, Object> run(int n, long lead, Supplier<TimerSystem> make)
      throws Exception {
    AtomicInteger left = new AtomicInteger(n);
    AtomicLong sum = new AtomicLong();
    CountDownLatch allRan = new CountDownLatch(1);
    TimerThreads.Before before = new TimerThreads.Before();
    TimerSystem system = make.get();
    Settled.runSome(system);
    TimerThreads timer = new TimerThreads(before);
    Collections collections = new Collections();
    Random random = new Random(3);
    long allocated = THREADS.getCurrentThreadAllocatedBytes();
    long begin = System.nanoTime() + lead;
    for (int i = 1; i <= n; ++i) {
      int task = i;
      long delay = begin + (long) (WITHIN * random.uniform()) - System.nanoTime();
      system.schedule(Math.max(delay, 0), () -> {
        sum.addAndGet(task);
        if (left.decrementAndGet() == 0) {
          allRan.countDown();
        }
      });
    }
    allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
    ProcessThreads.waitUntilOthersSleep();
    long process = ProcessThreads.nanosOfOthers();
    long threads = timer.nanos();
    if (System.nanoTime() >= begin) {
      system.stop();
      return null;
    }
    long limit = begin + WITHIN + SECONDS.toNanos(10);
    boolean inTime = allRan.await(limit - System.nanoTime(), NANOSECONDS);
    ProcessThreads.waitUntilOthersSleep();
    process = ProcessThreads.nanosOfOthers() - process;
    threads = timer.nanos() - threads;
    if (!inTime || sum.get() != (long) n * (n + 1) / 2) {
      throw new IllegalStateException(
          "not each of the timers ran once: " + left.get() + " of " + n + " are left");
    }
    Settled.stopWithPending(system, 0);
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("ns_per_operation", (double) threads / n);
    figures.put("process_ns_per_operation", (double) process / n);
    figures.put("operations", n);
    figures.put("allocated_bytes_per_schedule", (double) allocated / n);
    figures.putAll(collections.since());
    return figures;
  }
}
