package harness;

import java.util.Arrays;

/** Quantiles of spans of time. */
public final class Quantiles {
  private final long[] sorted;

  public Quantiles(long[] spans) {
    if (spans.length == 0) {
      throw new IllegalStateException("nothing was timed");
    }
    sorted = spans.clone();
    Arrays.sort(sorted);
  }

  public long at(double share) {
    return sorted[(int) (share * (sorted.length - 1))];
  }

  /** If the number of values is even: the mean of the two in the middle. */
  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
