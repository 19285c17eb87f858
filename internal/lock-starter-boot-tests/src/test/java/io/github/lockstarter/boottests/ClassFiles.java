package io.github.lockstarter.boottests;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.FieldVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;

/** What the classes on the class path declare, read without loading them, for some need classes that are not there. */
final class ClassFiles {

    private final Map<String, Optional<ClassFile>> files = new ConcurrentHashMap<>();

    boolean exists(String type) {
        return file(type).isPresent();
    }

    /** Whether the type or one of its supertypes declares the member, a name, a space and a descriptor. */
    boolean declares(String type, String member) {
        return file(type)
                .map(file ->
                        file.members.contains(member) || file.parents.stream().anyMatch(up -> declares(up, member)))
                .orElse(false);
    }

    /** Whether the type declares a method of that name. */
    boolean declaresNamed(String type, String name) {
        return file(type)
                .map(file -> file.members.stream().anyMatch(member -> member.startsWith(name + " (")))
                .orElse(false);
    }

    private Optional<ClassFile> file(String type) {
        Optional<ClassFile> known = this.files.get(type);
        if (known == null) {
            known = read(type);
            this.files.put(type, known);
        }
        return known;
    }

    private static Optional<ClassFile> read(String type) {
        try (InputStream in = ClassFiles.class.getClassLoader().getResourceAsStream(type + ".class")) {
            if (in == null) {
                return Optional.empty();
            }
            ClassFile file = new ClassFile();
            new ClassReader(in).accept(file, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
            return Optional.of(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static final class ClassFile extends ClassVisitor {

        private final Set<String> members = new HashSet<>();

        private final List<String> parents = new ArrayList<>();

        private boolean ours;

        ClassFile() {
            super(SpringAsmInfo.ASM_VERSION);
        }

        /** What is private in a class of another library, or for its package, counts as absent. */
        private void add(int access, String member) {
            if (this.ours || (access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) != 0) {
                this.members.add(member);
            }
        }

        @Override
        public void visit(int version, int access, String name, String generic, String parent, String[] interfaces) {
            this.ours = name.startsWith("io/github/lockstarter/");
            if (parent != null) {
                this.parents.add(parent);
            }
            this.parents.addAll(List.of(interfaces));
        }

        @Override
        public FieldVisitor visitField(int access, String name, String type, String generic, Object value) {
            add(access, name + ' ' + type);
            return null;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String type, String generic, String[] thrown) {
            add(access, name + ' ' + type);
            return null;
        }
    }
}
