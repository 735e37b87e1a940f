package asked;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The words after the verb of a question. */
final class Words {
  private static final Pattern SPAN = Pattern.compile("(-?\\d+)(ns|us|ms|s|d|)");

  private final String[] words;
  private int next;

  Words(String text) {
    words = Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty()).toArray(String[]::new);
  }

  boolean isEmpty() {
    return next == words.length;
  }

  String next() {
    return words[next++];
  }

  /** The words that are left. */
  String rest() {
    return String.join(" ", Arrays.copyOfRange(words, next, words.length));
  }

  /** The number in a word `name=number`, at any position. */
  long option(String name, long otherwise) {
    return Arrays.stream(words)
        .filter(word -> word.startsWith(name + "="))
        .mapToLong(word -> Long.parseLong(word.substring(name.length() + 1)))
        .findFirst()
        .orElse(otherwise);
  }

  /** An amount of a unit: of milliseconds, if the word names no unit. */
  record Span(long amount, TimeUnit unit) {
    long to(TimeUnit other) {
      return other.convert(amount, unit);
    }
  }

  Span span() {
    Matcher span = SPAN.matcher(next());
    if (!span.matches()) {
      throw new AssertionError("no span: " + words[next - 1]);
    }
    TimeUnit unit =
        switch (span.group(2)) {
          case "ns" -> TimeUnit.NANOSECONDS;
          case "us" -> TimeUnit.MICROSECONDS;
          case "s" -> TimeUnit.SECONDS;
          case "d" -> TimeUnit.DAYS;
          default -> TimeUnit.MILLISECONDS;
        };
    return new Span(Long.parseLong(span.group(1)), unit);
  }

  long milliseconds() {
    return span().to(TimeUnit.MILLISECONDS);
  }

  long nanoseconds() {
    return span().to(TimeUnit.NANOSECONDS);
  }
}
