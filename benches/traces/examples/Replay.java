// A timer queue on PriorityQueue, which replays the trace on its standard input: java Replay.java TICK_NS
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Scanner;

class Replay {
  static class Timer {
    final long line;
    long deadline, turn;

    Timer(long line) { this.line = line; }
  }

  // Of equal deadlines, the one that was set first has the smaller turn, and expires first.
  final PriorityQueue<Timer> pending = new PriorityQueue<>(
      Comparator.<Timer>comparingLong(timer -> timer.deadline).thenComparing(timer -> timer.turn));
  long now, turns;

  void arm(Timer timer, long deadline) {
    timer.deadline = Math.max(deadline, now + 1);
    timer.turn = ++turns;
    pending.add(timer);
  }

  // Java's queue looks for the timer from its beginning: O(n).
  boolean cancel(Timer timer) { return pending.remove(timer); }

  void expire(long now) {
    this.now = Math.max(this.now, now);
    while (!pending.isEmpty() && pending.peek().deadline <= this.now) {
      Timer timer = pending.poll();
      System.out.println("e " + timer.line + " " + timer.deadline + " " + this.now);
    }
  }

  public static void main(String[] arguments) {
    long tick = Long.parseLong(arguments[0]);
    Replay queue = new Replay();
    Map<String, Timer> timers = new HashMap<>();  // by id
    long latest = 0;
    Scanner trace = new Scanner(System.in);
    for (long line = 1; trace.hasNextLine(); ++line) {
      String[] fields = trace.nextLine().split(" ");
      if (fields[0].equals("#")) continue;
      String verb = fields[1], id = fields[2];
      long deadline = fields.length > 3 ? Math.max(0, Long.parseLong(fields[3])) : 0;
      deadline = deadline / tick + Math.min(deadline % tick, 1);  // rounded up
      latest = Math.max(latest, deadline);
      queue.expire(Long.parseLong(fields[0]) / tick);  // rounded down
      boolean wasPending = false;
      if (verb.equals("r") || verb.equals("c")) {
        wasPending = queue.cancel(timers.get(id));
        System.out.println(verb + " " + line + " " + (wasPending ? 1 : 0));
      }
      if (verb.equals("s") || (verb.equals("r") && !wasPending)) timers.put(id, new Timer(line));
      if (verb.equals("s") || verb.equals("r")) queue.arm(timers.get(id), deadline);
    }
    queue.expire(Math.max(latest, queue.now + 1));
  }
}
