package asked;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** java.util.concurrent.ScheduledThreadPoolExecutor. */
final class JdkScheduledPool extends Asked<ScheduledFuture<?>> {
  private final ScheduledThreadPoolExecutor pool;
  private final List<Thread> workers = new CopyOnWriteArrayList<>();

  JdkScheduledPool(Words words) {
    pool = new ScheduledThreadPoolExecutor((int) words.option("threads", 1), this::worker);
    pool.setRemoveOnCancelPolicy(words.option("remove_on_cancel", 0) == 1);
  }

  private Thread worker(Runnable work) {
    Thread worker = new Thread(work);
    workers.add(worker);
    return worker;
  }

  @Override
  Object answer(String verb, Words words, Lines.Task task) throws Exception {
    switch (verb) {
      case "shutdown" -> pool.shutdown();
      case "delayed_after_shutdown" ->
          pool.setExecuteExistingDelayedTasksAfterShutdownPolicy(words.next().equals("true"));
      case "periodic_after_shutdown" ->
          pool.setContinueExistingPeriodicTasksAfterShutdownPolicy(words.next().equals("true"));
      case "purge" -> pool.purge();
      default -> {
        return words.isEmpty() ? told(verb) : about(verb, words, task);
      }
    }
    return "";
  }

  private Object told(String verb) {
    return switch (verb) {
      case "shutdown_now" -> pool.shutdownNow().size();
      case "queue_size" -> pool.getQueue().size();
      case "active" -> pool.getActiveCount();
      case "completed" -> pool.getCompletedTaskCount();
      case "task_count" -> pool.getTaskCount();
      case "pool_size" -> pool.getPoolSize();
      case "is_terminated" -> pool.isTerminated();
      default -> null;
    };
  }

  private Object about(String verb, Words words, Lines.Task named) throws Exception {
    String name = words.next();
    Runnable task = name.equals("-") ? null : named;
    return switch (verb) {
      case "schedule", "submit" -> {
        Words.Span delay = words.span();
        yield keep(name, pool.schedule(task, delay.amount(), delay.unit()));
      }
      case "rate" -> {
        long first = words.nanoseconds();
        long period = words.nanoseconds();
        yield keep(name, pool.scheduleAtFixedRate(task, first, period, TimeUnit.NANOSECONDS));
      }
      case "repeat" -> {
        Words.Span first = words.span();
        Words.Span delay = words.span();
        yield keep(
            name,
            pool.scheduleWithFixedDelay(
                task, delay.unit().convert(first.amount(), first.unit()), delay.amount(),
                delay.unit()));
      }
      case "cancel" -> ask(name, future -> future.cancel(false));
      case "remove" -> ask(name, future -> pool.remove((RunnableScheduledFuture<?>) future));
      case "is_done" -> ask(name, ScheduledFuture::isDone);
      case "is_cancelled" -> ask(name, ScheduledFuture::isCancelled);
      case "delay_of" -> ask(name, future -> future.getDelay(TimeUnit.MILLISECONDS));
      case "outcome" -> ask(name, JdkScheduledPool::outcome);
      default -> null;
    };
  }

  private static String outcome(ScheduledFuture<?> future) throws InterruptedException {
    if (!future.isDone()) {
      return "none";
    }
    try {
      future.get();
      return "returned";
    } catch (ExecutionException error) {
      return "threw";
    } catch (CancellationException error) {
      return "cancelled";
    }
  }

  /** The pool has ended only when its last thread has: later than when that leaves the pool. */
  @Override
  int threads() {
    return (int) workers.stream().filter(Thread::isAlive).count();
  }
}
