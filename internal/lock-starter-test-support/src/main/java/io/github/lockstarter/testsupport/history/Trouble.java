package io.github.lockstarter.testsupport.history;

import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Faults of processes, of Redis, and of the network between them. None of them moves the clock of Redis. */
// The actions of the constants have no state.
@SuppressWarnings("ImmutableEnumChecker")
public enum Trouble {
    PROCESS_KILLED(0, 300, Trouble::kill, (fleet, victim) -> victim.restart()),
    PROCESS_STOPPED_FOR_A_MOMENT(30, 60, process(WorkerJvm::pause), process(WorkerJvm::resume)),
    PROCESS_STOPPED_FOR_LONG(130, 200, process(WorkerJvm::pause), process(WorkerJvm::resume)),
    REDIS_STOPPED_FOR_A_MOMENT(30, 60, redis(RedisServer::pause), redis(RedisServer::resume)),
    REDIS_STOPPED_FOR_LONG(120, 170, redis(RedisServer::pause), redis(RedisServer::resume)),
    SCRIPTS_FORGOTTEN(0, 10, command("SCRIPT", "FLUSH")),
    CLIENTS_KILLED(0, 30, command("CLIENT", "KILL", "TYPE", "normal")),
    SUBSCRIBERS_KILLED(0, 30, command("CLIENT", "KILL", "TYPE", "pubsub")),
    /** A lease that is counted from the reply is counted too long. */
    LONG_WAY(60, 150, delay(0, 0.8)),
    /** Both ways together take longer than a command may, so that commands are executed and seem to fail. */
    TOO_LONG_WAY(60, 150, delay(0.67, 0.67)),
    BLACK_HOLE(40, 160, network(FaultProxy::blackHole)),
    REQUESTS_LOST(40, 160, network(FaultProxy::swallowRequests)),
    REPLIES_LOST(40, 160, network(FaultProxy::swallowReplies)),
    REQUESTS_STALLED(40, 160, network(FaultProxy::stallRequests)),
    CONNECTIONS_RESET(0, 30, network(FaultProxy::cutRst)),
    CONNECTIONS_CLOSED(0, 30, network(FaultProxy::cutFin)),
    REPLY_LOST_BY_RESET(30, 50, replyLostBy(FaultProxy::cutRst)),
    REPLY_LOST_BY_CLOSE(30, 50, replyLostBy(FaultProxy::cutFin)),
    /** All keys are lost. */
    REDIS_RESTARTED_EMPTY(0, 30, redis(RedisServer::restart)),
    /** No write is lost. Needs a replica. */
    REDIS_FAILED_OVER(0, 30, (fleet, victim) -> fleet.failOver()),
    /** What the master has written in the meantime is lost. Needs a replica. */
    REDIS_FAILED_OVER_WITH_LOSS(
            20, 100, (fleet, victim) -> fleet.stopReplication(), (fleet, victim) -> fleet.failOverWithLoss());

    /** Befalls a fleet, or one member of it. */
    @FunctionalInterface
    private interface Act {
        void on(Fleet fleet, Fleet.Member victim);
    }

    /**
     * A trouble that is planned.
     *
     * @param trouble what is done
     * @param victim index of the member that it is done to
     * @param lasts how long
     * @param calm how long nothing is done after it
     */
    record Strike(Trouble trouble, int victim, Duration lasts, Duration calm) {}

    /** The order of the troubles. It follows from the seed alone, so that a run can be repeated. */
    static final class Plan {

        private final Random random;

        private final FleetPlan fleet;

        private final List<Trouble> deck = new ArrayList<>();

        Plan(FleetPlan fleet) {
            this.random = new Random(fleet.seed());
            this.fleet = fleet;
        }

        Strike next() {
            Trouble trouble = draw();
            long lasts = trouble.shortest + Math.round(this.random.nextDouble() * (trouble.longest - trouble.shortest));
            // The calm is short in most cases, and sometimes long enough for all leases to end.
            int calm = this.random.nextInt(6) == 0 ? 200 : 10 + this.random.nextInt(30);
            return new Strike(
                    trouble, this.random.nextInt(this.fleet.processes()), hundredths(lasts), hundredths(calm));
        }

        /** Returns so many hundredths of a lease. */
        private Duration hundredths(long count) {
            return this.fleet.timing().lease().multipliedBy(count).dividedBy(100);
        }

        /** Draws each trouble once before any of them comes again. */
        private Trouble draw() {
            if (this.deck.isEmpty()) {
                this.deck.addAll(new TreeSet<>(this.fleet.troubles()));
                Collections.shuffle(this.deck, this.random);
                // In a short run, too, a process is killed early. The end of the deck is drawn first.
                int early = this.deck.size() - 1 - this.random.nextInt(5);
                Collections.swap(this.deck, this.deck.indexOf(Trouble.PROCESS_KILLED), early);
            }
            return this.deck.remove(this.deck.size() - 1);
        }
    }

    /** A command that acquires, renews or releases a lock in one of the libraries. */
    private static final Predicate<List<String>> LOCK_COMMAND =
            Commands.named("evalsha", "eval", "set", "del", "unlink");

    private final int shortest;

    private final int longest;

    private final Act begin;

    private final Act end;

    /** Lasts for that many hundredths of a lease, and ends with the network healed. */
    Trouble(int shortest, int longest, Act begin) {
        this(shortest, longest, begin, network(FaultProxy::heal));
    }

    Trouble(int shortest, int longest, Act begin, Act end) {
        this.shortest = shortest;
        this.longest = longest;
        this.begin = begin;
        this.end = end;
    }

    /** Returns the troubles of a single server that loses no data. */
    public static Set<Trouble> ofOneServer() {
        Set<Trouble> troubles = EnumSet.allOf(Trouble.class);
        troubles.removeIf(trouble -> trouble.losesData() || trouble.needsReplica());
        return troubles;
    }

    /** Returns whether it concerns all members, not the victim alone. */
    boolean isForAll() {
        return name().startsWith("REDIS") || name().startsWith("CLIENTS") || name().startsWith("SUBSCRIBERS");
    }

    /** Returns whether Redis forgets writes that it has acknowledged. */
    public boolean losesData() {
        return this == REDIS_RESTARTED_EMPTY || this == REDIS_FAILED_OVER_WITH_LOSS;
    }

    boolean needsReplica() {
        return name().startsWith("REDIS_FAILED_OVER");
    }

    void begin(Fleet fleet, Fleet.Member victim) {
        this.begin.on(fleet, victim);
    }

    void end(Fleet fleet, Fleet.Member victim) {
        this.end.on(fleet, victim);
    }

    private static Act process(Consumer<WorkerJvm> act) {
        return (fleet, victim) -> act.accept(victim.process());
    }

    private static Act redis(Consumer<RedisServer> act) {
        return (fleet, victim) -> act.accept(fleet.redis());
    }

    private static Act network(Consumer<FaultProxy> act) {
        return (fleet, victim) -> act.accept(victim.network());
    }

    /** Delays by these parts of the time that a command may take. */
    private static Act delay(double up, double down) {
        return (fleet, victim) -> victim.network().delay(part(fleet, up), part(fleet, down));
    }

    private static Duration part(Fleet fleet, double part) {
        return Duration.ofMillis(Math.round(fleet.timing().command().toMillis() * part));
    }

    private static Act command(String... command) {
        return (fleet, victim) -> send(fleet, command);
    }

    private static Act replyLostBy(Consumer<FaultProxy> cut) {
        return network(network -> network.swallowReplyOf(LOCK_COMMAND, () -> cut.accept(network)));
    }

    private static void kill(Fleet fleet, Fleet.Member victim) {
        victim.process().kill();
        fleet.nemesis().now(EventKind.KILLED, victim.name(), 0, 0, 0, "");
    }

    private static void send(Fleet fleet, String... command) {
        try (RedisCli redis = fleet.redis().cli()) {
            redis.command(command);
        }
    }
}
