package program;

import java.util.ArrayList;
import java.util.List;

/**
 * A system as it is measured: on a virtual machine with this collector, or on none; and with this
 * slack, by which the kernel may group the wake-ups of its threads.
 */
record Setting(String system, String family, String suffix, String collector, int slack) {
  private static final String G1 = "UseG1GC";
  private static final String PARALLEL = "UseParallelGC";
  private static final int DEFAULT_SLACK = 50_000;
  private static final int LEAST_SLACK = 1;

  /** The structure that keeps the timers. A family has the same colour in all charts. */
  private record Original(String system, String family, boolean isInJava) {}

  private static final List<Original> ORIGINALS = List.of(
      new Original("java_timer", "heaps", true),
      new Original("java_delay_queue", "heaps", true),
      new Original("java_scheduled_pool", "heaps", true),
      new Original("netty_wheel", "hashed_wheels", true),
      new Original("kafka_timer", "hierarchical_wheels", true),
      new Original("go_timers", "heaps", false));

  String name() {
    return system + suffix;
  }

  /** Whether this is the setting of a user who sets nothing. */
  boolean isDefault() {
    return suffix.isEmpty();
  }

  boolean isInJava() {
    return collector != null;
  }

  /** The settings in which a bench measures. Settings without an effect there are left out. */
  static List<Setting> of(String bench, boolean withGo) {
    boolean collectorMatters = List.of("contention", "dispatch", "lateness").contains(bench);
    boolean slackMatters = List.of("dispatch", "lateness").contains(bench);
    List<Setting> settings = new ArrayList<>();
    for (Original of : ORIGINALS) {
      if (!of.isInJava && !withGo) {
        continue;
      }
      String collector = of.isInJava ? G1 : null;
      settings.add(new Setting(of.system, of.family, "", collector, DEFAULT_SLACK));
      if (of.isInJava && collectorMatters) {
        settings.add(new Setting(of.system, of.family, "_parallel_gc", PARALLEL, DEFAULT_SLACK));
      }
      if (slackMatters) {
        settings.add(new Setting(of.system, of.family, "_1ns_slack", collector, LEAST_SLACK));
      }
    }
    return settings;
  }
}
