package harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The threads of this process in Linux. Those of the virtual machine are included. */
public final class ProcessThreads {
  private ProcessThreads() {}

  /** All threads except the calling one. */
  static List<Path> others() {
    List<Path> threads = new ArrayList<>();
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      Path self = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
      for (Path thread : tasks) {
        if (!thread.getFileName().equals(self)) {
          threads.add(thread);
        }
      }
    } catch (IOException | DirectoryIteratorException error) {
      throw new IllegalStateException("/proc does not tell the threads of this process", error);
    }
    return threads;
  }

  /** The text of a file; "" if the thread has just ended. */
  static String read(Path thread, String file) {
    try {
      return Files.readString(thread.resolve(file)).strip();
    } catch (IOException | UncheckedIOException ended) {
      return "";
    }
  }

  /**
   * Waits until no other thread is on a core or waits for one. Then a timer has done all its work,
   * the compiler and the collector rest, and processor times are exact.
   */
  public static void waitUntilOthersSleep() {
    while (others().stream().anyMatch(ProcessThreads::isAtWork)) {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50));
    }
  }

  private static boolean isAtWork(Path thread) {
    String stat = read(thread, "stat");
    int nameEnd = stat.lastIndexOf(") "); // The name may have any characters.
    return nameEnd >= 0 && "RD".indexOf(stat.charAt(nameEnd + 2)) >= 0;
  }

  /** The processor time of all threads except the calling one, in ns. Exact while they sleep. */
  public static long nanosOfOthers() {
    long sum = 0;
    for (Path thread : others()) {
      String schedstat = read(thread, "schedstat");
      if (!schedstat.isEmpty()) {
        sum += Long.parseLong(schedstat.substring(0, schedstat.indexOf(' ')));
      }
    }
    return sum;
  }
}
