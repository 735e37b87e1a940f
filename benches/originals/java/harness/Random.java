package harness;

/** Random numbers that are the same everywhere, and in our benches in C++: SplitMix64. */
public final class Random {
  private long state;

  public Random(long seed) {
    state = seed;
  }

  public long next() {
    state += 0x9E3779B97F4A7C15L;
    long mixed = state;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** Uniform in (0, 1). */
  public double uniform() {
    return ((next() >>> 12) + 0.5) / (1L << 52);
  }

  /** Exponential: the gaps of a Poisson process. */
  public double exponential(double mean) {
    return -mean * StrictMath.log(uniform());
  }

  /** Brings a part of a list into random order (Fisher and Yates). */
  public void shuffle(int[] values, int first, int end) {
    for (int left = end - first; left > 1; --left) {
      int other = first + (int) Long.remainderUnsigned(next(), left);
      int last = first + left - 1;
      int value = values[last];
      values[last] = values[other];
      values[other] = value;
    }
  }
}
