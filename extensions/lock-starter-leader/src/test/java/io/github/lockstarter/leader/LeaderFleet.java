package io.github.lockstarter.leader;

import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.WorkerJvm;
import io.github.lockstarter.testsupport.history.EventKind;
import io.github.lockstarter.testsupport.history.History;
import io.github.lockstarter.testsupport.history.HistoryLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Three instances in JVMs of their own, the server with the lock of their role, and the troubles of each round. */
final class LeaderFleet implements AutoCloseable {

    /** Time in which a JVM starts, and in which three instances lead and contend again. */
    private static final Duration LIMIT = Duration.ofSeconds(90);

    /** The instance that logs the troubles, and the times in which Redis did not reply. */
    static final String NEMESIS = "nemesis";

    /** The time of a command from which on Redis, or this process, has stood still. */
    private static final long STANDSTILL_NANOS = Duration.ofMillis(10).toNanos();

    /** Text of the event of a process that has ended in an orderly way. */
    static final String EXITED = "exited";

    private static final List<String> JVM_OPTIONS = List.of("-XX:+UseSerialGC");

    /** What happens in a round, to the leader in most of them. */
    enum Trouble {
        KILLED(true),
        PAUSED(true),
        /** Is stopped by a signal, which closes its context. */
        TERMINATED(true),
        /** Gives the role up until it is started again. */
        STOPPED(true),
        CEDED,
        REDIS_FROZEN,
        REDIS_EMPTIED,
        LISTENER_THROWS,
        START_BLOCKS,
        /** The ones before are those of the promise, and twice as frequent. */
        REDIS_RESTARTED,
        CUT_OFF(true),
        START_BLOCKS_AT_LOSS,
        /** A start that ignores its interrupt. */
        START_IS_DEAF_AT_LOSS,
        START_BLOCKS_AT_CEDE,
        START_BLOCKS_AT_END,
        STOP_IS_SLOW,
        CLOSED_IN_CALL,
        CLOSED_IN_LISTENER;

        /** Whether it befalls an instance that does not lead now and then. */
        private final boolean canBefallOthers;

        Trouble() {
            this(false);
        }

        Trouble(boolean canBefallOthers) {
            this.canBefallOthers = canBefallOthers;
        }
    }

    private static final Set<Trouble> ONCE = EnumSet.range(Trouble.REDIS_RESTARTED, Trouble.CLOSED_IN_LISTENER);

    private final RedisServer redis = RedisServer.start();

    private final Random random;

    private final Path directory;

    private final HistoryLog nemesis;

    private final List<Path> files = new ArrayList<>();

    private final List<Member> members = new ArrayList<>();

    private final List<Trouble> deck = new ArrayList<>();

    LeaderFleet(long seed, Path directory) {
        this.random = new Random(seed);
        this.directory = directory;
        this.files.add(directory.resolve("nemesis.log"));
        this.nemesis = HistoryLog.to(this.files.get(0), NEMESIS);
        for (int place = 1; place <= 3; place++) {
            this.members.add(new Member(place));
        }
        Thread probe = new Thread(this::probe, "probe");
        probe.setDaemon(true);
        probe.start();
    }

    /** Logs the times in which Redis did not reply, because it was frozen or the machine is busy. */
    private void probe() {
        while (true) {
            long last = System.nanoTime();
            try (RedisCli cli = RedisCli.connect(this.redis.port(), LIMIT)) {
                while (true) {
                    last = System.nanoTime();
                    Object unused = cli.command("PING");
                    logStandstill(last);
                    pause(2);
                }
            } catch (RuntimeException ex) {
                // It is being restarted.
                pause(2);
                logStandstill(last);
            }
        }
    }

    private void logStandstill(long since) {
        long now = System.nanoTime();
        if (now - since > STANDSTILL_NANOS) {
            this.nemesis.at(now, EventKind.STOOD_STILL, HistoryLog.ALL, 0, 0, since, "");
        }
    }

    /** Runs so many rounds, ends all instances, and returns what they have logged. */
    History run(int rounds) throws InterruptedException {
        for (int round = 1; round <= rounds; round++) {
            // One of four troubles may meet the effects of the one before.
            boolean settled = this.random.nextInt(4) != 0;
            if (settled) {
                awaitSettled();
                pause(this.random.nextInt(300));
            }
            Trouble trouble = draw();
            Member leader = awaitLeader();
            boolean isOther = trouble.canBefallOthers && this.random.nextInt(6) == 0;
            Member victim = isOther ? otherThan(leader) : leader;
            this.nemesis.now(EventKind.FAULT, victim.name(), round, 0, 0, trouble + (settled ? " settled" : ""));
            try {
                befall(trouble, victim);
            } finally {
                heal();
            }
            this.nemesis.now(EventKind.HEALED, victim.name(), round, 0, 0, trouble.name());
            if (round % 20 == 0) {
                System.out.println("Round " + round + " of " + rounds);
            }
        }
        awaitSettled();
        for (Member member : this.members) {
            member.process.send("end");
            member.process.awaitExit(LIMIT);
        }
        return History.read(this.files);
    }

    private Trouble draw() {
        if (this.deck.isEmpty()) {
            this.deck.addAll(Arrays.asList(Trouble.values()));
            this.deck.addAll(EnumSet.complementOf(EnumSet.copyOf(ONCE)));
            Collections.shuffle(this.deck, this.random);
        }
        return this.deck.remove(this.deck.size() - 1);
    }

    private void befall(Trouble trouble, Member victim) throws InterruptedException {
        switch (trouble) {
            case KILLED -> kill(victim);
            case PAUSED -> {
                victim.process.pause();
                pauseLeases(0.3, 1.7);
                victim.process.resume();
            }
            case TERMINATED -> terminate(victim);
            case STOPPED -> {
                victim.process.send("stop");
                awaitOther(victim);
                pause(this.random.nextInt(500));
                victim.process.send("start");
            }
            case CEDED -> cede(victim);
            case REDIS_FROZEN -> {
                this.redis.pause();
                pauseLeases(0.2, 1.7);
                this.redis.resume();
            }
            case REDIS_EMPTIED -> {
                try (RedisCli cli = this.redis.cli()) {
                    cli.flushall();
                }
            }
            case REDIS_RESTARTED -> this.redis.restart();
            case CUT_OFF -> cutOff(victim);
            case LISTENER_THROWS -> {
                tellOthers(victim, "throw " + (1 + this.random.nextInt(2)));
                cede(victim);
                pause(500);
            }
            case START_BLOCKS -> {
                tellOthers(victim, "block " + (100 + this.random.nextInt(3_000)) + " awake");
                cede(victim);
                pause(500);
            }
            case START_BLOCKS_AT_LOSS -> cutOff(blocked(victim, "block 20000 awake"));
            case START_IS_DEAF_AT_LOSS -> cutOff(blocked(victim, "block 5000 deaf"));
            case START_BLOCKS_AT_CEDE -> {
                Member blocked = blocked(victim, "block " + (500 + this.random.nextInt(4_000)) + " awake");
                passOn(blocked);
            }
            case START_BLOCKS_AT_END -> {
                Member blocked = blocked(victim, "block 4000 awake");
                if (this.random.nextBoolean()) {
                    kill(blocked);
                } else {
                    terminate(blocked);
                }
            }
            case STOP_IS_SLOW -> {
                victim.process.send("slow " + this.random.nextInt(1_000));
                cede(victim);
            }
            case CLOSED_IN_CALL -> closeItself(victim, "close-in-call");
            case CLOSED_IN_LISTENER -> closeItself(otherThan(victim), "close-in-listener");
        }
    }

    /** Undoes what the trouble of a round has left. */
    private void heal() {
        this.redis.resume();
        this.members.forEach(member -> {
            member.network.heal();
            if (member.process.isAlive()) {
                member.process.send("obey");
            }
        });
    }

    private void kill(Member victim) throws InterruptedException {
        victim.process.kill();
        this.nemesis.now(EventKind.KILLED, victim.name(), 0, 0, 0, "");
        awaitOther(victim);
        victim.restart();
    }

    private void terminate(Member victim) throws InterruptedException {
        victim.process.stop();
        int unused = victim.process.awaitExit(LIMIT);
        this.nemesis.now(EventKind.KILLED, victim.name(), 0, 0, 0, EXITED);
        awaitOther(victim);
        victim.restart();
    }

    private void cede(Member victim) {
        victim.process.send(this.random.nextBoolean() ? "cede" : "cede " + this.random.nextInt(1_000));
    }

    private void cutOff(Member victim) throws InterruptedException {
        victim.network.blackHole();
        pauseLeases(0.5, 1.7);
    }

    /** Gives the order to all others, lets the victim cede, and returns the next leader. */
    private Member blocked(Member victim, String order) throws InterruptedException {
        tellOthers(victim, order);
        return passOn(victim);
    }

    /** Lets the leader cede until another instance leads. The others may not contend yet. */
    private Member passOn(Member leader) {
        Member next = null;
        while (next == null) {
            leader.process.send("cede 500");
            long end = System.nanoTime() + LeaderWorker.LEASE.toNanos();
            while (next == null && System.nanoTime() - end < 0) {
                pause(5);
                next = leaderOtherThan(leader);
            }
        }
        return next;
    }

    /** Gives the order, and passes the role on until the instance has carried it out. */
    private void closeItself(Member victim, String order) throws InterruptedException {
        awaitSettled();
        victim.process.send(order);
        for (int i = 0; i < 20 && !victim.hasClosed(); i++) {
            Member leader = leaderOtherThan(victim);
            if (leader != null) {
                leader.process.send("cede 1000");
            }
            pause(500);
        }
        terminate(victim);
    }

    private void tellOthers(Member victim, String order) {
        this.members.stream()
                .filter(member -> member != victim && member.process.isAlive())
                .forEach(member -> member.process.send(order));
    }

    private Member otherThan(Member leader) {
        List<Member> others =
                this.members.stream().filter(member -> member != leader).toList();
        return others.get(this.random.nextInt(others.size()));
    }

    private void pauseLeases(double shortest, double longest) {
        double leases = shortest + this.random.nextDouble() * (longest - shortest);
        pause(Math.round(leases * LeaderWorker.LEASE.toMillis()));
    }

    private static void pause(long millis) {
        long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private Member awaitLeader() {
        return await("a leader", () -> leaderOtherThan(null));
    }

    /** Waits until another instance leads; one that does already is enough. */
    private Member awaitOther(Member victim) {
        return await("a leader other than " + victim.name(), () -> leaderOtherThan(victim));
    }

    private @Nullable Member leaderOtherThan(@Nullable Member victim) {
        return this.members.stream()
                .filter(member -> member != victim
                        && member.process.isAlive()
                        && member.state().equals("leader"))
                .findFirst()
                .orElse(null);
    }

    /** Waits until one instance leads and the others contend. */
    private void awaitSettled() {
        Boolean unused = await("one leader and two that contend", () -> {
            List<String> states =
                    this.members.stream().map(Member::state).sorted().toList();
            return states.equals(List.of("contending", "contending", "leader")) ? true : null;
        });
    }

    private <T> T await(String what, Supplier<@Nullable T> condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        T result = condition.get();
        while (result == null) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("Not within " + LIMIT + ": " + what + "; "
                        + this.members.stream()
                                .map(member -> member.name() + " is " + member.state() + ": " + member.process.lines())
                                .toList());
            }
            pause(5);
            result = condition.get();
        }
        return Objects.requireNonNull(result);
    }

    @Override
    public void close() {
        this.members.forEach(Member::close);
        this.nemesis.close();
        this.redis.close();
    }

    /** A place in the fleet: one instance after the other, all behind the same network. */
    private final class Member {

        private final FaultProxy network = FaultProxy.inFrontOf(LeaderFleet.this.redis.port());

        private final int place;

        private int starts;

        private WorkerJvm process;

        private Member(int place) {
            this.place = place;
            this.process = start();
        }

        private WorkerJvm start() {
            this.starts++;
            Path file = LeaderFleet.this.directory.resolve(name() + ".log");
            // Exists also if the process is killed before it writes.
            HistoryLog.to(file, name()).close();
            LeaderFleet.this.files.add(file);
            return WorkerJvm.start(
                    JVM_OPTIONS,
                    LeaderWorker.class,
                    Integer.toString(this.network.port()),
                    name(),
                    file.toString(),
                    Integer.toString(this.place * 100 + this.starts));
        }

        private void restart() {
            keepOutput();
            this.process.close();
            this.process = start();
        }

        private String name() {
            return "instance-" + this.place + '.' + this.starts;
        }

        private String state() {
            String state = "";
            for (String line : this.process.lines()) {
                if (line.startsWith("state ")) {
                    state = line.substring("state ".length());
                }
            }
            return state;
        }

        private boolean hasClosed() {
            return this.process.lines().stream().anyMatch(line -> line.startsWith("closed in "));
        }

        private void keepOutput() {
            try {
                Files.write(LeaderFleet.this.directory.resolve(name() + ".out"), this.process.lines());
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }

        private void close() {
            keepOutput();
            this.process.close();
            this.network.close();
        }
    }
}
