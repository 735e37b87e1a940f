package harness;

/** A part of the calls: from `first` on, and before `end`. */
public record Part(int first, int end) {
  public int size() {
    return end - first;
  }

  /** The part of number `sharer`, if `sharers` threads share this part. */
  public Part share(int sharer, int sharers) {
    return new Part(
        first + (int) ((long) size() * sharer / sharers),
        first + (int) ((long) size() * (sharer + 1) / sharers));
  }
}
