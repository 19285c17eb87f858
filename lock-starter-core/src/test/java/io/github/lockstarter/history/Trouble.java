package io.github.lockstarter.history;

import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** What is done to a fleet. None of it loses data of Redis or moves its clock. */
// what they do keeps nothing
@SuppressWarnings("ImmutableEnumChecker")
enum Trouble {
    PROCESS_KILLED(0, 300, Trouble::kill, (fleet, victim) -> victim.start()),
    PROCESS_STOPPED_FOR_A_MOMENT(30, 60, process(WorkerJvm::pause), process(WorkerJvm::resume)),
    PROCESS_STOPPED_FOR_LONG(130, 200, process(WorkerJvm::pause), process(WorkerJvm::resume)),
    REDIS_STOPPED_FOR_A_MOMENT(30, 60, redis(RedisServer::pause), redis(RedisServer::resume)),
    REDIS_STOPPED_FOR_LONG(120, 170, redis(RedisServer::pause), redis(RedisServer::resume)),
    SCRIPTS_FORGOTTEN(0, 10, command("SCRIPT", "FLUSH")),
    CLIENTS_KILLED(0, 30, command("CLIENT", "KILL", "TYPE", "normal")),
    SUBSCRIBERS_KILLED(0, 30, command("CLIENT", "KILL", "TYPE", "pubsub")),
    /** What counts from the reply counts too long. */
    LONG_WAY(
            60,
            150,
            network(network ->
                    network.delay(Duration.ZERO, Fleet.COMMAND.multipliedBy(4).dividedBy(5)))),
    /** Together longer than a command may take: all of them are executed, and none seems to be. */
    TOO_LONG_WAY(
            60,
            150,
            network(network -> network.delay(
                    Fleet.COMMAND.multipliedBy(2).dividedBy(3),
                    Fleet.COMMAND.multipliedBy(2).dividedBy(3)))),
    BLACK_HOLE(40, 160, network(FaultProxy::blackHole)),
    REQUESTS_LOST(40, 160, network(FaultProxy::swallowRequests)),
    REPLIES_LOST(40, 160, network(FaultProxy::swallowReplies)),
    REQUESTS_STALLED(40, 160, network(FaultProxy::stallRequests)),
    CONNECTIONS_RESET(0, 30, network(FaultProxy::cutRst)),
    CONNECTIONS_CLOSED(0, 30, network(FaultProxy::cutFin)),
    REPLY_LOST_BY_RESET(30, 50, replyLostBy(FaultProxy::cutRst)),
    REPLY_LOST_BY_CLOSE(30, 50, replyLostBy(FaultProxy::cutFin));

    /** Befalls a fleet, or one member of it. */
    @FunctionalInterface
    private interface Act {
        void on(Fleet fleet, Fleet.Member victim);
    }

    /**
     * One bad thing.
     *
     * @param victim number of the member that it is done to
     * @param lasts how long
     * @param calm how long nothing happens after it
     */
    record Strike(Trouble trouble, int victim, Duration lasts, Duration calm) {}

    /** What happens next. It follows from the seed alone, so that a run can be had again. */
    static final class Plan {

        private final Random random;

        private final int victims;

        private final List<Trouble> deck = new ArrayList<>();

        Plan(long seed, int victims) {
            this.random = new Random(seed);
            this.victims = victims;
        }

        Strike next() {
            Trouble trouble = draw();
            long lasts = trouble.shortest + Math.round(this.random.nextDouble() * (trouble.longest - trouble.shortest));
            // mostly a moment, sometimes time enough for all leases to run out
            int calm = this.random.nextInt(6) == 0 ? 200 : 10 + this.random.nextInt(30);
            return new Strike(trouble, this.random.nextInt(this.victims), hundredths(lasts), hundredths(calm));
        }

        /** Of a lease. */
        private static Duration hundredths(long count) {
            return Fleet.LEASE.multipliedBy(count).dividedBy(100);
        }

        /** Every sort of trouble comes before the same one comes again. */
        private Trouble draw() {
            if (this.deck.isEmpty()) {
                this.deck.addAll(List.of(Trouble.values()));
                Collections.shuffle(this.deck, this.random);
                // In a short run, too, a process is killed early. The end of the deck is drawn first.
                int early = this.deck.size() - 1 - this.random.nextInt(5);
                Collections.swap(this.deck, this.deck.indexOf(Trouble.PROCESS_KILLED), early);
            }
            return this.deck.remove(this.deck.size() - 1);
        }
    }

    private static final Predicate<List<String>> SCRIPT_CALL = Commands.named("evalsha", "eval");

    private final int shortest;

    private final int longest;

    private final Act begin;

    private final Act end;

    /** Takes that long, in hundredths of a lease, and ends with the network healed. */
    Trouble(int shortest, int longest, Act begin) {
        this(shortest, longest, begin, network(FaultProxy::heal));
    }

    Trouble(int shortest, int longest, Act begin, Act end) {
        this.shortest = shortest;
        this.longest = longest;
        this.begin = begin;
        this.end = end;
    }

    /** Whether it concerns all members, not the victim alone. */
    boolean isForAll() {
        return name().startsWith("REDIS") || name().startsWith("CLIENTS") || name().startsWith("SUBSCRIBERS");
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

    private static Act command(String... command) {
        return (fleet, victim) -> send(fleet, command);
    }

    private static Act replyLostBy(Consumer<FaultProxy> cut) {
        return network(network -> network.swallowReplyOf(SCRIPT_CALL, () -> cut.accept(network)));
    }

    private static void kill(Fleet fleet, Fleet.Member victim) {
        victim.process().kill();
        fleet.log().now(EventKind.KILLED, victim.name(), 0, 0, 0, "");
    }

    private static void send(Fleet fleet, String... command) {
        try (RedisCli redis = fleet.redis().cli()) {
            redis.command(command);
        }
    }
}
