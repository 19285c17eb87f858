package io.github.lockstarter.leader;

import static io.github.lockstarter.leader.Instance.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.leader.Instance.Recorder;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods of the leader, with locks in memory. */
@Timeout(120)
class LeaderOnlyTest {

    private static final String NO_START = "--distributed-lock.leader.roles.feed.auto-start=false";

    @Test
    void shouldRunOnTheLeaderOnlyWithTheLeaseOfTheRole() {
        try (Instance instance = inMemory(NO_START, Jobs.class)) {
            Jobs jobs = instance.bean(Jobs.class);
            assertThat(jobs.text()).isNull();
            assertThat(jobs.optional()).isEmpty();
            assertThat(jobs.future(CompletableFuture.completedFuture("run")).join())
                    .isNull();
            assertThat(jobs.mono().blockOptional()).isEmpty();
            assertThat(jobs.flux().collectList().block()).isEmpty();
            assertThat(skipped(instance)).isEqualTo(5);

            instance.election().start(Instance.ROLE);
            instance.leading();

            // Methods run before the grant is published.
            eventually().until(() -> !instance.events().isEmpty());
            long epoch = instance.events().get(0).epoch();
            assertThat(jobs.text()).isEqualTo("epoch " + epoch);
            assertThat(jobs.optional()).contains("epoch " + epoch);
            assertThat(jobs.future(CompletableFuture.completedFuture("run")).join())
                    .isEqualTo("run");
            assertThat(jobs.mono().block()).isEqualTo("epoch " + epoch);
            assertThat(jobs.flux().collectList().block()).containsExactly("a", "b");
            assertThat(skipped(instance)).isEqualTo(5);
        }
    }

    @Test
    void shouldReleaseWhenTheLastCallHasEnded() {
        try (Instance instance = inMemory("", Jobs.class).leading()) {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> call = instance.bean(Jobs.class).future(work);

            instance.election().stop(Instance.ROLE);

            eventually().until(() -> instance.eventNames().equals(List.of("Granted", "Revoked")));
            assertThat(instance.election().leader(Instance.ROLE)).isPresent();
            work.complete("done");
            assertThat(call.join()).isEqualTo("done");
            eventually().until(() -> instance.election().leader(Instance.ROLE).isEmpty());
        }
    }

    @Test
    void shouldNotifyACallOfTheLoss() throws Exception {
        try (Instance instance = inMemory("--distributed-lock.leader.roles.feed.watchdog-timeout=300ms", Jobs.class)
                .leading()) {
            Jobs jobs = instance.bean(Jobs.class);
            CompletableFuture<Void> call = CompletableFuture.runAsync(jobs::untilInterrupted);
            assertThat(jobs.entered().await(30, TimeUnit.SECONDS)).isTrue();

            instance.bean(LockRegistry.class).getLock("leader.feed").forceUnlock();

            assertThatThrownBy(call::join).hasCauseInstanceOf(LockLostException.class);
            eventually().until(() -> instance.eventNames().contains("Revoked"));
            instance.leading();
        }
    }

    @Test
    void shouldNotCommitAfterTheLossOfTheRole() throws Exception {
        try (Instance instance = inMemory("", Transactions.class, Sales.class).leading()) {
            Sales sales = instance.bean(Sales.class);
            AtomicInteger commits = instance.bean(Transactions.class).commits;
            sales.sell(() -> {});
            assertThat(commits).as("with the role").hasValue(1);

            assertThatThrownBy(() -> sales.sell(() -> {
                        instance.bean(LockRegistry.class).getLock("leader.feed").forceUnlock();
                        assertThat(LeaseContext.required().lost().toCompletableFuture())
                                .succeedsWithin(30, TimeUnit.SECONDS);
                    }))
                    .isInstanceOf(LockLostException.class);

            assertThat(commits).as("without the role").hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotifyACallThatGoesOnAfterTheRevocation(boolean isAbandoned) throws Exception {
        List<String> options = List.of(
                "--distributed-lock.leader.roles.feed.watchdog-timeout=300ms",
                "--distributed-lock.leader.roles.feed.stop-timeout=" + (isAbandoned ? "100ms" : "10m"));
        try (Instance instance = Instance.inMemory(options, Jobs.class).leading()) {
            Jobs jobs = instance.bean(Jobs.class);
            CompletableFuture<Void> call = CompletableFuture.runAsync(jobs::untilInterrupted);
            assertThat(jobs.entered().await(30, TimeUnit.SECONDS)).isTrue();

            instance.election().stop(Instance.ROLE);

            eventually().until(() -> instance.eventNames().contains("Revoked"));
            if (!isAbandoned) {
                instance.bean(LockRegistry.class).getLock("leader.feed").forceUnlock();
            }
            assertThatThrownBy(() -> call.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(LockLostException.class);
        }
    }

    @Test
    void shouldReleaseWhenABeanReportsItsEndAlthoughItNeverReportedThatItRuns() throws Exception {
        try (Instance instance = inMemory("", Late.class).leading()) {
            Late late = instance.bean(Late.class);
            assertThat(late.started().await(30, TimeUnit.SECONDS)).isTrue();

            instance.election().stop(Instance.ROLE);

            Runnable callback = late.callback().get(30, TimeUnit.SECONDS);
            assertThat(instance.election().leader(Instance.ROLE)).isPresent();
            callback.run();
            eventually().until(() -> instance.election().leader(Instance.ROLE).isEmpty());
        }
    }

    @Test
    void shouldCloseFromAListenerWithoutWaitingForIt() throws Exception {
        List<String> options = List.of(
                NO_START,
                "--distributed-lock.leader.roles.feed.stop-timeout=10m",
                "--distributed-lock.shutdown-timeout=500ms");
        try (Instance instance = Instance.inMemory(options, Closer.class)) {
            Closer closer = instance.bean(Closer.class);
            RoleRunner runner = instance.bean(LeaderElections.class).runnerOf(Instance.ROLE);

            instance.election().start(Instance.ROLE);

            assertThat(closer.closed.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(instance.context().isActive()).isFalse();
            assertThat(runner.start()).isFalse();
        }
    }

    @Test
    void shouldRestrictMethodsIfTheApplicationReplacesTheElection() {
        try (Instance instance = inMemory(NO_START, Jobs.class, OwnElection.class)) {
            assertThat(instance.bean(Jobs.class).text()).isNull();

            assertThat(instance.bean(LeaderElections.class)
                            .runnerOf(Instance.ROLE)
                            .start())
                    .isTrue();

            eventually().until(() -> instance.bean(Jobs.class).text() != null);
        }
    }

    @Test
    void shouldFailTheStartIfTheRegistryIsAmbiguous() {
        assertThatThrownBy(() -> inMemory("", Jobs.class, TwoRegistries.class).close())
                .rootCause()
                .isInstanceOf(InvalidLockDefinitionException.class)
                .hasMessageContainingAll("'feed'", "firstRegistry", "@Primary");
    }

    @Test
    void shouldRejectRolesThatAnEnvironmentVariableCannotTellApart() {
        List<String> options = List.of(
                "--distributed-lock.leader.roles.a-b.retry-delay=1s",
                "--distributed-lock.leader.roles.ab.retry-delay=1s");
        assertThatThrownBy(() -> Instance.inMemory(options).close()).hasStackTraceContaining("but is 'ab'");
    }

    @Test
    void shouldStartBeansWithTheRoleInsteadOfTheContext() {
        try (Instance instance = inMemory(NO_START, Worker.class)) {
            Worker worker = instance.bean(Worker.class);
            worker.start();
            assertThat(worker.isRunning()).isFalse();
            assertThat(worker.isAutoStartup()).isFalse();

            instance.election().start(Instance.ROLE);

            eventually().until(worker::isRunning);
            worker.stop();
            assertThat(worker.isRunning()).isTrue();
            instance.election().stop(Instance.ROLE);
            eventually().until(() -> !worker.isRunning());
        }
    }

    @Test
    void shouldCheckTheRoleBeforeTheLock() throws Exception {
        try (Instance instance = inMemory(NO_START, Locked.class)) {
            try (Lease other = instance.bean(LockRegistry.class).acquire(LockRequest.of("export"))) {
                assertThat(other.isHeld()).isTrue();
                assertThat(instance.bean(Locked.class).export()).isNull();
            }
            instance.election().start(Instance.ROLE);
            instance.leading();
            assertThat(instance.bean(Locked.class).export()).isEqualTo("export");
        }
    }

    @Test
    void shouldInterruptAStartWhenTheRoleIsLost() {
        try (Instance instance = inMemory("--distributed-lock.leader.roles.feed.watchdog-timeout=300ms", Slow.class)) {
            eventually().until(() -> instance.eventNames().equals(List.of("Granted")));
            eventually().until(() -> instance.bean(Slow.class).isStarting());

            instance.bean(LockRegistry.class).getLock("leader.feed").forceUnlock();

            eventually().until(() -> instance.eventNames().equals(List.of("Granted", "Revoked", "Granted")));
            instance.bean(Slow.class).gate().countDown();
            eventually().until(() -> instance.bean(Slow.class).isRunning());
        }
    }

    @Test
    void shouldStopABeanWhoseStartEndsWhileTheContextCloses() throws Exception {
        Instance instance = inMemory("", Slow.class);
        Slow slow = instance.bean(Slow.class);
        Recorder recorder = instance.bean(Recorder.class);
        eventually().until(slow::isStarting);

        Thread closing = new Thread(instance::close);
        closing.start();
        eventually().until(() -> !instance.isLeader());
        assertThat(closing.isAlive()).isTrue();
        slow.gate().countDown();
        closing.join();

        assertThat(slow.isRunning()).isFalse();
        assertThat(recorder.events)
                .satisfiesExactly(
                        event -> assertThat(event).isInstanceOf(LeadershipGrantedEvent.class),
                        event -> assertThat(event)
                                .extracting("reason")
                                .isEqualTo(LeadershipRevokedEvent.Reason.STOPPED));
    }

    @Test
    void shouldNameUnknownRoles() {
        try (Instance instance = inMemory("")) {
            assertThatThrownBy(() -> instance.election().isLeader("fed"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("'fed'", "[feed]");
            assertThatThrownBy(() -> instance.election().cede("fed")).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Primitive.class,
                Final.class,
                Plain.class,
                Private.class,
                Empty.class,
                TwoClasses.class,
                SameLock.class,
                Running.class,
                FinalState.class,
                InterruptedFuture.class,
                InitMethod.class
            })
    void shouldFailTheStartWithARemedy(Class<?> invalid) {
        assertThatThrownBy(() -> inMemory("", invalid).close())
                .hasRootCauseInstanceOf(InvalidLockDefinitionException.class)
                .rootCause()
                .message()
                .contains(invalid == TwoClasses.class || invalid == SameLock.class ? "'feed'" : "LeaderOnlyTest$");
    }

    /** Reflection fails for its methods, but the class file has the annotation. */
    @ParameterizedTest
    @ValueSource(classes = {Uninspectable.class, UninspectableWithoutAnnotation.class})
    void shouldRejectAnnotatedMethodsOfAClassThatCannotBeInspected(Class<?> type) throws Exception {
        Object product = new Without(Missing.class, type).load();
        Factory.product = product;
        if (type == UninspectableWithoutAnnotation.class) {
            try (Instance instance = inMemory(NO_START, Factory.class)) {
                assertThat(instance.context().getBean("product")).isSameAs(product);
            }
        } else {
            assertThatThrownBy(() -> {
                        try (Instance instance = inMemory(NO_START, Factory.class)) {
                            instance.context().getBean("product");
                        }
                    })
                    .hasStackTraceContaining("move annotated methods to a class without it");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {GeneratedClass.class, InterfaceOfTheProxy.class})
    void shouldRestrictMethodsOfInterfaces(Class<?> application) {
        try (Instance instance = inMemory(NO_START, application)) {
            assertThat(instance.bean(Poller.class).poll()).isNull();

            instance.election().start(Instance.ROLE);
            instance.leading();

            assertThat(instance.bean(Poller.class).poll()).isEqualTo("polled");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"retry-delay=-1s", "retry-delay=0", "stop-timeout=0", "watchdog-timeout=1ms"})
    void shouldRejectTimesOutOfRange(String setting) {
        String property = "distributed-lock.leader.roles.feed." + setting;
        assertThatThrownBy(() -> inMemory("--" + property).close())
                .hasStackTraceContaining(property.substring(0, property.indexOf('=')) + " must be at least");
    }

    private static int skipped(Instance instance) {
        return (int)
                instance.bean(LeaderElections.class).runnerOf(Instance.ROLE).skipped();
    }

    private static Instance inMemory(String option, Class<?>... sources) {
        return Instance.inMemory(option.isEmpty() ? List.of() : List.of(option), sources);
    }

    /** Counts commits. */
    @SuppressWarnings("serial")
    static class Transactions extends AbstractPlatformTransactionManager {

        private final AtomicInteger commits = new AtomicInteger();

        @Override
        protected Object doGetTransaction() {
            return this.commits;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            this.commits.incrementAndGet();
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    static class Sales {

        private final TransactionTemplate template;

        Sales(Transactions transactions) {
            this.template = new TransactionTemplate(transactions);
        }

        @LeaderOnly("feed")
        void sell(Runnable sale) {
            this.template.executeWithoutResult(status -> sale.run());
        }
    }

    static class Jobs {

        private final CountDownLatch entered = new CountDownLatch(1);

        private final CountDownLatch never = new CountDownLatch(1);

        /** The fields of a proxy are not those of the bean. */
        CountDownLatch entered() {
            return this.entered;
        }

        @LeaderOnly("feed")
        String text() {
            return "epoch " + LeaseContext.required().fencingToken();
        }

        @LeaderOnly("feed")
        Optional<String> optional() {
            return Optional.of(text());
        }

        @LeaderOnly("${no.such.property:feed}")
        CompletableFuture<String> future(CompletableFuture<String> work) {
            return work;
        }

        @LeaderOnly("feed")
        Mono<String> mono() {
            return Mono.just(text());
        }

        @LeaderOnly("feed")
        Flux<String> flux() {
            return Flux.just("a", "b");
        }

        @LeaderOnly(value = "feed", onLost = OnLost.INTERRUPT)
        void untilInterrupted() {
            this.entered.countDown();
            try {
                boolean unused = this.never.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException ex) {
                // The loss ends the work.
            }
        }
    }

    @LeaderOnly("feed")
    static class Worker implements SmartLifecycle {

        volatile boolean running;

        @Override
        public void start() {
            this.running = true;
        }

        @Override
        public void stop() {
            this.running = false;
        }

        @Override
        public boolean isRunning() {
            return this.running;
        }
    }

    /** Never reports that it runs, and ends when its callback is called. */
    @LeaderOnly("feed")
    static class Late implements SmartLifecycle {

        private final CountDownLatch started = new CountDownLatch(1);

        private final CompletableFuture<Runnable> callback = new CompletableFuture<>();

        CountDownLatch started() {
            return this.started;
        }

        CompletableFuture<Runnable> callback() {
            return this.callback;
        }

        @Override
        public void start() {
            this.started.countDown();
        }

        @Override
        public void stop() {}

        @Override
        public void stop(Runnable callback) {
            this.callback.complete(callback);
        }

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    static class Closer {

        final CountDownLatch closed = new CountDownLatch(1);

        private final ConfigurableApplicationContext context;

        Closer(ConfigurableApplicationContext context) {
            this.context = context;
        }

        @EventListener
        void on(LeadershipGrantedEvent event) {
            this.context.close();
            this.closed.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnElection {

        @Bean
        LeaderElection election() {
            return unusable(LeaderElection.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoRegistries {

        @Bean
        LockRegistry firstRegistry() {
            return unusable(LockRegistry.class);
        }

        @Bean
        LockRegistry secondRegistry() {
            return unusable(LockRegistry.class);
        }
    }

    private static <T> T unusable(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> {
                    return switch (method.getName()) {
                        case "toString" -> type.getSimpleName();
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == values[0];
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                }));
    }

    interface Poller {

        @LeaderOnly("feed")
        String poll();
    }

    private static Poller poller(InvocationHandler handler) {
        return (Poller) Proxy.newProxyInstance(Poller.class.getClassLoader(), new Class<?>[] {Poller.class}, handler);
    }

    @Configuration(proxyBeanMethods = false)
    static class GeneratedClass {

        @Bean
        Poller poller() {
            return LeaderOnlyTest.poller(
                    (proxy, method, values) -> method.getName().equals("poll") ? "polled" : null);
        }
    }

    /** As that of a repository: its target does not implement the interface. */
    @Configuration(proxyBeanMethods = false)
    static class InterfaceOfTheProxy {

        @Bean
        Poller poller() {
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(new Object());
            factory.setInterfaces(Poller.class);
            factory.addAdvice((MethodInterceptor)
                    invocation -> invocation.getMethod().getName().equals("poll") ? "polled" : invocation.proceed());
            return (Poller) factory.getProxy();
        }
    }

    static class Missing {}

    static class Uninspectable {

        @LeaderOnly("feed")
        public void run() {}

        void use(Missing missing) {}
    }

    static class UninspectableWithoutAnnotation {

        void use(Missing missing) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Factory {

        static Object product;

        /** Spring inspects the classes of beans, but not those of products. */
        @Bean
        static FactoryBean<Object> product() {
            return new FactoryBean<>() {
                @Override
                public Object getObject() {
                    return product;
                }

                @Override
                public Class<?> getObjectType() {
                    return Object.class;
                }
            };
        }
    }

    /** Defines a class anew, for which another class is missing. */
    private static final class Without extends ClassLoader {

        private final Class<?> missing;

        private final Class<?> type;

        Without(Class<?> missing, Class<?> type) {
            super(type.getClassLoader());
            this.missing = missing;
            this.type = type;
        }

        Object load() throws Exception {
            Constructor<?> constructor = loadClass(this.type.getName()).getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(this.missing.getName())) {
                throw new ClassNotFoundException(name);
            }
            if (!name.equals(this.type.getName()) || findLoadedClass(name) != null) {
                return super.loadClass(name, resolve);
            }
            try (InputStream file =
                    this.type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
                byte[] code = Objects.requireNonNull(file).readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (IOException ex) {
                throw new ClassNotFoundException(name, ex);
            }
        }
    }

    static class Locked {

        @LeaderOnly("feed")
        @DistributedLock(name = "export", waitTime = 0)
        String export() {
            return LeaseContext.required().name();
        }
    }

    /** Blocks in its start, until the gate opens or it is interrupted. */
    @LeaderOnly("feed")
    static class Slow extends Worker {

        private final CountDownLatch gate = new CountDownLatch(1);

        private volatile boolean starting;

        CountDownLatch gate() {
            return this.gate;
        }

        boolean isStarting() {
            return this.starting;
        }

        @Override
        public void start() {
            this.starting = true;
            try {
                this.running = this.gate.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
        }
    }

    static class Primitive {

        @LeaderOnly("feed")
        int count() {
            return 1;
        }
    }

    static final class Final {

        @LeaderOnly("feed")
        void run() {}
    }

    @LeaderOnly("feed")
    static class Plain {}

    @LeaderOnly("feed")
    static class FinalState extends Worker {

        @Override
        public final boolean isRunning() {
            return super.isRunning();
        }
    }

    static class InterruptedFuture {

        @LeaderOnly(value = "feed", onLost = OnLost.INTERRUPT)
        CompletableFuture<String> run() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class Initialized {

        @LeaderOnly("feed")
        void prepare() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class InitMethod {

        @Bean(initMethod = "prepare")
        Initialized initialized() {
            return new Initialized();
        }
    }

    static class Private {

        @LeaderOnly("feed")
        private void run() {}
    }

    static class Empty {

        @LeaderOnly("")
        void run() {}
    }

    @LeaderOnly("feed")
    static class OtherWorker extends Worker {}

    @Configuration(proxyBeanMethods = false)
    static class TwoClasses {

        @Bean
        Worker worker() {
            return new Worker();
        }

        @Bean
        OtherWorker otherWorker() {
            return new OtherWorker();
        }
    }

    static class SameLock {

        @DistributedLock(name = "feed")
        void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Running {

        @Bean
        Worker worker() {
            Worker worker = new Worker();
            worker.running = true;
            return worker;
        }
    }
}
