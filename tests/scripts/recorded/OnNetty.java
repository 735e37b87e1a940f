import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A program on Netty, for record_netty_test.py. Its argument says what it does. */
class OnNetty {
  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "wheel" -> wheel();
      case "loop" -> loop();
      case "both" -> {
        wheel();
        loop();
      }
      case "set and cancel" -> {
        HashedWheelTimer timer = new HashedWheelTimer();
        for (int i = Integer.parseInt(arguments[1]); i > 0; --i) {
          timer.newTimeout(timeout -> {}, 60, TimeUnit.SECONDS).cancel();
        }
      }
      default -> throw new IllegalArgumentException(arguments[0]);
    }
    Runtime.getRuntime().halt(0); // it loses nothing
  }

  /** Another timeout cancels a limit; a second cancel is in vain; and one timeout stays. */
  private static void wheel() throws InterruptedException {
    HashedWheelTimer timer = new HashedWheelTimer(1, TimeUnit.MILLISECONDS);
    Timeout limit = timer.newTimeout(timeout -> {}, 60, TimeUnit.SECONDS);
    CountDownLatch expired = new CountDownLatch(1);
    timer.newTimeout(timeout -> expired.countDown(), 1, TimeUnit.MILLISECONDS);
    expired.await();
    limit.cancel();
    limit.cancel();
    timer.newTimeout(timeout -> {}, 60, TimeUnit.SECONDS);
  }

  /** Tasks of another thread, and of the loop's own. The periodic task is cancelled after a run. */
  private static void loop() throws Exception {
    DefaultEventExecutor loop = new DefaultEventExecutor();
    ScheduledFuture<?> limit = loop.schedule(() -> {}, 60, TimeUnit.SECONDS);
    loop.schedule(() -> limit.cancel(false), 1, TimeUnit.MILLISECONDS).get();
    CountDownLatch runs = new CountDownLatch(1);
    ScheduledFuture<?> periodic =
        loop.scheduleAtFixedRate(runs::countDown, 1, 60_000, TimeUnit.MILLISECONDS);
    runs.await();
    loop.submit(() -> {}).get(); // now the run is over
    periodic.cancel(false);
  }
}
