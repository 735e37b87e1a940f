package benches;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;

import harness.AgedHeap;
import harness.CallSlices;
import harness.Collections;
import harness.Delays;
import harness.Part;
import harness.Producers;
import harness.Quantiles;
import harness.Random;
import harness.Settled;
import harness.TimerThreads;
import harness.WarmUp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import systems.TimerSystem;

/**
 * The cost of calls when 1, 2, 4 or 8 threads make them at the same time:
 * benches/services/contention.cpp says how. The turns run one after the other in one virtual
 * machine, each with a fresh timer.
 */
final class Contention implements Bench {
  private static final int CALLS_OF_SLICE = 3 << 14;
  private static final int PAIRS = 3; // each has an untimed slice and a timed one
  private static final int SLICES = 2 * PAIRS + 1; // in the last one single calls are timed
  private static final int CALLS_OF_TURN = SLICES * CALLS_OF_SLICE;
  private static final int PENDING_AT_WARM_UP = 1_000;
  private static final String AGED = "_aged";

  private enum Call {
    SCHEDULE,
    ASCENDING,
    DESCENDING,
    CANCEL,
    CANCEL_OTHER,
    SCHEDULE_CANCEL;

    /**
     * In a slice the producers make the calls of rank 0 at the same time, then those of rank 1,
     * etc.
     */
    long delay(int rank, Random random) {
      return switch (this) {
        case ASCENDING -> HOURS.toNanos(2) + MILLISECONDS.toNanos(rank);
        case DESCENDING -> MINUTES.toNanos(50) - MILLISECONDS.toNanos(rank);
        default -> Delays.inOneToTwoHours(random);
      };
    }

    boolean cancelsWhatIsThere() {
      return this == CANCEL || this == CANCEL_OTHER;
    }

    /** Whether its timers are pending at the end. */
    boolean stays() {
      return this == SCHEDULE || this == ASCENDING || this == DESCENDING;
    }
  }

  @Override
  public List<String> cases() {
    List<String> cases = new ArrayList<>();
    for (int n : new int[] {1_000, 1_000_000}) {
      for (int producers : new int[] {1, 2, 4, 8}) {
        for (Call call : Call.values()) {
          for (String memory : List.of("", AGED)) {
            cases.add(call.name().toLowerCase() + "_" + producers + memory + "/" + n);
          }
        }
      }
    }
    return cases;
  }

  @Override
  public Map<String, Object> measure(Case of, Supplier<TimerSystem> make) throws Exception {
    boolean isAged = of.workload().endsWith(AGED);
    String workload = isAged ? of.workload().replace(AGED, "") : of.workload();
    int underscore = workload.lastIndexOf('_');
    Call call = Call.valueOf(workload.substring(0, underscore).toUpperCase());
    int count = Integer.parseInt(workload.substring(underscore + 1));
    List<CallSlices.Cost> costs = new ArrayList<>();
    List<Long> p99s = new ArrayList<>();
    Collections collections;
    try (Producers callers = new Producers(count);
        Producers others = new Producers(call == Call.CANCEL_OTHER ? count : 0)) {
      Producers schedulers = call == Call.CANCEL_OTHER ? others : callers;
      AgedHeap memory = isAged ? new AgedHeap(make, schedulers) : null;
      Turn turn = new Turn(call, callers, schedulers, make);
      WarmUp.by(() -> turn.take(PENDING_AT_WARM_UP, new ArrayList<>(), new ArrayList<>()));
      collections = new Collections();
      long end = System.nanoTime() + (long) (of.seconds() * 1e9);
      do {
        turn.take(of.n(), costs, p99s);
      } while (System.nanoTime() < end);
      if (memory != null) {
        memory.keep();
      }
    }
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("ns_per_operation", median(costs, CallSlices.Cost::wall));
    figures.put("cpu_ns_per_operation", median(costs, CallSlices.Cost::process));
    figures.put("threads_cpu_ns_per_operation", median(costs, CallSlices.Cost::threads));
    figures.put("mean_cpu_ns_per_operation",
        costs.stream().mapToDouble(CallSlices.Cost::process).average().getAsDouble());
    figures.put("wakes_per_operation", median(costs, CallSlices.Cost::wakes));
    figures.put("p99_ns", Quantiles.median(p99s.stream().mapToDouble(Long::doubleValue).toArray()));
    figures.put("operations", costs.size() * CALLS_OF_SLICE);
    figures.put("slices", costs.size());
    figures.putAll(collections.since());
    return figures;
  }

  private static double median(List<CallSlices.Cost> costs, ToDoubleFunction<CallSlices.Cost> of) {
    return Quantiles.median(costs.stream().mapToDouble(of).toArray());
  }

  private static Part slice(int number) {
    return new Part(number * CALLS_OF_SLICE, (number + 1) * CALLS_OF_SLICE);
  }

  /** A turn. Its calls are the same each time. */
  private static final class Turn {
    private final Call call;
    private final Producers callers;
    private final Producers schedulers;
    private final Supplier<TimerSystem> make;
    private final long[] delays = new long[CALLS_OF_TURN];
    private final int[] order = new int[CALLS_OF_TURN]; // random in a producer's part of a slice

    Turn(Call call, Producers callers, Producers schedulers, Supplier<TimerSystem> make) {
      this.call = call;
      this.callers = callers;
      this.schedulers = schedulers;
      this.make = make;
      Random ofDelays = new Random(7);
      Random ofOrder = new Random(11);
      Arrays.setAll(order, i -> i);
      for (int producer = 0; producer < callers.count(); ++producer) {
        for (int slice = 0; slice < SLICES; ++slice) {
          Part part = slice(slice).share(producer, callers.count());
          for (int i = part.first(); i < part.end(); ++i) {
            int rank = (i - part.first()) * callers.count() + producer;
            delays[i] = call.delay(slice * CALLS_OF_SLICE + rank, ofDelays);
          }
          ofOrder.shuffle(order, part.first(), part.end());
        }
      }
    }

    /**
     * Makes the turn with `pending` timers. Adds the costs of its timed slices, and the p99 of
     * single calls.
     */
    void take(int pending, List<CallSlices.Cost> costs, List<Long> p99s) throws Exception {
      TimerThreads.Before before = new TimerThreads.Before();
      TimerSystem system = make.get();
      Random random = new Random(3);
      for (int i = 0; i < pending; ++i) {
        system.schedule(Delays.inOneToTwoHours(random), () -> {});
      }
      CallSlices slices = new CallSlices(callers, system, new TimerThreads(before));
      Object[] handles = new Object[CALLS_OF_TURN];
      AtomicInteger refused = new AtomicInteger();
      IntConsumer schedule = i -> handles[i] = system.schedule(delays[i], () -> {});
      // The handle is dropped, too, so that only the system keeps the memory of the timer.
      IntConsumer cancel = i -> {
        Object handle = handles[i];
        handles[i] = null;
        if (!system.cancel(handle)) {
          refused.incrementAndGet();
        }
      };
      IntConsumer one = switch (call) {
        case SCHEDULE, ASCENDING, DESCENDING -> schedule;
        case CANCEL, CANCEL_OTHER -> i -> cancel.accept(order[i]);
        case SCHEDULE_CANCEL -> schedule.andThen(cancel);
      };
      if (call.cancelsWhatIsThere()) {
        schedulers.run(producer -> {
          for (int slice = 0; slice < SLICES; ++slice) {
            Part part = slice(slice).share(producer, schedulers.count());
            for (int i = part.first(); i < part.end(); ++i) {
              schedule.accept(i);
            }
          }
        });
      }
      for (int pair = 0; pair < PAIRS; ++pair) {
        slices.costOf(slice(2 * pair), one);
        costs.add(slices.costOf(slice(2 * pair + 1), one));
      }
      p99s.add(slices.p99Of(slice(2 * PAIRS), one));
      if (refused.get() > 0) {
        throw new IllegalStateException(refused.get() + " timers were not cancelled");
      }
      Settled.stopWithPending(system, call.stays() ? pending + CALLS_OF_TURN : pending);
    }
  }
}
