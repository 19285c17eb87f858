package io.github.lockstarter.architecture;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.RecordComponentVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The methods and constructors of this library that one uncontended {@link LockRegistry#execute}, and one call of an
 * annotated method, calls on Redis, from its entrance to its return: each is one to step through. Accessors of records
 * are not counted, nor what the JDK, Spring and Lettuce call in themselves. Nested classes count to their top-level
 * class.
 *
 * <p>A class loader of its own loads the library and adds a call of {@link #called} to the beginning of each method.
 */
@RedisTest
public class CallTraceTest {

    private static final String OURS = "io.github.lockstarter.";

    @SuppressWarnings("ThreadLocalUsage") // set while one call is traced
    private static final ThreadLocal<List<String>> CALLS = new ThreadLocal<>();

    /** Adds the calls of this thread to that list from now on; null: does not. */
    public static void trace(List<String> calls) {
        CALLS.set(calls);
    }

    /** Called by the instrumented methods. */
    public static void called(String method) {
        List<String> calls = CALLS.get();
        if (calls != null) {
            calls.add(method);
        }
    }

    /** The limits are what is measured; the aims are 110 calls in 18 classes, and 200 in 35. */
    @ParameterizedTest
    @CsvSource({
        // scenario, entrance, calls, classes
        "execute,   registry.LeasingLockRegistry#execute,     238, 40",
        "annotated, aop.DistributedLockInterceptor#invoke,  266, 51"
    })
    void shouldMakeFewCallsInFewClasses(
            String scenario, String entrance, int mostCalls, int mostClasses, RedisServer server)
            throws ReflectiveOperationException {
        List<String> calls = trace(scenario, server);

        assertThat(calls)
                .as("calls, in their order:%n%s", String.join("\n", calls))
                .contains(OURS + entrance, OURS + "store.redis.RedisLockStore#call")
                .hasSizeLessThanOrEqualTo(mostCalls);
        assertThat(classesOf(calls)).hasSizeLessThanOrEqualTo(mostClasses);
    }

    private static List<String> trace(String scenario, RedisServer server) throws ReflectiveOperationException {
        List<String> calls = new ArrayList<>();
        Class.forName(Scenarios.class.getName(), true, new InstrumentingLoader())
                .getMethod(scenario, RedisServer.class, List.class)
                .invoke(null, server, calls);
        long packages = classesOf(calls).stream()
                .map(type -> type.substring(0, type.lastIndexOf('.')))
                .distinct()
                .count();
        System.out.printf(
                "Uncontended on Redis, %s: %d calls in %d classes of %d packages%n",
                scenario, calls.size(), classesOf(calls).size(), packages);
        return calls;
    }

    private static Set<String> classesOf(List<String> calls) {
        Set<String> classes = new TreeSet<>();
        calls.forEach(call -> classes.add(call.replaceFirst("[$#].*", "")));
        return classes;
    }

    /** Loaded by the instrumenting loader, as everything that they use of this library. */
    public static final class Scenarios {

        private Scenarios() {}

        public static void execute(RedisServer server, List<String> calls) {
            LockRequest request = LockRequest.of("order", "42");
            run(server, calls, registry -> () -> registry.execute(request, lease -> null));
        }

        public static void annotated(RedisServer server, List<String> calls) {
            try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
                run(server, calls, registry -> {
                    context.registerBean(
                            DistributedLockBeanPostProcessor.class,
                            () -> new DistributedLockBeanPostProcessor(
                                    () -> registry, LockSettings.of(Duration.ofSeconds(30))));
                    context.registerBean(Orders.class);
                    context.setClassLoader(Scenarios.class.getClassLoader());
                    context.refresh();
                    Orders orders = context.getBean(Orders.class);
                    return () -> orders.settle("42");
                });
            }
        }

        private static void run(
                RedisServer server, List<String> calls, Function<LeasingLockRegistry, Runnable> scenario) {
            LettuceConnectionFactory connections = Servers.of(server);
            connections.afterPropertiesSet();
            LockSettings settings = LockSettings.of(Duration.ofSeconds(30));
            RedisStoreSettings store =
                    new RedisStoreSettings("lock", settings.commandTimeout(), true, Duration.ofSeconds(1));
            LeasingLockRegistry registry =
                    new LeasingLockRegistry(new RedisLockStore(connections, store), settings, null, List.of());
            try {
                registry.start();
                Runnable call = scenario.apply(registry);
                afterFailover().ignoreExceptions().until(() -> {
                    call.run();
                    return true;
                });
                // Classes and scripts are loaded, and caches are filled.
                for (int i = 0; i < 20; i++) {
                    call.run();
                }
                CallTraceTest.trace(calls);
                call.run();
                CallTraceTest.trace(null);
            } finally {
                registry.stop();
                connections.destroy();
            }
        }
    }

    /** Loaded by the instrumenting loader, and not instrumented. */
    public static class Orders {

        @DistributedLock(name = "order", key = "#id")
        public void settle(String id) {}
    }

    /** Loads the classes of this library again, and instruments those that are published. */
    private static final class InstrumentingLoader extends ClassLoader {

        private final String published = LockRegistry.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString();

        InstrumentingLoader() {
            super(CallTraceTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean isOwn = name.startsWith(OURS) && !name.startsWith(OURS + "testsupport.");
            if (!isOwn || name.equals(CallTraceTest.class.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            URL file = getResource(name.replace('.', '/') + ".class");
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            try (InputStream stream = file.openStream()) {
                ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
                boolean isPublished = file.toString().contains(this.published);
                new ClassReader(stream).accept(isPublished ? new Instrumentation(writer, name) : writer, 0);
                return defineClass(name, writer.toByteArray(), 0, writer.toByteArray().length);
            } catch (IOException ex) {
                throw new ClassNotFoundException(name, ex);
            }
        }
    }

    private static final class Instrumentation extends ClassVisitor {

        private static final String RECORDER = CallTraceTest.class.getName().replace('.', '/');

        private final String type;

        private final Set<String> components = new HashSet<>();

        Instrumentation(ClassVisitor next, String type) {
            super(SpringAsmInfo.ASM_VERSION, next);
            this.type = type;
        }

        @Override
        public RecordComponentVisitor visitRecordComponent(String name, String descriptor, String signature) {
            this.components.add(name);
            return super.visitRecordComponent(name, descriptor, signature);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
            boolean isAccessor = descriptor.startsWith("()") && this.components.contains(name);
            // Only descends and returns, to see whether the stack has room.
            boolean isProbe = this.type.endsWith("StackRoom") && name.equals("descend");
            if (isAccessor || isProbe || (access & Opcodes.ACC_BRIDGE) != 0) {
                return method;
            }
            return new MethodVisitor(SpringAsmInfo.ASM_VERSION, method) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    super.visitLdcInsn(Instrumentation.this.type + "#" + name);
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, RECORDER, "called", "(Ljava/lang/String;)V", false);
                }
            };
        }
    }
}
