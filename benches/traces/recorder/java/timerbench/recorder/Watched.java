package timerbench.recorder;

import java.lang.reflect.Field;
import java.util.concurrent.Delayed;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The methods that Netty's classes call, after {@link Agent} has woven these calls into them. */
public final class Watched {
  private static final PlainLines WHEEL = new PlainLines("wheel");
  private static final PlainLines LOOPS = new PlainLines("loops");
  private static final int CANCELLED = 1;
  private static final int EXPIRED = 2;

  private Watched() {}

  /** A timeout of a HashedWheelTimer was made. Its deadline counts from the start of its timer. */
  public static void timeoutIsMade(Object timeout) {
    try {
      Object timer = field(timeout, "timer").get(timeout);
      long deadline = field(timeout, "deadline").getLong(timeout);
      long start = field(timer, "startTime").getLong(timer);
      WHEEL.set(timeout, deadline + start - System.nanoTime());
    } catch (ReflectiveOperationException error) {
      System.err.println("record.py: this version of Netty is not known: " + error);
    }
  }

  /** A timeout tried to change its state. */
  public static void timeoutChanges(boolean changed, int state, Object timeout) {
    if (changed && state == CANCELLED) {
      WHEEL.cancel(timeout);
    } else if (changed && state == EXPIRED) {
      WHEEL.expire(timeout);
    }
  }

  /** A task of an event loop was made. It has its delay already. */
  public static void taskIsMade(Object task) {
    LOOPS.set(task, ((Delayed) task).getDelay(TimeUnit.NANOSECONDS));
  }

  /** A task begins to run. Before its deadline that only puts it into the loop's queue. */
  public static void taskBegins(Object task) {
    if (((Delayed) task).getDelay(TimeUnit.NANOSECONDS) <= 0 && !((Future<?>) task).isDone()) {
      LOOPS.expire(task);
    }
  }

  /** A periodic task waits again. */
  public static void taskEnds(Object task) {
    if (!LOOPS.waits(task) && !((Future<?>) task).isDone()) {
      taskIsMade(task);
    }
  }

  public static void taskIsCancelled(boolean cancelled, Object task) {
    if (cancelled) {
      LOOPS.cancel(task);
    }
  }

  private static Field field(Object object, String name) throws ReflectiveOperationException {
    Field field = object.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
