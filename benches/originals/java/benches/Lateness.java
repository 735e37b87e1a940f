package benches;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import harness.Collections;
import harness.Delays;
import harness.OpenLoop;
import harness.Plan;
import harness.ProcessThreads;
import harness.Quantiles;
import harness.Random;
import harness.Runs;
import harness.Settled;
import harness.TimerThreads;
import harness.WarmUp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import systems.TimerSystem;

/** How late tasks start: benches/services/lateness.cpp says how. */
final class Lateness implements Bench {
  private static final int MILLION = 1_000_000;
  private static final int TIMERS_AT_WARM_UP = 50_000;

  @Override
  public List<String> cases() {
    List<String> cases = new ArrayList<>();
    for (int n : new int[] {1_000, 10_000, 100_000, MILLION}) {
      cases.addAll(List.of("uniform/" + n, "exponential/" + n, "burst/" + n));
    }
    for (int n : new int[] {1_000, 100_000, MILLION, 10 * MILLION}) {
      cases.add("ballast/" + n);
    }
    for (int n : new int[] {100_000, MILLION, 5 * MILLION}) {
      cases.add("within_3s/" + n);
    }
    return cases;
  }

  @Override
  public Map<String, Object> measure(Case of, Supplier<TimerSystem> make) throws Exception {
    long shortly = MILLISECONDS.toNanos(200);
    WarmUp.by(() -> run(Plan.ahead(TIMERS_AT_WARM_UP, shortly, shortly), 0, make));
    return measure(of, MILLISECONDS.toNanos(50) + MICROSECONDS.toNanos(2L * of.n()), make);
  }

  private static Map<String, Object> measure(Case of, long lead, Supplier<TimerSystem> make)
      throws Exception {
    int ballast = of.workload().equals("ballast") ? of.n() : 0;
    Map<String, Object> figures = run(plan(of, lead), ballast, make);
    return figures == null ? measure(of, 2 * lead, make) : figures;
  }

  private static Plan plan(Case of, long lead) {
    int n = of.n();
    long length = n < MILLION ? MILLISECONDS.toNanos(400) : SECONDS.toNanos(2);
    long ofBallast = n < 10 * MILLION ? MILLISECONDS.toNanos(400) : SECONDS.toNanos(2);
    return switch (of.workload()) {
      case "uniform" -> Plan.steady(n, Delays::uniform, lead, length, 0);
      case "exponential" -> Plan.steady(n, Delays::exponential, lead, length, 0);
      case "ballast" -> Plan.steady(10_000, Delays::uniform, lead, ofBallast, 0);
      case "burst" -> Plan.ahead(n, betweenTicks(lead), 0);
      case "within_3s" -> Plan.ahead(n, lead, SECONDS.toNanos(3));
      default -> throw new IllegalArgumentException("there is no workload " + of.workload());
    };
  }

  /** A deadline that is far from the ticks of 1, 10 and 100 ms that begin with the plan. */
  private static long betweenTicks(long lead) {
    long tick = MILLISECONDS.toNanos(100);
    return (lead / tick + 1) * tick + MICROSECONDS.toNanos(55_500);
  }

  /** Returns null if a timer was due before all timers of the beginning were scheduled. */
  private static Map<String, Object> run(Plan plan, int ballast, Supplier<TimerSystem> make)
      throws Exception {
    OpenLoop loop = new OpenLoop(plan);
    TimerThreads.Before before = new TimerThreads.Before();
    long made = System.nanoTime();
    TimerSystem system = make.get();
    Settled.runSome(system);
    TimerThreads timer = new TimerThreads(before);
    Random random = new Random(7);
    for (int i = 0; i < ballast; ++i) {
      system.schedule(Delays.inOneToTwoHours(random), () -> {});
    }
    ProcessThreads.waitUntilOthersSleep();
    Collections collections = new Collections();
    loop.run(system, made, timer, ballast);
    if (!loop.beganInTime()) {
      return null;
    }
    Runs runs = loop.runs();
    Quantiles lags = new Quantiles(loop.lags());
    Map<String, Object> figures = new LinkedHashMap<>(runs.figures());
    figures.put("early", runs.early(system.mayBeEarly()));
    figures.put("generator_lag_p999_ns", lags.at(0.999));
    figures.put("generator_lag_max_ns", lags.at(1));
    figures.put("generator_lagged", loop.generatorLagged() ? 1 : 0);
    figures.put("generator_lag", Runs.histogram(loop.lags()));
    figures.put("cpu_ns_per_operation", (double) loop.timerNanos() / runs.size());
    figures.put("process_cpu_ns_per_operation", (double) loop.processNanos() / runs.size());
    figures.putAll(collections.since());
    return figures;
  }
}
