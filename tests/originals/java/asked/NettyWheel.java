package asked;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.ImmediateExecutor;
import java.lang.reflect.Field;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Netty's HashedWheelTimer. */
final class NettyWheel extends Asked<Timeout> {
  private final HashedWheelTimer timer;

  NettyWheel(Words words) {
    long tick = words.option("tick_ns", TimeUnit.MILLISECONDS.toNanos(words.option("tick", 100)));
    int wheel = (int) words.option("wheel", 8);
    boolean refuses = words.option("executor_refuses", 0) == 1;
    timer =
        words.option("defaults", 0) == 1
            ? new HashedWheelTimer()
            : new HashedWheelTimer(
                Executors.defaultThreadFactory(),
                tick,
                TimeUnit.NANOSECONDS,
                wheel,
                false,
                words.option("limit", 0),
                refuses ? NettyWheel::refuse : ImmediateExecutor.INSTANCE);
  }

  private static void refuse(Runnable task) {
    throw new RejectedExecutionException("as it was told to");
  }

  @Override
  Object answer(String verb, Words words, Lines.Task task) throws Exception {
    switch (verb) {
      case "start" -> timer.start();
      case "pending" -> {
        return timer.pendingTimeouts();
      }
      case "stop" -> {
        return timer.stop().size();
      }
      case "wheel" -> {
        return ((Object[]) field("wheel").get(timer)).length;
      }
      case "tick" -> {
        return Lines.inMilliseconds(field("tickDuration").getLong(timer));
      }
      default -> {
        return about(verb, words, task);
      }
    }
    return "";
  }

  private Object about(String verb, Words words, Lines.Task task) throws Exception {
    String name = words.next();
    return switch (verb) {
      case "schedule" -> {
        Words.Span delay = words.span();
        TimerTask runs = name.equals("-") ? null : timeout -> task.run();
        yield keep(name, timer.newTimeout(runs, delay.amount(), delay.unit()));
      }
      case "cancel" -> ask(name, Timeout::cancel);
      case "is_cancelled" -> ask(name, Timeout::isCancelled);
      case "is_expired" -> ask(name, Timeout::isExpired);
      default -> null;
    };
  }

  private static Field field(String name) throws NoSuchFieldException {
    Field field = HashedWheelTimer.class.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  @Override
  int threads() throws ReflectiveOperationException {
    return ((Thread) field("workerThread").get(timer)).isAlive() ? 1 : 0;
  }
}
