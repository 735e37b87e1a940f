package harness;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/** Repeats some work until the compiler has hardly anything left to do for it. */
public final class WarmUp {
  private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
  private static final int LEAST_PASSES = 3;
  private static final int MOST_PASSES = 12;
  private static final long HARDLY_ANYTHING_MS = 30;

  private WarmUp() {}

  @FunctionalInterface
  public interface Pass {
    void make() throws Exception;
  }

  public static void by(Pass pass) throws Exception {
    for (int passes = 1; passes <= MOST_PASSES; ++passes) {
      long before = COMPILER.getTotalCompilationTime();
      pass.make();
      ProcessThreads.waitUntilOthersSleep();
      long compiled = COMPILER.getTotalCompilationTime() - before;
      if (passes >= LEAST_PASSES && compiled <= HARDLY_ANYTHING_MS) {
        return;
      }
    }
  }
}
