package timerbench.recorder;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Plain lines that record one kind of timers of this process, for scripts/record.py. Before the
 * first line the file is written as a whole and mapped into memory: so a process that is killed
 * loses nothing.
 */
final class PlainLines {
  /** Environment variables: the folder of the files, and how many lines each file has. */
  static final String FOLDER = "TIMERBENCH_RECORD_FOLDER";

  static final String MOST = "TIMERBENCH_RECORD_MOST";

  /** In bytes: time 19, verb 6, timer 16, deadline 19, the separators, and the end. */
  private static final int LINE = 64;

  private static final String FULL = "# the file is full: what came later is not recorded (--most)";
  private static final AtomicLong SERIALS = new AtomicLong();

  /** The timers that wait. They are compared by identity. */
  private final ConcurrentHashMap<Object, Long> waiting = new ConcurrentHashMap<>();

  private final String kind;
  private MappedByteBuffer memory;
  private boolean cannotBeWritten;

  PlainLines(String kind) {
    this.kind = kind;
  }

  boolean waits(Object timer) {
    return waiting.containsKey(timer);
  }

  /** A timer that already waits is not changed. */
  void set(Object timer, long delay) {
    Long serial = SERIALS.getAndIncrement();
    if (waiting.putIfAbsent(timer, serial) == null) {
      long now = System.nanoTime();
      write(now, "set", serial, Long.toString(now + Math.min(delay, Long.MAX_VALUE - now)));
    }
  }

  void cancel(Object timer) {
    end(timer, "cancel");
  }

  void expire(Object timer) {
    end(timer, "expire");
  }

  private void end(Object timer, String verb) {
    Long serial = waiting.remove(timer);
    if (serial != null) {
      write(System.nanoTime(), verb, serial, "");
    }
  }

  private void write(long now, String verb, long serial, String deadline) {
    byte[] line = new byte[LINE];
    Arrays.fill(line, (byte) ' ');
    put(line, 19, Long.toString(now));
    put(line, 20 + verb.length(), verb);
    put(line, 43, Long.toString(serial));
    put(line, 63, deadline);
    line[LINE - 1] = '\n';
    append(line);
  }

  /** Writes a text that ends before this place. */
  private static void put(byte[] line, int end, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, line, end - bytes.length, bytes.length);
  }

  private synchronized void append(byte[] line) {
    if (memory == null && !cannotBeWritten) {
      reserve();
    }
    if (cannotBeWritten || memory.remaining() < LINE) {
      return;
    }
    if (memory.remaining() == LINE) {
      Arrays.fill(line, 0, LINE - 1, (byte) ' ');
      put(line, FULL.length(), FULL);
    }
    memory.put(line);
  }

  /** Makes a file for this process, which may have run another program before. */
  private Path make(long process) throws IOException {
    for (int program = 1; ; ++program) {
      String name = process + "-" + kind + (program == 1 ? "" : "-" + program) + ".lines";
      try {
        return Files.createFile(Path.of(System.getenv(FOLDER), name));
      } catch (FileAlreadyExistsException taken) {
        // The next name is free, or the one after it.
      }
    }
  }

  private void reserve() {
    long process = ProcessHandle.current().pid();
    try (RandomAccessFile file = new RandomAccessFile(make(process).toFile(), "rw")) {
      long size = Long.parseLong(System.getenv(MOST)) * LINE;
      byte[] zeros = new byte[1 << 20];
      for (long left = size; left > 0; left -= zeros.length) {
        file.write(zeros, 0, (int) Math.min(left, zeros.length));
      }
      memory = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, size);
    } catch (IOException | IllegalArgumentException error) {
      cannotBeWritten = true;
      System.err.println("record.py: process " + process + " is not recorded: " + error);
    }
  }
}
