package asked;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import virtual.VirtualTime;

/** An original that can be asked questions. `Handle` is its type of handle for a timer. */
abstract class Asked<Handle> {
  /** The handles of each name; several if several timers have the name. */
  private final Map<String, List<Handle>> handles = new HashMap<>();

  /** Answers a question about a task, or schedules a task; null for an unknown verb. */
  abstract Object answer(String verb, Words words, Lines.Task task) throws Exception;

  /** How many threads it has, whether they run tasks or not. */
  abstract int threads() throws ReflectiveOperationException;

  /** Returns when nothing more can happen until time moves or somebody asks. */
  void settle() throws Exception {
    while (!VirtualTime.areAsleep(threads())) {
      Thread.onSpinWait();
    }
  }

  /** A question about a timer. */
  interface Question<Handle> {
    Object ask(Handle handle) throws Exception;
  }

  final Object keep(String name, Handle handle) {
    handles.computeIfAbsent(name, unknown -> new ArrayList<>()).add(handle);
    return "";
  }

  final boolean knows(String name) {
    return handles.containsKey(name);
  }

  /** Asks about all timers of a name. */
  final Object ask(String name, Question<Handle> question) throws Exception {
    StringBuilder answers = new StringBuilder();
    for (Handle handle : List.copyOf(handles.get(name))) {
      answers.append(question.ask(handle)).append(' ');
    }
    return answers;
  }
}
