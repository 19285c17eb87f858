package io.github.lockstarter.history;

import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** Workers in processes of their own, the server with their locks, and a history. */
final class Fleet implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(1);

    static final Duration COMMAND = Duration.ofMillis(250);

    static final Duration POLL = Duration.ofMillis(150);

    /** A machine that is busy with other processes makes all late, and none unsafe. */
    private static final Duration SLACK = Duration.ofSeconds(2);

    private static final Duration START = Duration.ofSeconds(60);

    private final RedisServer redis = RedisServer.start();

    private final List<Member> members = new ArrayList<>();

    private final Path directory;

    private final HistoryLog log;

    private final long seed;

    private Fleet(Path directory, int size, long seed) {
        this.directory = directory;
        this.log = HistoryLog.to(directory.resolve("nemesis.log"), "nemesis");
        this.seed = seed;
        for (int i = 1; i <= size; i++) {
            this.members.add(new Member(i));
        }
    }

    /**
     * A fleet that was harassed for a while, and what the checker says of its history. Another run with the same
     * {@code -Dlock.soak.seed} sees the same troubles, at about the same times.
     */
    record Run(long seed, long troubles, History history, List<String> violations) {
        @Override
        public String toString() {
            Map<EventKind, Long> counts = new EnumMap<>(EventKind.class);
            this.history.events().forEach(event -> counts.merge(event.kind(), 1L, Long::sum));
            return "seed " + this.seed + ": " + this.troubles + " troubles, " + counts + ", " + this.violations.size()
                    + " violations";
        }
    }

    static Run run(Duration time, int processes, Path directory) throws InterruptedException {
        Long given = Long.getLong("lock.soak.seed");
        long seed = given != null ? given : ThreadLocalRandom.current().nextLong(1_000_000);
        Remarks.say("lock.soak.seed=" + seed + ", history in " + directory);
        try (Fleet fleet = new Fleet(directory, processes, seed)) {
            for (Member member : fleet.members) {
                member.awaitReady();
            }
            long troubles = fleet.harass(time);
            History history = fleet.finish();
            List<String> violations = new ArrayList<>(HistoryChecker.violations(history, COMMAND, SLACK));
            fleet.leftovers()
                    .forEach(key -> violations.add("leftovers: No client is left, but the key " + key + " is"));
            Run run = new Run(seed, troubles, history, violations);
            Remarks.say(run);
            return run;
        }
    }

    /** Does one bad thing after the other, as the seed wants it, and writes it down; returns how many. */
    private long harass(Duration time) {
        Trouble.Plan plan = new Trouble.Plan(this.seed, this.members.size());
        long end = System.nanoTime() + time.toNanos();
        long number = 0;
        while (System.nanoTime() - end < 0) {
            Trouble.Strike strike = plan.next();
            Member victim = this.members.get(strike.victim());
            number++;
            String target = strike.trouble().isForAll() ? HistoryLog.ALL : victim.name();
            String what = strike.trouble().name() + " for " + strike.lasts().toMillis() + " ms";
            this.log.now(EventKind.FAULT, target, number, 0, 0, what);
            strike.trouble().begin(this, victim);
            pause(strike.lasts());
            strike.trouble().end(this, victim);
            this.log.now(EventKind.HEALED, target, number, 0, 0, "");
            victim.network().forgetCommands();
            pause(strike.calm());
        }
        return number;
    }

    /** Lets all finish, and returns what they and the nemesis have written. */
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

    /** Keys that are still there when all leases must have run out. */
    private List<?> leftovers() {
        try (RedisCli cli = this.redis.cli()) {
            long end = System.nanoTime() + LEASE.multipliedBy(3).toNanos();
            List<?> keys = cli.keys();
            while (!keys.isEmpty() && System.nanoTime() - end < 0) {
                pause(Duration.ofMillis(50));
                keys = cli.keys();
            }
            return keys;
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

    HistoryLog log() {
        return this.log;
    }

    @Override
    public void close() {
        this.members.forEach(Member::close);
        this.log.close();
        this.redis.close();
    }

    /** A place in the fleet: one worker after the other, all behind the same bad network. */
    final class Member {

        private final FaultProxy network = FaultProxy.inFrontOf(Fleet.this.redis.port());

        private final int place;

        private final List<Path> files = new ArrayList<>();

        private WorkerJvm process;

        private Member(int place) {
            this.place = place;
            start();
        }

        void start() {
            this.files.add(Fleet.this.directory.resolve(this.place + "-" + this.files.size() + ".log"));
            HistoryWorker.Style[] styles = HistoryWorker.Style.values();
            this.process = WorkerJvm.start(
                    HistoryWorker.class,
                    Integer.toString(this.network.port()),
                    name(),
                    this.files.get(this.files.size() - 1).toString(),
                    Long.toString(Fleet.this.seed * 1_000 + this.place * 100L),
                    styles[this.place % styles.length].name());
        }

        void awaitReady() throws InterruptedException {
            this.process.awaitLine("ready"::equals, START);
        }

        /** The name of the instance that runs now. */
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
