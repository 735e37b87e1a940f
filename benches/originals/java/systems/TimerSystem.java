package systems;

/**
 * A timer that others wrote, as far as our contract of a service goes (impls/timer_service.hpp): it
 * runs a task once, some time from now, unless that is cancelled before. Every thread may call it.
 */
public interface TimerSystem {
  /** What its threads are called, so that their processor time can be told from that of others. */
  String THREAD = "timer";

  /** Has the task run once, so many nanoseconds from now. Returns what cancels it. */
  Object schedule(long delay, Runnable task);

  /** Keeps a task from running. False if the system says that it ran, or was cancelled before. */
  boolean cancel(Object handle);

  /** Waits until its thread has filed all that calls have left to it. Mostly they leave nothing. */
  default void waitUntilFiled() throws InterruptedException {}

  /** Ends the threads. Returns how many timers were pending: neither run nor cancelled. */
  int stop() throws Exception;

  /** By how many nanoseconds a task may start too early. */
  default long mayBeEarly() {
    return 0;
  }
}
