package program;

import java.nio.file.Path;
import java.util.regex.Pattern;

/** The flags of Google Benchmark that scripts/run.py gives, and our own. */
final class CommandLine {
  final String bench;
  Pattern filter = Pattern.compile("");
  double seconds = 0;
  Path out = null;
  boolean lists = false;
  boolean tellsGroups = false;

  CommandLine(String[] words) {
    if (words.length == 0) {
      throw new IllegalArgumentException("say which bench");
    }
    bench = words[0];
    for (int i = 1; i < words.length; ++i) {
      take(words[i]);
    }
  }

  private void take(String word) {
    int equals = word.indexOf('=');
    String flag = equals < 0 ? word : word.substring(0, equals);
    String value = word.substring(equals + 1);
    switch (flag) {
      case "--benchmark_list_tests" -> lists = true;
      case "--groups" -> tellsGroups = true;
      case "--benchmark_filter" -> filter = Pattern.compile(value);
      case "--benchmark_out" -> out = Path.of(value);
      case "--seconds" -> seconds = secondsIn(value);
      // Ignored: a case is measured once in a process, in random order, and reported in JSON.
      case "--benchmark_min_time",
          "--benchmark_enable_random_interleaving",
          "--benchmark_out_format" -> {}
      default -> throw new IllegalArgumentException("unknown flag '" + word + "'");
    }
  }

  private static double secondsIn(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException error) {
      throw new IllegalArgumentException("--seconds: '" + text + "' is no number", error);
    }
  }
}
