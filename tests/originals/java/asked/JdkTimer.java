package asked;

import java.lang.reflect.Field;
import java.util.Date;
import java.util.Timer;
import java.util.TimerTask;

/** java.util.Timer. */
final class JdkTimer extends Asked<TimerTask> {
  private final Timer timer = new Timer(true);

  private static TimerTask made(Runnable task) {
    return new TimerTask() {
      @Override
      public void run() {
        task.run();
      }
    };
  }

  @Override
  Object answer(String verb, Words words, Lines.Task task) throws Exception {
    switch (verb) {
      case "end" -> timer.cancel();
      case "purge" -> {
        return timer.purge();
      }
      case "new" -> {  // even if a task with that name exists
        TimerTask another = made(task);
        keep(words.next(), another);
        return set("schedule", another, words);
      }
      default -> {
        String name = words.next();
        if (!name.equals("-") && !knows(name) || verb.equals("task")) {
          keep(name, made(task));
        }
        return name.equals("-") ? set(verb, null, words) : ask(name, it -> about(it, verb, words));
      }
    }
    return "";
  }

  private Object about(TimerTask task, String verb, Words words) {
    return switch (verb) {
      case "task" -> "";
      case "cancel" -> task.cancel();
      case "planned" -> task.scheduledExecutionTime();
      default -> set(verb, task, words);
    };
  }

  private Object set(String verb, TimerTask task, Words words) {
    long when = words.milliseconds();
    boolean isOnce = words.isEmpty();
    long period = isOnce ? 0 : words.milliseconds();
    switch (verb) {
      case "schedule" -> {
        if (isOnce) {
          timer.schedule(task, when);
        } else {
          timer.schedule(task, when, period);
        }
      }
      case "at" -> {
        if (isOnce) {
          timer.schedule(task, new Date(when));
        } else {
          timer.schedule(task, new Date(when), period);
        }
      }
      case "rate" -> timer.scheduleAtFixedRate(task, when, period);
      case "rate_at" -> timer.scheduleAtFixedRate(task, new Date(when), period);
      default -> {
        return null;
      }
    }
    return "";
  }

  @Override
  int threads() throws ReflectiveOperationException {
    Field thread = Timer.class.getDeclaredField("thread");
    thread.setAccessible(true);
    return ((Thread) thread.get(timer)).isAlive() ? 1 : 0;
  }
}
