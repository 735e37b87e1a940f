package virtual;

import java.util.ArrayDeque;
import java.util.Deque;

/** The base class of an object on whose monitor threads wait. With it they wait in virtual time. */
public class VirtualMonitor {
  private final Deque<VirtualTime.Sleeper> line = new ArrayDeque<>();

  /** In place of wait(). */
  public final void pause() throws InterruptedException {
    pauseUntil(Long.MAX_VALUE);
  }

  /** In place of wait(milliseconds). */
  public final void pause(long milliseconds) throws InterruptedException {
    boolean isEndless = milliseconds > Long.MAX_VALUE / 1_000_000;
    pauseUntil(isEndless ? Long.MAX_VALUE : VirtualTime.after(milliseconds * 1_000_000));
  }

  /** In place of notify(). */
  public final void wake() {
    while (!line.isEmpty() && !line.removeFirst().wake()) {
      // Its time had come already, so the next one is woken.
    }
  }

  private void pauseUntil(long deadline) throws InterruptedException {
    VirtualTime.Sleeper sleeper = VirtualTime.fallAsleep(this, deadline);
    line.addLast(sleeper);
    try {
      sleeper.sleep();
    } finally {
      line.remove(sleeper);
    }
  }
}
