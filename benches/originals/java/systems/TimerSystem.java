package systems;

/**
 * A timer of another project, with the basic part of our contract of a service
 * (impls/timer_service.hpp). It runs a task once, some time from now, unless the task is cancelled
 * before. Every thread may call it.
 */
public interface TimerSystem {
  /** The name of its threads, which separates their processor time from that of other threads. */
  String THREAD = "timer";

  /** Runs the task once, `delay` nanoseconds from now. Returns a handle for `cancel`. */
  Object schedule(long delay, Runnable task);

  /** Keeps a task from running. False if the system says that it ran, or was cancelled before. */
  boolean cancel(Object handle);

  /** Waits until its thread has filed all that calls left to it. Usually they leave nothing. */
  default void waitUntilFiled() throws InterruptedException {}

  /** Ends the threads. Returns how many timers were pending: neither run nor cancelled. */
  int stop() throws Exception;

  /** By how many nanoseconds a task may start too early. */
  default long mayBeEarly() {
    return 0;
  }
}
