package virtual;

import java.util.ArrayDeque;
import java.util.Date;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Replaces a ReentrantLock: threads wait on its conditions in virtual time. */
public final class VirtualLock extends ReentrantLock {
  private static final long serialVersionUID = 1;

  @Override
  public Condition newCondition() {
    return new Line();
  }

  /** The threads that wait, in the order in which they came. */
  private final class Line implements Condition {
    private final Deque<VirtualTime.Sleeper> line = new ArrayDeque<>();

    @Override
    public void await() throws InterruptedException {
      awaitUntil(Long.MAX_VALUE);
    }

    @Override
    public long awaitNanos(long span) throws InterruptedException {
      long deadline = VirtualTime.after(span);
      awaitUntil(deadline);
      return deadline - VirtualTime.nanoTime();
    }

    private void awaitUntil(long deadline) throws InterruptedException {
      VirtualTime.Sleeper sleeper = VirtualTime.fallAsleep(new Object(), deadline);
      line.addLast(sleeper);
      unlock();
      try {
        sleeper.sleep();
      } finally {
        lock();
        line.remove(sleeper);
      }
    }

    @Override
    public void signal() {
      while (!line.isEmpty() && !line.removeFirst().wake()) {
        // Its time had come already, so the next one is woken.
      }
    }

    @Override
    public void signalAll() {
      while (!line.isEmpty()) {
        signal();
      }
    }

    @Override
    public void awaitUninterruptibly() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
      return awaitNanos(unit.toNanos(time)) > 0;
    }

    @Override
    public boolean awaitUntil(Date deadline) {
      throw new UnsupportedOperationException();
    }
  }
}
