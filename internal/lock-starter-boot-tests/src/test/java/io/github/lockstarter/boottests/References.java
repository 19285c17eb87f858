package io.github.lockstarter.boottests;

import java.util.Set;
import java.util.TreeSet;
import org.springframework.asm.AnnotationVisitor;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.FieldVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.RecordComponentVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Collects what a class uses and the class path lacks: classes, methods, fields, annotations and their attributes. The
 * JVM would find the former when the code runs, and the latter never, for it skips annotations that it cannot find.
 */
final class References extends ClassVisitor {

    private final ClassFiles classPath;

    private final Set<String> missing = new TreeSet<>();

    private String from = "";

    References(ClassFiles classPath) {
        super(SpringAsmInfo.ASM_VERSION);
        this.classPath = classPath;
    }

    /** Each with the class that uses it. */
    Set<String> missing() {
        return this.missing;
    }

    private void type(String type) {
        String element =
                type.startsWith("[") ? Type.getType(type).getElementType().getDescriptor() : type;
        String name =
                element.startsWith("L") && element.endsWith(";") ? element.substring(1, element.length() - 1) : element;
        if (name.length() > 1 && !this.classPath.exists(name)) {
            lacks(name);
        }
    }

    private void member(String owner, String name, String type) {
        if (owner.startsWith("[")) {
            return;
        }
        if (!this.classPath.exists(owner)) {
            lacks(owner);
        } else if (!isPolymorphic(owner) && !this.classPath.declares(owner, name + ' ' + type)) {
            lacks(owner + "." + name + ' ' + type);
        }
    }

    /** What VarHandles and MethodHandles take is up to each call. */
    private static boolean isPolymorphic(String owner) {
        return owner.startsWith("java/lang/invoke/");
    }

    private void lacks(String what) {
        this.missing.add(this.from + " -> " + what);
    }

    private AnnotationVisitor annotation(String descriptor) {
        type(descriptor);
        return new Attributes(Type.getType(descriptor).getInternalName());
    }

    @Override
    public void visit(int version, int access, String name, String generic, String parent, String[] interfaces) {
        this.from = name;
        type(parent);
        for (String type : interfaces) {
            type(type);
        }
    }

    @Override
    public AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
        return visible ? annotation(descriptor) : null;
    }

    @Override
    public RecordComponentVisitor visitRecordComponent(String name, String descriptor, String generic) {
        type(descriptor);
        return null;
    }

    @Override
    public FieldVisitor visitField(int access, String name, String descriptor, String generic, Object value) {
        type(descriptor);
        return null;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String type, String generic, String[] thrown) {
        for (Type argument : Type.getArgumentTypes(type)) {
            type(argument.getDescriptor());
        }
        type(Type.getReturnType(type).getDescriptor());
        return new Code();
    }

    private final class Attributes extends AnnotationVisitor {

        private final String annotation;

        Attributes(String annotation) {
            super(SpringAsmInfo.ASM_VERSION);
            this.annotation = annotation;
        }

        private void attribute(String name) {
            if (classPath.exists(this.annotation) && !classPath.declaresNamed(this.annotation, name)) {
                lacks("@" + this.annotation + "." + name);
            }
        }

        @Override
        public void visit(String name, Object value) {
            attribute(name);
        }

        @Override
        public void visitEnum(String name, String descriptor, String value) {
            attribute(name);
            member(Type.getType(descriptor).getInternalName(), value, descriptor);
        }

        @Override
        public AnnotationVisitor visitArray(String name) {
            attribute(name);
            return null;
        }
    }

    private final class Code extends MethodVisitor {

        Code() {
            super(SpringAsmInfo.ASM_VERSION);
        }

        @Override
        public AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
            return visible ? annotation(descriptor) : null;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            type(type);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String type) {
            member(owner, name, type);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String type, boolean inInterface) {
            member(owner, name, type);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String type, Handle bootstrap, Object... arguments) {
            for (Object argument : arguments) {
                if (argument instanceof Handle handle) {
                    member(handle.getOwner(), handle.getName(), handle.getDesc());
                }
            }
        }

        @Override
        public void visitLdcInsn(Object constant) {
            if (constant instanceof Type type && type.getSort() == Type.OBJECT) {
                type(type.getDescriptor());
            }
        }

        @Override
        public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
            if (type != null) {
                type(type);
            }
        }
    }
}
