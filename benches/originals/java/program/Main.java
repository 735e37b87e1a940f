package program;

import benches.Bench;
import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import systems.Systems;

/**
 * A bench of the originals, with the command line of our own benches: it lists its cases, or
 * measures those that a filter selects. Each case of each setting has a process of its own; they
 * run one after the other, in random order. The report has the form of Google Benchmark.
 */
public final class Main {
  private final CommandLine asked;
  private final Path home = Path.of(System.getProperty("originals.home", "."));
  private final List<Setting> settings;

  private Main(CommandLine asked) {
    this.asked = asked;
    settings = Setting.of(asked.bench, Files.isExecutable(home.resolve("go_timers")));
  }

  public static void main(String[] words) {
    int status = 1;
    try {
      if (Measurement.isAsked(words)) {
        Measurement.makeHere(words);
        status = 0;
      } else {
        status = new Main(new CommandLine(words)).run();
      }
    } catch (Exception error) {
      System.err.println(error.getMessage() == null ? error.toString() : error.getMessage());
    }
    System.out.flush();
    System.exit(status); // Threads of a timer may be left after a failure.
  }

  private int run() throws Exception {
    if (asked.tellsGroups) {
      groups().forEach((name, members) -> System.out.println(name + ": " + members));
      return 0;
    }
    List<Measurement> all = selected();
    if (asked.lists) {
      all.forEach(one -> System.out.println(one.name()));
      return 0;
    }
    return all.isEmpty() || !measure(all) ? 1 : 0;
  }

  private List<Measurement> selected() {
    List<Measurement> all = new ArrayList<>();
    for (Setting setting : settings) {
      for (String benchCase : Bench.named(asked.bench).cases()) {
        Measurement one = Measurement.of(asked.bench, setting, benchCase);
        if (asked.filter.matcher(one.name()).find()) {
          all.add(one);
        }
      }
    }
    return all;
  }

  /** Returns whether nothing failed. */
  private boolean measure(List<Measurement> all) throws IOException, InterruptedException {
    List<Measurement> inRandomOrder = new ArrayList<>(all);
    Collections.shuffle(inRandomOrder);
    JsonObject context = context();
    Map<Measurement, JsonObject> entries = new LinkedHashMap<>();
    boolean isWell = true;
    for (Measurement one : inRandomOrder) {
      JsonObject entry = new JsonObject();
      entry.addProperty("name", one.name());
      entry.addProperty("run_name", one.name());
      try {
        JsonObject said = one.make(home, asked.seconds / all.size());
        said.getAsJsonObject("figures").asMap().forEach(entry::add);
        said.getAsJsonObject("versions").asMap().forEach(context::add);
      } catch (IOException failure) {
        entry.addProperty("error_occurred", true);
        entry.addProperty("error_message", failure.getMessage());
        isWell = false;
      }
      entries.put(one, entry);
    }
    JsonArray benchmarks = new JsonArray();
    all.forEach(one -> benchmarks.add(entries.get(one)));
    JsonObject report = new JsonObject();
    report.add("context", context);
    report.add("benchmarks", benchmarks);
    write(report);
    return isWell;
  }

  private JsonObject context() throws IOException {
    JsonObject context = new JsonObject();
    String cpu = Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(": ") + 2))
        .findFirst()
        .orElse("unknown");
    context.addProperty("cpu", cpu);
    context.addProperty("compiler", Systems.versions().get("java"));
    groups().forEach((name, members) -> context.add(name, new JsonPrimitive(members)));
    return context;
  }

  /** The groups of the settings, in the form of our own programs. */
  private Map<String, String> groups() {
    Map<String, String> groups = new LinkedHashMap<>();
    groups.put("families",
        settings.stream().map(Setting::family).distinct().collect(Collectors.joining(" ")));
    groups.put("properties", "originals defaults");
    for (Setting setting : settings) {
      add(groups, setting.family(), setting);
      add(groups, "originals", setting);
      if (setting.isDefault()) {
        add(groups, "defaults", setting);
      }
    }
    return groups;
  }

  private static void add(Map<String, String> groups, String group, Setting member) {
    groups.merge(group, member.name(), (members, name) -> members + " " + name);
  }

  private void write(JsonObject report) throws IOException {
    String json = new Gson().toJson(report);
    if (asked.out == null) {
      System.out.println(json);
    } else {
      Files.writeString(asked.out, json + "\n");
    }
  }
}
