package timerbench.recorder;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Weaves calls of {@link Watched} into two classes of Netty 4 when they are loaded: the class of
 * HashedWheelTimer's timeouts, and that of the tasks of event loops.
 */
public final class Agent implements ClassFileTransformer {
  private static final String WATCHED = "timerbench/recorder/Watched";

  private Agent() {}

  public static void premain(String options, Instrumentation instrumentation) {
    if (System.getenv(PlainLines.FOLDER) != null && System.getenv(PlainLines.MOST) != null) {
      instrumentation.addTransformer(new Agent());
    }
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] code) {
    if (name == null) {
      return null;
    }
    try {
      return switch (name) {
        case "io/netty/util/HashedWheelTimer$HashedWheelTimeout" -> woven(code, Timeout::new);
        case "io/netty/util/concurrent/ScheduledFutureTask" -> woven(code, Task::new);
        default -> null;
      };
    } catch (RuntimeException error) { // the JVM would not print it
      System.err.println("record.py: " + name + " cannot be watched: " + error);
      return null;
    }
  }

  private interface Weaver {
    ClassVisitor into(ClassVisitor next);
  }

  private static byte[] woven(byte[] code, Weaver weaver) {
    ClassReader reader = new ClassReader(code);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(weaver.into(writer), 0);
    return writer.toByteArray();
  }

  /** Renames some methods, and puts a woven method in the place of each. */
  private abstract static class Weaving extends ClassVisitor {
    private String type;

    Weaving(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visit(
        int version, int access, String name, String signature, String parent, String[] types) {
      type = name;
      super.visit(version, access, name, signature, parent, types);
    }

    /** At the end of a constructor, calls a method of Watched that takes the object. */
    MethodVisitor madeBy(MethodVisitor constructor, String watched) {
      return new MethodVisitor(Opcodes.ASM9, constructor) {
        @Override
        public void visitInsn(int instruction) {
          if (instruction == Opcodes.RETURN) {
            tell(this, watched, "(Ljava/lang/Object;)V");
          }
          super.visitInsn(instruction);
        }
      };
    }

    /** The new method for the old body. */
    MethodVisitor renamed(int access, String name, String signature) {
      return super.visitMethod(access, name + "$unwatched", signature, null, null);
    }

    /** The beginning of the new body, which calls the old body. */
    void callOld(MethodVisitor body, String name, String signature, int... arguments) {
      body.visitVarInsn(Opcodes.ALOAD, 0);
      for (int i = 0; i < arguments.length; ++i) {
        body.visitVarInsn(arguments[i], i + 1);
      }
      body.visitMethodInsn(Opcodes.INVOKEVIRTUAL, type, name + "$unwatched", signature, false);
    }

    void tell(MethodVisitor body, String watched, String signature) {
      body.visitVarInsn(Opcodes.ALOAD, 0);
      body.visitMethodInsn(Opcodes.INVOKESTATIC, WATCHED, watched, signature, false);
    }

    void end(MethodVisitor body, int instruction) {
      body.visitInsn(instruction);
      body.visitMaxs(0, 0);
      body.visitEnd();
    }
  }

  private static final class Timeout extends Weaving {
    Timeout(ClassVisitor next) {
      super(next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String signature, String generic, String[] thrown) {
      MethodVisitor method = super.visitMethod(access, name, signature, generic, thrown);
      if (name.equals("<init>")) {
        return madeBy(method, "timeoutIsMade");
      }
      if (!name.equals("compareAndSetState")) {
        return method;
      }
      callOld(method, name, signature, Opcodes.ILOAD, Opcodes.ILOAD);
      method.visitInsn(Opcodes.DUP);
      method.visitVarInsn(Opcodes.ILOAD, 2);
      tell(method, "timeoutChanges", "(ZILjava/lang/Object;)V");
      end(method, Opcodes.IRETURN);
      return renamed(access, name, signature);
    }
  }

  private static final class Task extends Weaving {
    Task(ClassVisitor next) {
      super(next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String signature, String generic, String[] thrown) {
      MethodVisitor method = super.visitMethod(access, name, signature, generic, thrown);
      switch (name) {
        case "<init>":
          return madeBy(method, "taskIsMade");
        case "run":
          tell(method, "taskBegins", "(Ljava/lang/Object;)V");
          callOld(method, name, signature);
          tell(method, "taskEnds", "(Ljava/lang/Object;)V");
          end(method, Opcodes.RETURN);
          return renamed(access, name, signature);
        case "cancel", "cancelWithoutRemove":
          callOld(method, name, signature, Opcodes.ILOAD);
          method.visitInsn(Opcodes.DUP);
          tell(method, "taskIsCancelled", "(ZLjava/lang/Object;)V");
          end(method, Opcodes.IRETURN);
          return renamed(access, name, signature);
        default:
          return method;
      }
    }
  }
}
