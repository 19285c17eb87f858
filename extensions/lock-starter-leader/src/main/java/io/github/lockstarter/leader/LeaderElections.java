package io.github.lockstarter.leader;

import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.leader.LeaderRole.State;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.SmartApplicationListener;

/**
 * The roles of this application context. Contends for them from {@link ApplicationReadyEvent} on, and gives them up
 * when the context is closed, before it stops any bean, or when it is stopped, with the beans of the highest phase.
 *
 * <p>It is a bean of its own, so that the {@link LeaderElection} can be replaced without an effect on annotations.
 */
final class LeaderElections implements SmartLifecycle, SmartApplicationListener, DisposableBean {

    private static final LockLog logger = LockLog.of(LeaderElections.class);

    /** Time beyond the stop timeout in which the store replies to a release. */
    private static final Duration RELEASE_TIME = Duration.ofSeconds(10);

    private final ConfigurableApplicationContext context;

    private final LeaderProperties properties;

    private final LeaderAnnotations annotations;

    /** The only or primary registry, or {@code null}; required if there are roles. */
    private final @Nullable LockRegistry registry;

    private final @Nullable LockInventory inventory;

    private final ConcurrentMap<String, RoleRunner> runners = new ConcurrentHashMap<>();

    private final List<Consumer<RoleRunner>> observers = new CopyOnWriteArrayList<>();

    private final List<ThreadPoolExecutor> workers = new CopyOnWriteArrayList<>();

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads("lock-leader-timer"));

    private volatile boolean ready;

    private volatile boolean running;

    /** Whether the context stops: roles that are created from now on stay closed. */
    private volatile boolean stopping;

    LeaderElections(
            ConfigurableApplicationContext context,
            LeaderProperties properties,
            LeaderAnnotations annotations,
            @Nullable LockRegistry registry,
            @Nullable LockInventory inventory) {
        this.context = context;
        this.properties = properties;
        this.annotations = annotations;
        this.registry = registry;
        this.inventory = inventory;
        this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Returns the leader, whichever instance it is. Blocks for at most two command timeouts. */
    Optional<Leader> leader(String role) {
        return requiredInventory().stored(RoleRunner.lockName(role)).flatMap(stored -> leader(role, stored));
    }

    /** Returns the leader as {@link #leader(String)} does, without blocking. */
    CompletionStage<Optional<Leader>> leaderAsync(String role) {
        return requiredInventory()
                .storedAsync(RoleRunner.lockName(role))
                .thenApply(stored -> stored.flatMap(present -> leader(role, present)));
    }

    private LockInventory requiredInventory() {
        if (this.inventory == null) {
            throw new IllegalStateException("There is no bean of type LockInventory, which reads the leaders of roles."
                    + " Let the LockRegistry of the application implement it.");
        }
        return this.inventory;
    }

    /** A lock that is taken without an owner, after a leader whose beans did not stop, has no leader. */
    private static Optional<Leader> leader(String role, Stored stored) {
        return stored.holder() == null
                ? Optional.empty()
                : Optional.of(new Leader(role, stored.holder(), stored.since(), stored.fencingToken()));
    }

    /** Returns the runner of a role that exists. */
    RoleRunner runner(String role) {
        RoleRunner runner = this.runners.get(role);
        if (runner == null) {
            throw new IllegalArgumentException(Printable.of("There is no leader role '" + role + "'. The roles are "
                    + new TreeSet<>(this.runners.keySet())
                    + "; a role is named by @LeaderOnly or by a property below distributed-lock."
                    + LeaderProperties.ROLES + role + '.'));
        }
        return runner;
    }

    Collection<RoleRunner> runners() {
        return this.runners.values();
    }

    /** Returns the runner of a role that an annotation names; a lazy bean may name it after the start. */
    RoleRunner runnerOf(String role) {
        RoleRunner known = this.runners.get(role);
        if (known != null) {
            return known;
        }
        RoleRunner runner = this.runners.computeIfAbsent(
                role,
                name -> new RoleRunner(
                        name,
                        settings(name).times(),
                        registry(name),
                        this.timer,
                        worker(name),
                        new RoleBeans(this, name)));
        if (this.stopping) {
            CompletionStage<?> unused = runner.close();
        }
        if (this.running) {
            this.observers.forEach(observer -> observer.accept(runner));
            if (this.ready) {
                startAutomatically(runner);
            }
        }
        return runner;
    }

    private LockRegistry registry(String role) {
        if (this.registry == null) {
            List<String> names = List.of(
                    BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.context, LockRegistry.class, true, false));
            throw names.isEmpty()
                    ? invalid(
                            "The leader role '" + role
                                    + "' has no lock, because there is no bean of type LockRegistry.",
                            "Do not exclude DistributedLockAutoConfiguration, or declare a LockRegistry.")
                    : invalid(
                            "The leader role '" + role + "' could use several beans of type LockRegistry: " + names
                                    + '.',
                            "Declare one of them as @Primary.");
        }
        return this.registry;
    }

    /** Calls the observer for each role when the roles are known. */
    void observe(Consumer<RoleRunner> observer) {
        this.observers.add(observer);
        if (this.running) {
            this.runners.values().forEach(observer);
        }
    }

    LeaderProperties.Role settings(String role) {
        return this.properties.of(role);
    }

    ConfigurableApplicationContext context() {
        return this.context;
    }

    /** Returns the lifecycle beans of a role in the order of their start. */
    List<SmartLifecycle> beans(String role) {
        return this.annotations.lifecycleBeans(role);
    }

    /** Returns the executor of short tasks, which must not block. */
    ScheduledExecutorService timer() {
        return this.timer;
    }

    private ThreadPoolExecutor worker(String role) {
        // Its thread stays, so that neither a grant nor a revocation needs a new one.
        ThreadPoolExecutor worker = new ThreadPoolExecutor(
                1, 1, 0, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), threads("lock-leader-" + role));
        this.workers.add(worker);
        return worker;
    }

    private ThreadFactory threads(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            // The thread that creates this one may be a thread of a client library.
            thread.setContextClassLoader(this.context.getClassLoader());
            return thread;
        };
    }

    /** Finds the roles and checks them, before the application is ready. */
    @Override
    public void start() {
        Set<String> annotated = this.annotations.check(this.context.getBeanFactory());
        Set<String> names = new TreeSet<>(annotated);
        this.properties.roles().keySet().stream()
                .filter(name -> annotated.stream()
                        .noneMatch(role -> !role.equals(name)
                                && LeaderProperties.variable(role).equals(name)))
                .forEach(names::add);
        warnOfUnused(annotated, names);
        this.annotations.checkLocks(names);
        this.stopping = false;
        names.forEach(this::runnerOf);
        this.runners.values().forEach(RoleRunner::open);
        this.running = true;
        this.runners.values().forEach(runner -> this.observers.forEach(observer -> observer.accept(runner)));
        if (this.ready) {
            this.runners.values().forEach(this::startAutomatically);
        }
    }

    /** A misspelled name in the properties creates another role. */
    private static void warnOfUnused(Set<String> annotated, Set<String> names) {
        Set<String> others = new TreeSet<>(names);
        others.removeAll(annotated);
        if (!annotated.isEmpty() && !others.isEmpty()) {
            logger.warn(Printable.of("Only properties below distributed-lock." + LeaderProperties.ROLES
                    + " name the leader roles " + others + ", and annotations name " + annotated
                    + ". If that is a misspelling, correct it; otherwise only code uses these roles."));
        }
    }

    private void startAutomatically(RoleRunner runner) {
        if (settings(runner.role()).autoStart()) {
            boolean unused = runner.start();
        }
    }

    /**
     * Ends all roles, and waits for that. A thread that works for a role does not wait for this role, which waits for
     * it.
     */
    @Override
    public void stop() {
        this.stopping = true;
        List<RoleRunner> all = List.copyOf(this.runners.values());
        List<CompletableFuture<?>> ends = new ArrayList<>();
        Duration longest = Duration.ZERO;
        for (RoleRunner runner : all) {
            ends.add(runner.close().toCompletableFuture());
            Duration timeout = settings(runner.role()).stopTimeout();
            longest = timeout.compareTo(longest) > 0 ? timeout : longest;
        }
        try {
            Object unused = CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .get(longest.plus(RELEASE_TIME).toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException ex) {
            logger.warn("Leader roles have not ended in time: "
                    + all.stream()
                            .filter(runner -> runner.state() != State.IDLE)
                            .map(RoleRunner::role)
                            .toList());
        } finally {
            this.running = false;
        }
    }

    @Override
    public boolean isRunning() {
        return this.running;
    }

    /** If the context is stopped without being closed, the roles end with the first beans. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> eventType) {
        return ApplicationReadyEvent.class.isAssignableFrom(eventType)
                || ContextClosedEvent.class.isAssignableFrom(eventType);
    }

    /** The roles end before the publication of the closing returns, whatever thread publishes other events. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    /** Returns whether roles can be started. */
    boolean isReady() {
        return this.ready && this.running && !this.stopping;
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event instanceof ApplicationReadyEvent readiness && readiness.getApplicationContext() == this.context) {
            this.ready = true;
            if (this.running) {
                this.runners.values().forEach(this::startAutomatically);
            }
        } else if (event instanceof ContextClosedEvent closing && closing.getApplicationContext() == this.context) {
            stop();
        }
    }

    @Override
    public void destroy() {
        this.timer.shutdownNow();
        this.workers.forEach(ThreadPoolExecutor::shutdown);
    }

    /** Returns a definition error whose message names the role. */
    static InvalidLockDefinitionException invalid(String problem, String remedy) {
        return new InvalidLockDefinitionException(problem, remedy, null);
    }

    /** Returns the role of a lock, or empty if the lock is not that of a role. */
    Optional<RoleRunner> ofLock(String lockName) {
        return lockName.startsWith(LeaderProperties.LOCK_PREFIX)
                ? Optional.ofNullable(this.runners.get(lockName.substring(LeaderProperties.LOCK_PREFIX.length())))
                : Optional.empty();
    }

    /** Returns what this instance knows about its roles, without I/O. */
    Map<String, String> states() {
        Map<String, String> states = new TreeMap<>();
        this.runners.forEach((role, runner) -> states.put(role, describe(runner)));
        return states;
    }

    static String describe(RoleRunner runner) {
        if (runner.isLeader()) {
            return "leader";
        }
        return switch (runner.state()) {
            case IDLE -> "stopped";
            case PAUSED -> "paused";
            case CONTENDING -> "contending";
            case LEADING, ENDING, RELEASING -> "ending";
        };
    }
}
