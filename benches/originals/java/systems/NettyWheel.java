package systems;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Netty's HashedWheelTimer with its default options: 512 buckets of 100 ms. */
final class NettyWheel implements TimerSystem {
  private final HashedWheelTimer timer = new HashedWheelTimer(work -> new Thread(work, THREAD));

  @Override
  public Object schedule(long delay, Runnable task) {
    return timer.newTimeout(timeout -> task.run(), delay, TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean cancel(Object handle) {
    return ((Timeout) handle).cancel();
  }

  /** The thread takes timers in the order in which they came, at its next tick. */
  @Override
  public void waitUntilFiled() throws InterruptedException {
    CountDownLatch last = new CountDownLatch(1);
    timer.newTimeout(timeout -> last.countDown(), 0, TimeUnit.NANOSECONDS);
    last.await();
  }

  @Override
  public int stop() {
    return timer.stop().size();
  }
}
