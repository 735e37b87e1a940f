package asked;

import java.lang.reflect.Field;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;
import org.apache.kafka.server.util.timer.TimerTask;
import virtual.VirtualTime;

/**
 * Kafka's SystemTimer, with or without a reaper. Without a reaper, its executor runs tasks only
 * after an advance has ended.
 */
final class KafkaTimer extends Asked<TimerTask> {
  private final SystemTimer timer;
  private final SystemTimerReaper reaper;
  private final ExecutorService executor;
  private Thread closer;

  KafkaTimer(Words words) throws ReflectiveOperationException {
    timer =
        new SystemTimer(
            "timer",
            words.option("tick", 1),
            (int) words.option("wheel", 20),
            TimeUnit.NANOSECONDS.toMillis(VirtualTime.nanoTime()));
    reaper = words.option("reaper", 0) == 1 ? new SystemTimerReaper("reaper", timer) : null;
    Field field = SystemTimer.class.getDeclaredField("taskExecutor");
    field.setAccessible(true);
    executor = (ExecutorService) field.get(timer);
  }

  private static TimerTask made(Words words, Runnable task) {
    return new TimerTask(words.milliseconds()) {
      @Override
      public void run() {
        task.run();
      }
    };
  }

  @Override
  Object answer(String verb, Words words, Lines.Task task) throws Exception {
    return switch (verb) {
      case "size" -> timer.size();
      case "advance" -> advanced();
      case "stop" -> {
        closer = new Thread(this::close);
        closer.start();
        yield "";
      }
      default -> about(verb, words, task);
    };
  }

  private Object about(String verb, Words words, Lines.Task task) throws Exception {
    String name = words.next();
    return switch (verb) {
      case "task" -> keep(name, made(words, task));
      case "schedule" -> {
        TimerTask added = made(words, task);
        keep(name, added);
        timer.add(added);
        yield "";
      }
      case "add" -> ask(name, this::added);
      case "cancel" -> ask(name, KafkaTimer::cancelled);
      case "is_cancelled" -> ask(name, KafkaTimer::isCancelled);
      default -> null;
    };
  }

  private Object added(TimerTask task) {
    timer.add(task);
    return "";
  }

  private static Object cancelled(TimerTask task) {
    task.cancel();
    return "";
  }

  private static Object isCancelled(TimerTask task) throws ReflectiveOperationException {
    Field field = TimerTask.class.getDeclaredField("timerTaskEntry");
    field.setAccessible(true);
    return field.get(task) == null;
  }

  private boolean advanced() throws InterruptedException {
    Semaphore gate = new Semaphore(0);
    executor.execute(gate::acquireUninterruptibly);
    try {
      return timer.advanceClock(0);
    } finally {
      gate.release();
    }
  }

  /** With a reaper this may take until the reaper wakes by itself. */
  private void close() {
    try {
      if (reaper != null) {
        reaper.close();
      } else {
        timer.close();
      }
    } catch (Exception error) {
      Lines.say(error.toString());
    }
    Lines.say("stopped@" + Lines.inMilliseconds(VirtualTime.nanoTime()));
  }

  @Override
  int threads() {
    return reaper == null ? 0 : 1;
  }

  /** All is quiet when the reaper sleeps, and the executor has run all its tasks or sleeps. */
  @Override
  void settle() throws Exception {
    if (closer != null) {
      while (closer.isAlive() && !(closerWaits() && VirtualTime.areAsleep(threads()))) {
        Thread.onSpinWait();
      }
      return;
    }
    for (int i = 0; i < 2; ++i) {  // In the first round a task may wake the reaper, which hands
                                   // over more tasks.
      Future<?> mark = executor.submit(() -> {});
      while (!VirtualTime.areAsleep(threads() + 1)
          && !(mark.isDone() && VirtualTime.areAsleep(threads()))) {
        Thread.onSpinWait();
      }
    }
  }

  private boolean closerWaits() {
    return closer.getState() == Thread.State.WAITING;
  }
}
