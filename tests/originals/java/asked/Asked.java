package asked;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import virtual.VirtualTime;

/** An original that is asked. `Handle` is what it gives for a timer. */
abstract class Asked<Handle> {
  /** One for each name; several, if the name was given to several timers. */
  private final Map<String, List<Handle>> handles = new HashMap<>();

  /** Answers a question about a task, or sets one; null for a verb that it does not know. */
  abstract Object answer(String verb, Words words, Lines.Task task) throws Exception;

  /** How many of its threads there are, tasks or none. */
  abstract int threads() throws ReflectiveOperationException;

  /** Returns when nothing more will happen before time moves or somebody asks. */
  void settle() throws Exception {
    while (!VirtualTime.areAsleep(threads())) {
      Thread.onSpinWait();
    }
  }

  /** A question to a timer. */
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

  /** Asks all timers of a name. */
  final Object ask(String name, Question<Handle> question) throws Exception {
    StringBuilder answers = new StringBuilder();
    for (Handle handle : List.copyOf(handles.get(name))) {
      answers.append(question.ask(handle)).append(' ');
    }
    return answers;
  }
}
