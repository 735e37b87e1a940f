package benches;

import static java.util.concurrent.TimeUnit.HOURS;

import harness.ProcessThreads;
import harness.Settled;
import harness.TimerThreads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import systems.TimerSystem;

/**
 * The cost of a timer in a program in which nothing happens: benches/services/idle.cpp says how.
 * The figure is that of the timer's threads. The virtual machine has other threads, which wake by
 * themselves.
 */
final class Idle implements Bench {
  private static final int SETTLES_MS = 200;

  @Override
  public List<String> cases() {
    List<String> cases = new ArrayList<>();
    for (int seconds : new int[] {1, 2, 10}) {
      cases.addAll(List.of("no_timer/" + seconds, "one_timer_in_an_hour/" + seconds));
    }
    return cases;
  }

  @Override
  public Map<String, Object> measure(Case of, Supplier<TimerSystem> make) throws Exception {
    int timers = of.workload().equals("no_timer") ? 0 : 1;
    TimerThreads.Before before = new TimerThreads.Before();
    TimerSystem system = make.get();
    Settled.runSome(system);
    TimerThreads timer = new TimerThreads(before);
    for (int i = 0; i < timers; ++i) {
      system.schedule(HOURS.toNanos(1), () -> {});
    }
    Thread.sleep(SETTLES_MS);
    ProcessThreads.waitUntilOthersSleep();

    long begin = System.nanoTime();
    long threads = timer.nanos();
    long process = ProcessThreads.nanosOfOthers();
    long sleeps = timer.sleeps();
    long displacements = timer.displacements();
    Thread.sleep(1_000L * of.n());
    ProcessThreads.waitUntilOthersSleep();
    threads = timer.nanos() - threads;
    process = ProcessThreads.nanosOfOthers() - process;
    sleeps = timer.sleeps() - sleeps;
    displacements = timer.displacements() - displacements;
    double seconds = (System.nanoTime() - begin) * 1e-9;
    Settled.stopWithPending(system, timers);

    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("ns_per_operation", threads / seconds);
    figures.put("process_ns_per_operation", process / seconds);
    figures.put("operations", seconds);
    figures.put("cpu_ms_per_second", threads * 1e-6 / seconds);
    figures.put("voluntary_switches_per_second", sleeps / seconds);
    figures.put("involuntary_switches_per_second", displacements / seconds);
    return figures;
  }
}
