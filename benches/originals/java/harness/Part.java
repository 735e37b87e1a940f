package harness;

/** Some of the calls: those from `first` on, before `end`. */
public record Part(int first, int end) {
  public int size() {
    return end - first;
  }

  /** What a sharer has of it, of so many who share it. */
  public Part share(int sharer, int sharers) {
    return new Part(
        first + (int) ((long) size() * sharer / sharers),
        first + (int) ((long) size() * (sharer + 1) / sharers));
  }
}
