package virtual;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Loads the originals without changes, except for the calls that read the clock and that wait:
 * these are virtual here. They are all in the constant pool of a class, so the code stays the same.
 *
 * Classes of the JDK are loaded again under other names, such as `virtual.java.util.Timer`, since
 * the JDK itself needs the real clock. The classes that ask them are loaded here, too. They are
 * written and compiled against the JDK, and get the renamed classes at run time.
 */
public final class RewritingLoader extends ClassLoader {
  private static final String PREFIX = "virtual.";
  private static final Pattern RENAMED =
      Pattern.compile(
          "(?<![/$])java/util/("
              + "(?:Timer|TimerTask|TimerThread|TaskQueue|concurrent/(?:DelayQueue"
              + "|ScheduledThreadPoolExecutor|ThreadPoolExecutor|RejectedExecutionHandler))"
              + "(?:\\$\\w+)*)(?![\\w/$])");
  private static final String LOCK = "java/util/concurrent/locks/ReentrantLock";

  /** The methods that replace others. Each has the same parameters and the same result. */
  private static final Map<String, String> CALLS =
      Map.of(
          "java/lang/System.nanoTime", "virtual/VirtualTime.nanoTime",
          "java/lang/System.currentTimeMillis", "virtual/VirtualTime.currentTimeMillis",
          "java/lang/Thread.sleep", "virtual/VirtualTime.sleep");

  /** The same for java.util.Timer, whose threads wait on the monitor of its TaskQueue. */
  private static final Map<String, String> CALLS_OF_TIMER =
      Map.of(
          "java/lang/System.currentTimeMillis", "virtual/VirtualTime.currentTimeMillis",
          "java/lang/Object.wait", "virtual/VirtualMonitor.pause",
          "java/lang/Object.notify", "virtual/VirtualMonitor.wake");

  private static final Map<String, String> CALLS_OF_NETTY =
      Map.of(
          "java/lang/System.nanoTime", "virtual/VirtualTime.nanoTimeBeyondZero",
          "java/lang/Thread.sleep", "virtual/VirtualTime.sleep");

  public RewritingLoader() {
    super(RewritingLoader.class.getClassLoader());
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      boolean isOurs = name.startsWith("asked.") || name.startsWith(PREFIX + "java.");
      if (!isOurs && !name.startsWith("io.netty.") && !name.startsWith("org.apache.kafka.")) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    String original = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
    try (InputStream in = getResourceAsStream(original.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = new Constants(in.readAllBytes(), original).rewritten();
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException error) {
      throw new ClassNotFoundException(name, error);
    }
  }

  private static Map<String, String> callsOf(String original) {
    if (original.startsWith("io.netty.")) {
      return CALLS_OF_NETTY;
    }
    return original.startsWith("java.util.Timer") ? CALLS_OF_TIMER : CALLS;
  }

  /** A class file whose constants are rewritten. */
  private static final class Constants {
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;

    private final String original;
    private final int version;
    private final byte[] rest;
    private final List<Integer> tags = new ArrayList<>(List.of(0));
    /** A String, or one or two numbers, or bytes. */
    private final List<Object> values = new ArrayList<>(List.of(0));

    Constants(byte[] file, String original) throws IOException {
      this.original = original;
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(file));
      in.readInt();  // 0xCAFEBABE
      version = in.readInt();
      int size = in.readUnsignedShort();
      while (tags.size() < size) {
        int tag = in.readUnsignedByte();
        Object value =
            switch (tag) {
              case UTF8 -> in.readUTF();
              case CLASS, METHOD, NAME_AND_TYPE ->
                  tag == CLASS
                      ? new int[] {in.readUnsignedShort()}
                      : new int[] {in.readUnsignedShort(), in.readUnsignedShort()};
              case 8, 16, 19, 20 -> in.readNBytes(2);
              case 15 -> in.readNBytes(3);
              case LONG, DOUBLE -> in.readNBytes(8);
              default -> in.readNBytes(4);
            };
        add(tag, value);
        if (tag == LONG || tag == DOUBLE) {
          add(0, 0);  // It takes two slots.
        }
      }
      rest = in.readAllBytes();
    }

    private int add(int tag, Object value) {
      tags.add(tag);
      values.add(value);
      return tags.size() - 1;
    }

    byte[] rewritten() throws IOException {
      boolean isOfJdk = original.startsWith("java.");
      int size = tags.size();
      for (int i = 0; i < size; ++i) {
        if (tags.get(i) == METHOD) {
          redirect((int[]) values.get(i));
        }
      }
      int monitor = original.equals("java.util.TaskQueue") ? classOf("virtual/VirtualMonitor") : 0;
      for (int i = 0; i < size; ++i) {
        if (tags.get(i) == CLASS && monitor != 0 && nameOf(i).equals("java/lang/Object")) {
          values.set(i, values.get(monitor));
        } else if (tags.get(i) == UTF8) {
          String renamed = RENAMED.matcher((String) values.get(i)).replaceAll("virtual/java/util/$1");
          values.set(i, isOfJdk ? renamed.replace(LOCK, "virtual/VirtualLock") : renamed);
        }
      }
      return written();
    }

    /** Redirects a call to a virtual method, if there is one. */
    private void redirect(int[] method) {
      int[] nameAndType = (int[]) values.get(method[1]);
      String call = callsOf(original).get(nameOf(method[0]) + "." + values.get(nameAndType[0]));
      if (call != null) {
        int dot = call.indexOf('.');
        method[0] = classOf(call.substring(0, dot));
        int name = add(UTF8, call.substring(dot + 1));
        method[1] = add(NAME_AND_TYPE, new int[] {name, nameAndType[1]});
      }
    }

    private String nameOf(int classAt) {
      return (String) values.get(((int[]) values.get(classAt))[0]);
    }

    private int classOf(String name) {
      return add(CLASS, new int[] {add(UTF8, name)});
    }

    private byte[] written() throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(0xCAFEBABE);
      out.writeInt(version);
      out.writeShort(tags.size());
      for (int i = 1; i < tags.size(); ++i) {
        if (tags.get(i) == 0) {
          continue;
        }
        out.writeByte(tags.get(i));
        Object value = values.get(i);
        if (value instanceof String text) {
          out.writeUTF(text);
        } else if (value instanceof byte[] raw) {
          out.write(raw);
        } else {
          for (int number : (int[]) value) {
            out.writeShort(number);
          }
        }
      }
      out.write(rest);
      return bytes.toByteArray();
    }
  }
}
