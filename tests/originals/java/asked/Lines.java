package asked;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import virtual.VirtualTime;

/** Reads one question a line, and writes a line for each: its answer, and the tasks that ran. */
public final class Lines {
  private static final List<String> said = new ArrayList<>();
  private static Asked<?> asked;

  private Lines() {}

  /** A task that reports when it runs, and then asks questions itself. */
  static final class Task implements Runnable {
    private final String name;
    private final String[] questions;
    private int runs;

    Task(String name, String questions) {
      this.name = name;
      this.questions = questions.isEmpty() ? new String[0] : questions.split(";");
    }

    @Override
    public void run() {
      ++runs;
      say(name + "@" + inMilliseconds(VirtualTime.nanoTime()));
      for (String question : questions) {
        Words words = new Words(question);
        String verb = words.next();
        if (verb.equals("in")) {  // only in the run with this number
          if (Integer.parseInt(words.next()) != runs) {
            continue;
          }
          words = new Words(words.rest());
          verb = words.next();
        }
        if (verb.equals("throw")) {
          throw new IllegalCallerException("as it was told to");
        }
        String answer = answerOf(verb, words, "");
        if (!answer.isEmpty()) {
          say("[" + answer + "]");
        }
      }
    }
  }

  public static void answer() throws Exception {
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {});
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] parts = line.split(":", 2);
      Words words = new Words(parts[0]);
      String answer = answerOf(words.next(), words, parts.length > 1 ? parts[1] : "");
      if (asked != null) {
        asked.settle();
      }
      System.out.println(merged(answer));
    }
  }

  static void say(String words) {
    synchronized (said) {
      said.add(words);
    }
  }

  static String inMilliseconds(long span) {
    return span % 1_000_000 == 0 ? Long.toString(span / 1_000_000) : span + "ns";
  }

  private static String answerOf(String verb, Words words, String questions) {
    try {
      switch (verb) {
        case "make" -> make(words);
        case "move" -> VirtualTime.moveTo(words.nanoseconds());
        case "run" -> run(words);
        case "sleep" -> VirtualTime.sleepNanos(words.nanoseconds());
        case "fill" -> fill(words);
        default -> {
          return inWords(asked.answer(verb, words, new Task(nameIn(words), questions.strip())));
        }
      }
      return "";
    } catch (IllegalArgumentException error) {
      return "refused:argument";
    } catch (NullPointerException error) {
      return "refused:no_task";
    } catch (RejectedExecutionException error) {
      return "refused:rejected";
    } catch (IllegalStateException error) {
      return refusal(error.getMessage());
    } catch (Exception error) {
      return error.toString().replace(' ', '_');
    }
  }

  private static String nameIn(Words words) {
    return words.isEmpty() ? "" : words.rest().split(" ")[0];
  }

  private static String inWords(Object answer) {
    if (answer == null) {
      throw new AssertionError("a verb that is unknown");
    }
    return answer.toString().strip();
  }

  private static String refusal(String message) {
    if (message.contains("already scheduled or cancelled")) {
      return "refused:used";
    }
    return message.contains("stop() cannot be called") ? "refused:forbidden" : "refused:rejected";
  }

  private static void make(Words words) throws Exception {
    long start = TimeUnit.MILLISECONDS.toNanos(words.option("start", 0));
    VirtualTime.reset(start);
    asked = null;
    asked =
        switch (words.next()) {
          case "timer" -> new JdkTimer();
          case "delay_queue" -> new JdkDelayQueue();
          case "pool" -> new JdkScheduledPool(words);
          case "netty" -> new NettyWheel(words);
          case "kafka" -> new KafkaTimer(words);
          default -> throw new AssertionError("an original that is unknown");
        };
  }

  /** `run 400 by 10`: moves time step by step. */
  private static void run(Words words) throws Exception {
    long end = words.nanoseconds();
    words.next();
    long step = words.nanoseconds();
    while (VirtualTime.nanoTime() < end) {
      VirtualTime.moveTo(VirtualTime.nanoTime() + step);
      asked.settle();
    }
  }

  /** `fill a 1000 schedule 5`: many timers of one name. */
  private static void fill(Words words) throws Exception {
    String name = words.next();
    long count = Long.parseLong(words.next());
    String verb = words.next();
    String rest = words.rest();
    for (long i = 0; i < count; ++i) {
      inWords(asked.answer(verb, new Words(name + " " + rest), new Task(name, "")));
    }
  }

  /** The answer, and all reports since the question. Repeated words are printed once, counted. */
  private static String merged(String answer) {
    List<String> words = new ArrayList<>(List.of(answer.split(" ")));
    synchronized (said) {
      words.addAll(said);
      said.clear();
    }
    words.removeIf(String::isEmpty);
    StringBuilder line = new StringBuilder();
    for (int i = 0, next; i < words.size(); i = next) {
      for (next = i; next < words.size() && words.get(next).equals(words.get(i)); ++next) {
        // The loop only counts.
      }
      line.append(i == 0 ? "" : " ").append(words.get(i));
      line.append(next - i == 1 ? "" : "*" + (next - i));
    }
    return line.toString();
  }
}
