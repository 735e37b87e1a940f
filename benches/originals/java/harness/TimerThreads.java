package harness;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The threads of a timer: their processor time, and how often they sleep. */
public final class TimerThreads {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final List<Long> ids = new ArrayList<>();
  private final List<Path> tasks = new ArrayList<>();

  /** The threads that exist before the timer has any. */
  public static final class Before {
    private final Set<Long> ids = new HashSet<>();
    private final Set<Path> tasks = new HashSet<>(ProcessThreads.others());

    public Before() {
      for (long id : THREADS.getAllThreadIds()) {
        ids.add(id);
      }
    }
  }

  /** The Java threads that have begun since then. The virtual machine may have begun some, too. */
  public TimerThreads(Before before) {
    ProcessThreads.waitUntilOthersSleep(); // A thread that has begun has its name by then.
    Set<String> names = new HashSet<>();
    for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
      if (thread != null && !before.ids.contains(thread.getThreadId())) {
        ids.add(thread.getThreadId());
        names.add(thread.getThreadName());
      }
    }
    for (Path task : ProcessThreads.others()) {
      if (!before.tasks.contains(task) && names.contains(ProcessThreads.read(task, "comm"))) {
        tasks.add(task);
      }
    }
    if (ids.isEmpty() || tasks.size() != ids.size()) {
      throw new IllegalStateException("a timer has the threads " + names + ", and not " + tasks);
    }
  }

  /** Their processor time. */
  public long nanos() {
    return ids.stream().mapToLong(THREADS::getThreadCpuTime).sum();
  }

  /** How often they have gone to sleep; each time they had to be woken. */
  public long sleeps() {
    return count("voluntary_ctxt_switches:");
  }

  /** How often they had to give their core to another thread. */
  public long displacements() {
    return count("nonvoluntary_ctxt_switches:");
  }

  private long count(String word) {
    return tasks.stream()
        .flatMap(task -> Arrays.stream(ProcessThreads.read(task, "status").split("\n")))
        .filter(line -> line.startsWith(word))
        .mapToLong(line -> Long.parseLong(line.substring(word.length()).strip()))
        .sum();
  }
}
