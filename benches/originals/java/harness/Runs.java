package harness;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** When timers were due and when they started: how late they were, and how many waited. */
public record Runs(long[] due, long[] started) {
  private static final double LEAST_EDGE = 1e3;
  private static final int BINS_A_DECADE = 48;
  private static final int BINS = 8 * BINS_A_DECADE;

  public int size() {
    return due.length;
  }

  /** The lateness of each run, from its deadline to its start. A run that was early is not late. */
  public long[] lateness() {
    long[] late = new long[size()];
    Arrays.setAll(late, i -> Math.max(started[i] - due[i], 0));
    return late;
  }

  /** How many runs started before their deadlines. Fails if one is earlier than it may be. */
  public int early(long mayBeEarly) {
    int count = 0;
    for (int i = 0; i < size(); ++i) {
      if (due[i] - started[i] > mayBeEarly) {
        throw new IllegalStateException(
            "a timer ran " + (due[i] - started[i]) + " ns before its deadline");
      }
      count += started[i] < due[i] ? 1 : 0;
    }
    return count;
  }

  /** The greatest number of timers that waited at the same time: were due, and had not started. */
  public int maxBacklog() {
    long[] dues = new long[size()];
    long[] starts = new long[size()];
    int late = 0;
    for (int i = 0; i < size(); ++i) {
      if (started[i] > due[i]) {
        dues[late] = due[i];
        starts[late++] = started[i];
      }
    }
    Arrays.sort(dues, 0, late);
    Arrays.sort(starts, 0, late);
    int most = 0;
    for (int i = 0, done = 0; i < late; ++i) {
      while (starts[done] <= dues[i]) {
        ++done;
      }
      most = Math.max(most, i + 1 - done);
    }
    return most;
  }

  /**
   * Slices of 50 ms, from the first deadline until all have started. A slice has its beginning in
   * ms, and how many timers wait at its end. If any runs started in it, it has the p99 of their
   * lateness.
   */
  public List<List<Long>> overTime() {
    long length = MILLISECONDS.toNanos(50);
    long[] dues = due.clone();
    Arrays.sort(dues);
    int[] order = inOrderOfStart();
    List<List<Long>> slices = new ArrayList<>();
    int wereDue = 0;
    int hadStarted = 0;
    for (long begin = 0; hadStarted < size(); begin += length) {
      long end = dues[0] + begin + length;
      int first = hadStarted;
      while (hadStarted < size() && started[order[hadStarted]] < end) {
        ++hadStarted;
      }
      while (wereDue < size() && dues[wereDue] < end) {
        ++wereDue;
      }
      long[] late = new long[hadStarted - first];
      for (int i = first; i < hadStarted; ++i) {
        late[i - first] = Math.max(started[order[i]] - due[order[i]], 0);
      }
      slices.add(
          Arrays.asList(
              begin / MILLISECONDS.toNanos(1),
              (long) Math.max(wereDue - hadStarted, 0),
              late.length == 0 ? null : (Long) new Quantiles(late).at(0.99)));
    }
    return slices;
  }

  /**
   * The numbers of the runs in the order of their starts. They are sorted as packed numbers:
   * objects would take seconds for millions of runs.
   */
  private int[] inOrderOfStart() {
    long first = Arrays.stream(started).min().getAsLong();
    long[] keys = new long[size()];
    Arrays.setAll(keys, i -> (started[i] - first) * size() + i);
    Arrays.sort(keys);
    return Arrays.stream(keys).mapToInt(key -> (int) (key % size())).toArray();
  }

  /**
   * A histogram of spans: the lower edge in ns of each non-empty bin, and the number of spans in
   * it. A bin is 4.9% wide. The first bin has all spans below 1 µs, and the last bin all from 100 s
   * on.
   */
  public static List<List<Long>> histogram(long[] spans) {
    long[] counts = new long[BINS + 2];
    for (long span : spans) {
      double bin = Math.log10(span / LEAST_EDGE) * BINS_A_DECADE;
      counts[span < LEAST_EDGE ? 0 : 1 + (int) Math.min(bin, BINS)]++;
    }
    List<List<Long>> bins = new ArrayList<>();
    for (int bin = 0; bin < counts.length; ++bin) {
      if (counts[bin] > 0) {
        double edge = LEAST_EDGE * Math.pow(10, (bin - 1.0) / BINS_A_DECADE);
        bins.add(List.of(bin == 0 ? 0 : Math.round(edge), counts[bin]));
      }
    }
    return bins;
  }

  /** The lateness, in the form of our own benches; the main figure is the median. */
  public Map<String, Object> figures() {
    long[] lateness = lateness();
    Quantiles late = new Quantiles(lateness);
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("ns_per_operation", late.at(0.5));
    figures.put("operations", size());
    figures.put("p50_ns", late.at(0.5));
    figures.put("p90_ns", late.at(0.9));
    figures.put("p99_ns", late.at(0.99));
    figures.put("p999_ns", late.at(0.999));
    figures.put("p9999_ns", late.at(0.9999));
    figures.put("max_ns", late.at(1));
    figures.put("max_backlog", maxBacklog());
    figures.put("lateness", histogram(lateness));
    figures.put("over_time", overTime());
    return figures;
  }
}
