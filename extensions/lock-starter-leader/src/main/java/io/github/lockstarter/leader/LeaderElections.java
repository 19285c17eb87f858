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
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.SmartApplicationListener;

/**
 * The roles of this application context. Contends for them from {@link ApplicationReadyEvent} on, and gives them up when
 * the context is closed or stopped, before any bean is stopped by the context.
 */
final class LeaderElections
        implements LeaderElection, SmartLifecycle, SmartApplicationListener, DisposableBean, RoleRunner.Threads {

    private static final LockLog logger = LockLog.of(LeaderElections.class);

    /** Time beyond the stop timeout in which the store replies to a release. */
    private static final Duration RELEASE_TIME = Duration.ofSeconds(10);

    private final ConfigurableApplicationContext context;

    private final LeaderProperties properties;

    private final LeaderAnnotations annotations;

    private final LockRegistry registry;

    private final @Nullable LockInventory inventory;

    private final ConcurrentMap<String, RoleRunner> runners = new ConcurrentHashMap<>();

    private final List<Consumer<RoleRunner>> observers = new CopyOnWriteArrayList<>();

    private final List<ThreadPoolExecutor> workers = new CopyOnWriteArrayList<>();

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads("lock-leader-timer"));

    private volatile boolean ready;

    private volatile boolean running;

    LeaderElections(
            ConfigurableApplicationContext context,
            LeaderProperties properties,
            LeaderAnnotations annotations,
            LockRegistry registry,
            @Nullable LockInventory inventory) {
        this.context = context;
        this.properties = properties;
        this.annotations = annotations;
        this.registry = registry;
        this.inventory = inventory;
        this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Set<String> roles() {
        return new TreeSet<>(this.runners.keySet());
    }

    @Override
    public boolean isLeader(String role) {
        return runner(role).isLeader();
    }

    @Override
    public Optional<Leader> leader(String role) {
        RoleRunner runner = runner(role);
        return requiredInventory().stored(RoleRunner.lockName(runner.role())).flatMap(stored -> leader(role, stored));
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

    @Override
    public void cede(String role) {
        requireCeded(runner(role), null);
    }

    @Override
    public void cede(String role, Duration pause) {
        RoleRunner runner = runner(role);
        if (pause.isNegative() || pause.compareTo(LeaderProperties.LONGEST) > 0) {
            throw new IllegalArgumentException(Printable.of(
                    "Leader role '" + role + "' can be ceded for zero to " + LeaderProperties.LONGEST.toDays()
                            + " days, but not for " + pause + ". Call stop to give it up."));
        }
        requireCeded(runner, pause);
    }

    private static void requireCeded(RoleRunner runner, @Nullable Duration pause) {
        if (!runner.cede(pause)) {
            throw new IllegalStateException(Printable.of("Leader role '" + runner.role()
                    + "' cannot be ceded, because this instance does not lead. Call isLeader first, and expect this"
                    + " exception if the role is lost in between."));
        }
    }

    @Override
    public void start(String role) {
        RoleRunner runner = runner(role);
        if (!this.ready || !this.running) {
            throw new IllegalStateException(Printable.of("Leader role '" + role + "' cannot be started, because the"
                    + " application is not ready or is stopping. Start it from an ApplicationRunner or later, or set "
                    + "distributed-lock." + LeaderProperties.ROLES + role + ".auto-start=true."));
        }
        runner.start();
    }

    @Override
    public void stop(String role) {
        CompletionStage<?> unused = runner(role).stop();
    }

    /** Returns the runner of a role that exists. */
    private RoleRunner runner(String role) {
        RoleRunner runner = this.runners.get(role);
        if (runner == null) {
            throw new IllegalArgumentException(Printable.of("There is no leader role '" + role + "'. The roles are "
                    + roles() + "; a role is named by @LeaderOnly or by a property below distributed-lock."
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
                name -> new RoleRunner(name, settings(name).times(), this.registry, this, new RoleBeans(this, name)));
        if (this.ready && this.running) {
            this.observers.forEach(observer -> observer.accept(runner));
            startAutomatically(runner);
        }
        return runner;
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

    @Override
    public ScheduledExecutorService timer() {
        return this.timer;
    }

    @Override
    public ThreadPoolExecutor worker(String role) {
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
        this.annotations.checkLocks(names);
        names.forEach(this::runnerOf);
        this.running = true;
        this.runners.values().forEach(runner -> this.observers.forEach(observer -> observer.accept(runner)));
        if (this.ready) {
            this.runners.values().forEach(this::startAutomatically);
        }
    }

    private void startAutomatically(RoleRunner runner) {
        if (settings(runner.role()).autoStart()) {
            runner.start();
        }
    }

    @Override
    public void stop() {
        this.running = false;
        List<RoleRunner> stopping = List.copyOf(this.runners.values());
        List<CompletableFuture<?>> ends = new ArrayList<>();
        Duration longest = Duration.ZERO;
        for (RoleRunner runner : stopping) {
            ends.add(runner.stop().toCompletableFuture());
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
                    + stopping.stream()
                            .filter(runner -> runner.state() != State.IDLE)
                            .map(RoleRunner::role)
                            .toList());
        }
    }

    @Override
    public boolean isRunning() {
        return this.running;
    }

    /** The roles end before other beans stop, also if the context is stopped without being closed. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> eventType) {
        return ApplicationReadyEvent.class.isAssignableFrom(eventType)
                || ContextClosedEvent.class.isAssignableFrom(eventType);
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
