package benches;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import systems.TimerSystem;

/** A question that is asked of one system, in a virtual machine of its own. */
public interface Bench {
  /** A workload with n timers, and how long it may be measured. It is measured at least once. */
  record Case(String workload, int n, double seconds) {}

  /** All cases of the bench, such as schedule_4/1000. */
  List<String> cases();

  /** Warms up, measures, and checks the results. Returns the figures by their names. */
  Map<String, Object> measure(Case of, Supplier<TimerSystem> make) throws Exception;

  static Bench named(String name) {
    return switch (name) {
      case "contention" -> new Contention();
      case "dispatch" -> new Dispatch();
      case "lateness" -> new Lateness();
      case "idle" -> new Idle();
      case "service_memory" -> new ServiceMemory();
      default -> throw new IllegalArgumentException("there is no bench '" + name + "'");
    };
  }
}
