package systems;

import io.netty.util.HashedWheelTimer;
import java.util.Map;
import org.apache.kafka.common.utils.AppInfoParser;

/** The systems that run on a Java virtual machine, by their names. */
public final class Systems {
  private Systems() {}

  public static TimerSystem make(String name) {
    return switch (name) {
      case "java_timer" -> new JdkTimer();
      case "java_delay_queue" -> new JdkDelayQueue();
      case "java_scheduled_pool" -> new JdkScheduledPool();
      case "netty_wheel" -> new NettyWheel();
      case "kafka_timer" -> new KafkaTimer();
      default -> throw new IllegalArgumentException("there is no system '" + name + "'");
    };
  }

  public static Map<String, String> versions() {
    return Map.of(
        "java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
        "netty", HashedWheelTimer.class.getPackage().getImplementationVersion(),
        "kafka", AppInfoParser.getVersion());
  }
}
