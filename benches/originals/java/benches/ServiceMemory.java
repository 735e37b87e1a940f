package benches;

import static java.util.concurrent.TimeUnit.MINUTES;

import com.sun.management.ThreadMXBean;
import harness.Delays;
import harness.Random;
import harness.Settled;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.management.ObjectName;
import systems.TimerSystem;

/**
 * The memory of a timer, pending and cancelled: benches/services/service_memory.cpp says how. The
 * bytes are those of all objects that live after a collection, whatever the heap has in reserve.
 */
final class ServiceMemory implements Bench {
  private static final ThreadMXBean THREADS =
      (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int LONGER_THAN_A_TICK_MS = 250;

  @Override
  public List<String> cases() {
    List<String> cases = new ArrayList<>();
    for (int n : new int[] {1_000, 10_000, 100_000, 1_000_000}) {
      cases.addAll(List.of("pending/" + n, "after_cancel/" + n));
    }
    return cases;
  }

  @Override
  public Map<String, Object> measure(Case of, Supplier<TimerSystem> make) throws Exception {
    use(of, make); // The second run loads no class, and makes no permanent objects.
    return use(of, make);
  }

  private static Map<String, Object> use(Case of, Supplier<TimerSystem> make) throws Exception {
    boolean cancels = of.workload().equals("after_cancel");
    long before = settledBytes();
    TimerSystem system = make.get();
    Settled.runSome(system);
    long empty = settledBytes();
    system.schedule(MINUTES.toNanos(30), () -> {});
    long withTheFirst = settledBytes();
    Random random = new Random(1);
    long allocated = THREADS.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < of.n(); ++i) {
      Object handle = system.schedule(Delays.inOneToTwoHours(random), () -> {});
      if (cancels && !system.cancel(handle)) {
        throw new IllegalStateException("a pending timer was not cancelled");
      }
    }
    allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
    long all = settledBytes();
    Settled.stopWithPending(system, cancels ? 1 : of.n() + 1);
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("bytes_per_timer", (double) (all - withTheFirst) / of.n());
    figures.put("bytes_empty", empty - before);
    figures.put("allocated_bytes_per_operation", (double) allocated / of.n());
    figures.put("operations", of.n());
    return figures;
  }

  /** The live bytes, once they have not changed for longer than the longest tick. */
  private static long settledBytes() throws Exception {
    for (long before = liveBytes(); ; ) {
      Thread.sleep(LONGER_THAN_A_TICK_MS);
      long now = liveBytes();
      if (now == before) {
        return now;
      }
      before = now;
    }
  }

  /** The bytes of all objects after a full collection: the last line of the JVM's own histogram. */
  private static long liveBytes() throws Exception {
    String histogram = (String) ManagementFactory.getPlatformMBeanServer().invoke(
        new ObjectName("com.sun.management:type=DiagnosticCommand"),
        "gcClassHistogram",
        new Object[] {new String[0]},
        new String[] {String[].class.getName()});
    String[] words = histogram.strip().split("\\s+");
    return Long.parseLong(words[words.length - 1]);
  }
}
