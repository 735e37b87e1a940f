package harness;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The work of the garbage collector from now on. */
public final class Collections {
  private static final List<GarbageCollectorMXBean> COLLECTORS =
      ManagementFactory.getGarbageCollectorMXBeans();

  private final long countBefore = count();
  private final long millisecondsBefore = milliseconds();

  /** How often it collected, and how long that took; the program may have run meanwhile. */
  public Map<String, Object> since() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("collections", count() - countBefore);
    figures.put("collection_ms", milliseconds() - millisecondsBefore);
    return figures;
  }

  private static long count() {
    return COLLECTORS.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
  }

  private static long milliseconds() {
    return COLLECTORS.stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
  }
}
