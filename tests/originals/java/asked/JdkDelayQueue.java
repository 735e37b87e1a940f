package asked;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import virtual.VirtualTime;

/** java.util.concurrent.DelayQueue, and threads that take from it. */
final class JdkDelayQueue extends Asked<Object> {
  private final DelayQueue<Element> queue = new DelayQueue<>();
  private final Map<String, Thread> takers = new HashMap<>();

  private record Element(String name, long deadline) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(deadline - VirtualTime.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(deadline, ((Element) other).deadline);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Element element && name.equals(element.name);
    }

    @Override
    public int hashCode() {
      return name.hashCode();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** A list with room for a limited number of elements. */
  private static final class Full extends AbstractList<Element> {
    private final List<Element> elements = new ArrayList<>();
    private final long room;

    Full(long room) {
      this.room = room;
    }

    @Override
    public boolean add(Element element) {
      if (elements.size() == room) {
        throw new UnsupportedOperationException("it is full");
      }
      return elements.add(element);
    }

    @Override
    public Element get(int index) {
      return elements.get(index);
    }

    @Override
    public int size() {
      return elements.size();
    }
  }

  /** The way in which a thread takes an element. */
  private interface Taking {
    Element take() throws InterruptedException;
  }

  @Override
  Object answer(String verb, Words words, Lines.Task task) throws Exception {
    switch (verb) {
      case "put" -> queue.put(new Element(words.next(), VirtualTime.after(words.nanoseconds())));
      case "clear" -> queue.clear();
      case "take" -> startTaker(words.next(), queue::take);
      case "wait" -> {
        String name = words.next();
        long timeout = words.nanoseconds();
        startTaker(name, () -> queue.poll(timeout, TimeUnit.NANOSECONDS));
      }
      case "interrupt" -> takers.get(words.next()).interrupt();
      default -> {
        return told(verb, words);
      }
    }
    return "";
  }

  private Object told(String verb, Words words) {
    return switch (verb) {
      case "poll" -> orNothing(queue.poll());
      case "peek" -> orNothing(queue.peek());
      case "size" -> queue.size();
      case "capacity" -> queue.remainingCapacity() == Integer.MAX_VALUE ? "endless" : "some";
      case "remove" -> queue.remove(new Element(words.next(), 0));
      case "drain" -> drained(new ArrayList<>(), words);
      case "drain_into_room_for" -> drained(new Full(Long.parseLong(words.next())), words);
      default -> null;
    };
  }

  private String drained(List<Element> target, Words words) {
    String count;
    try {
      int drained =
          words.isEmpty()
              ? queue.drainTo(target)
              : queue.drainTo(target, Integer.parseInt(words.next()));
      count = Integer.toString(drained);
    } catch (UnsupportedOperationException full) {
      count = "full";
    }
    StringBuilder line = new StringBuilder(count);
    target.forEach(element -> line.append(' ').append(element));
    return line.toString();
  }

  private static Object orNothing(Element element) {
    return element == null ? "nothing" : element;
  }

  private void startTaker(String name, Taking taking) {
    Thread taker = new Thread(() -> take(name, taking));
    taker.setDaemon(true);
    takers.put(name, taker);
    taker.start();
  }

  private static void take(String name, Taking taking) {
    Object taken;
    try {
      taken = orNothing(taking.take());
    } catch (InterruptedException interrupted) {
      taken = "interrupted";
    }
    Lines.say(name + "=" + taken + "@" + Lines.inMilliseconds(VirtualTime.nanoTime()));
  }

  @Override
  int threads() {
    return (int) takers.values().stream().filter(Thread::isAlive).count();
  }
}
