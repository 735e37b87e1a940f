package program;

import benches.Bench;
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import systems.Systems;

/** One case of one setting, measured by a process of its own. */
record Measurement(String bench, Setting setting, String workload, int n) {
  private static final String FLAG = "--measure";
  private static final long MIB = 1 << 20;

  static Measurement of(String bench, Setting setting, String benchCase) {
    int slash = benchCase.lastIndexOf('/');
    return new Measurement(
        bench,
        setting,
        benchCase.substring(0, slash),
        Integer.parseInt(benchCase.substring(slash + 1)));
  }

  String name() {
    return bench + "/" + setting.name() + "/" + workload + "/" + n;
  }

  /** The output of the process: `figures`, and the `versions` of the software that it ran. */
  JsonObject make(Path home, double seconds) throws IOException, InterruptedException {
    Path out = Files.createTempFile("originals", ".json");
    Path errors = Files.createTempFile("originals", ".txt");
    try {
      Process process = new ProcessBuilder(command(home, seconds))
          .redirectOutput(out.toFile())
          .redirectError(errors.toFile())
          .start();
      int status = process.waitFor();
      if (status != 0) {
        String said = Files.readString(errors).strip();
        throw new IOException(said.isEmpty() ? "ended with status " + status : said);
      }
      return new Gson().fromJson(Files.readString(out), JsonObject.class);
    } finally {
      Files.delete(out);
      Files.delete(errors);
    }
  }

  private List<String> command(Path home, double seconds) {
    List<String> words = new ArrayList<>();
    words.add(home.resolve("with_timer_slack").toString());
    words.add(Integer.toString(setting.slack()));
    if (setting.isInJava()) {
      words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      words.addAll(flagsOfJava());
      words.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    } else {
      words.add(home.resolve(setting.system()).toString());
    }
    words.addAll(List.of(
        FLAG, bench, setting.system(), workload, Integer.toString(n), Double.toString(seconds)));
    return words;
  }

  /**
   * The heap has its full size from the beginning, and its pages are touched. The first flag is
   * given explicitly, although it is the default on most machines. Threads of the compiler never
   * end, so that all of them can be counted.
   */
  private List<String> flagsOfJava() {
    String size = heap() / MIB + "m";
    return List.of(
        "-XX:+" + setting.collector(),
        "-Xms" + size,
        "-Xmx" + size,
        "-XX:+AlwaysPreTouch",
        "-XX:-UseDynamicNumberOfCompilerThreads",
        "--add-opens=java.base/java.util=ALL-UNNAMED"); // java.util.Timer has no public size
  }

  /** 1 GiB, plus 1 KiB for each timer, but at most half of the machine's memory. */
  private long heap() {
    var system = (com.sun.management.OperatingSystemMXBean)
        ManagementFactory.getOperatingSystemMXBean();
    return Math.min(1024 * (MIB + n), system.getTotalMemorySize() / 2);
  }

  /** Whether the words are those of `command`. Then this process must measure. */
  static boolean isAsked(String[] words) {
    return words.length == 6 && words[0].equals(FLAG);
  }

  static void makeHere(String[] words) throws Exception {
    Bench.Case of =
        new Bench.Case(words[3], Integer.parseInt(words[4]), Double.parseDouble(words[5]));
    Map<String, Object> figures =
        Bench.named(words[1]).measure(of, () -> Systems.make(words[2]));
    System.out.println(
        new Gson().toJson(Map.of("figures", figures, "versions", Systems.versions())));
  }
}
