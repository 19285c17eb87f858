package io.github.lockstarter.testsupport.history;

import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.Replication;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Workers in processes of their own, the server with their locks, and their history. */
final class Fleet implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("remarks");

    private static final Duration START = Duration.ofSeconds(60);

    /** A replica asks its master for a copy without a delay. */
    private static final String[] REPLICATION = {"--repl-diskless-sync-delay", "0"};

    private final FleetPlan plan;

    private RedisServer redis = RedisServer.start(REPLICATION);

    private @Nullable RedisServer replica;

    private final List<Member> members = new ArrayList<>();

    private final Path directory;

    private final HistoryLog nemesis;

    Fleet(FleetPlan plan, Path directory) {
        this.plan = plan;
        this.directory = directory;
        this.nemesis = HistoryLog.to(directory.resolve("nemesis.log"), "nemesis");
        if (plan.troubles().stream().anyMatch(Trouble::needsReplica)) {
            this.replica = RedisServer.start(REPLICATION);
            follow(this.replica, this.redis);
        }
        for (int i = 1; i <= plan.processes(); i++) {
            this.members.add(new Member(i));
        }
    }

    FleetRun run(Duration time) throws InterruptedException {
        log.info("lock.soak.seed={}, history in {}", this.plan.seed(), this.directory);
        for (Member member : this.members) {
            member.awaitReady();
        }
        long troubles = trouble(time);
        History history = finish();
        FleetRun run = new FleetRun(this.plan, troubles, history, leftovers());
        log.info("{}", run);
        return run;
    }

    /** Causes one trouble after the other, as the seed plans it, and logs them; returns their number. */
    private long trouble(Duration time) {
        Trouble.Plan troubles = new Trouble.Plan(this.plan);
        long end = System.nanoTime() + time.toNanos();
        long number = 0;
        while (System.nanoTime() - end < 0) {
            Trouble.Strike strike = troubles.next();
            Member victim = this.members.get(strike.victim());
            number++;
            String target = strike.trouble().isForAll() ? HistoryLog.ALL : victim.name();
            String what = strike.trouble().name() + " for " + strike.lasts().toMillis() + " ms";
            this.nemesis.now(EventKind.FAULT, target, number, 0, 0, what);
            strike.trouble().begin(this, victim);
            pause(strike.lasts());
            strike.trouble().end(this, victim);
            this.nemesis.now(EventKind.HEALED, target, number, 0, 0, "");
            victim.network().forgetCommands();
            pause(strike.calm());
        }
        return number;
    }

    /** Lets all workers finish, and returns what they and the nemesis have logged. */
    private History finish() throws InterruptedException {
        List<Path> files = new ArrayList<>(List.of(this.directory.resolve("nemesis.log")));
        for (Member member : this.members) {
            member.awaitReady();
            member.process.send("stop");
        }
        for (Member member : this.members) {
            member.process.awaitLine("done"::equals, START);
            files.addAll(member.files);
        }
        return History.read(files);
    }

    /** Returns the keys that are left when all leases must have ended. */
    private List<String> leftovers() {
        try (RedisCli cli = this.redis.cli()) {
            long end = System.nanoTime()
                    + this.plan.timing().lease().multipliedBy(3).toNanos();
            List<?> keys = cli.keys();
            while (!keys.isEmpty() && System.nanoTime() - end < 0) {
                pause(Duration.ofMillis(50));
                keys = cli.keys();
            }
            return keys.stream().map(String::valueOf).toList();
        }
    }

    static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    RedisServer redis() {
        return this.redis;
    }

    Timing timing() {
        return this.plan.timing();
    }

    HistoryLog nemesis() {
        return this.nemesis;
    }

    /**
     * Promotes the replica after it has received all writes of the master, and leads all clients to it, as a service
     * does that moves its address. Connections to the old master break.
     */
    void failOver() {
        RedisServer old = this.redis;
        RedisServer promoted = Objects.requireNonNull(this.replica);
        Replication.awaitInSync(old, List.of(promoted));
        try (RedisCli cli = old.cli()) {
            cli.command("FAILOVER", "TO", promoted.host(), Integer.toString(promoted.port()));
        }
        Replication.awaitInSync(promoted, List.of(old));
        leadTo(promoted, old);
    }

    /** Makes the replica a master that no client uses, so that it gets no further writes. */
    void stopReplication() {
        RedisServer behind = Objects.requireNonNull(this.replica);
        Replication.awaitInSync(this.redis, List.of(behind));
        try (RedisCli cli = behind.cli()) {
            cli.command("REPLICAOF", "NO", "ONE");
        }
    }

    /** Redirects all clients to the server of {@link #stopReplication()}, which the old master then follows. */
    void failOverWithLoss() {
        RedisServer old = this.redis;
        RedisServer promoted = Objects.requireNonNull(this.replica);
        leadTo(promoted, old);
        follow(old, promoted);
    }

    private void leadTo(RedisServer promoted, RedisServer old) {
        this.redis = promoted;
        this.replica = old;
        for (Member member : this.members) {
            member.network.leadTo(promoted.port());
            member.network.cutRst();
        }
    }

    private static void follow(RedisServer replica, RedisServer master) {
        try (RedisCli cli = replica.cli()) {
            cli.command("REPLICAOF", master.host(), Integer.toString(master.port()));
        }
        Replication.awaitInSync(master, List.of(replica));
    }

    @Override
    public void close() {
        this.members.forEach(Member::close);
        this.nemesis.close();
        this.redis.close();
        if (this.replica != null) {
            this.replica.close();
        }
    }

    /** A place in the fleet: one worker after the other, all behind the same bad network. */
    final class Member {

        private final FaultProxy network = FaultProxy.inFrontOf(Fleet.this.redis.port());

        private final int place;

        private final List<Path> files = new ArrayList<>();

        private WorkerJvm process;

        private Member(int place) {
            this.place = place;
            this.process = startWorker();
        }

        void restart() {
            this.process = startWorker();
        }

        private WorkerJvm startWorker() {
            FleetPlan plan = Fleet.this.plan;
            this.files.add(Fleet.this.directory.resolve(this.place + "-" + this.files.size() + ".log"));
            WorkerArguments arguments = new WorkerArguments(
                    this.network.port(),
                    name(),
                    this.files.get(this.files.size() - 1),
                    plan.seed() * 1_000 + this.place * 100L,
                    plan.timing(),
                    plan.leases(),
                    plan.variants().get(this.place % plan.variants().size()));
            return WorkerJvm.start(plan.worker(), arguments.line());
        }

        void awaitReady() throws InterruptedException {
            this.process.awaitLine("ready"::equals, START);
        }

        /** Returns the name of the instance that runs now. */
        String name() {
            return "worker-" + this.place + '.' + this.files.size();
        }

        FaultProxy network() {
            return this.network;
        }

        WorkerJvm process() {
            return this.process;
        }

        private void close() {
            this.process.close();
            this.network.close();
        }
    }
}
