package io.github.lockstarter.history;

import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** What a nemesis does to a fleet. None of it loses data of Redis or moves its clock. */
// what they do keeps nothing
@SuppressWarnings("ImmutableEnumChecker")
enum Trouble {
    PROCESS_KILLED(0, 300, Trouble::kill, process(Member::start)),
    PROCESS_STOPPED_FOR_A_MOMENT(30, 60, process(Member::pause), process(Member::resume)),
    PROCESS_STOPPED_FOR_LONG(130, 200, process(Member::pause), process(Member::resume)),
    REDIS_STOPPED_FOR_A_MOMENT(30, 60, redis(RedisServer::pause), redis(RedisServer::resume)),
    REDIS_STOPPED_FOR_LONG(120, 170, redis(RedisServer::pause), redis(RedisServer::resume)),
    SCRIPTS_FORGOTTEN(0, 10, command("SCRIPT", "FLUSH")),
    CLIENTS_KILLED(0, 30, command("CLIENT", "KILL", "TYPE", "normal")),
    SUBSCRIBERS_KILLED(0, 30, command("CLIENT", "KILL", "TYPE", "pubsub")),
    LONG_WAY(60, 150, Trouble::delayReplies),
    TOO_LONG_WAY(60, 150, Trouble::delayBoth),
    BLACK_HOLE(40, 160, network(FaultProxy::blackHole)),
    REQUESTS_LOST(40, 160, network(FaultProxy::swallowRequests)),
    REPLIES_LOST(40, 160, network(FaultProxy::swallowReplies)),
    REQUESTS_STALLED(40, 160, network(FaultProxy::stallRequests)),
    CONNECTIONS_RESET(0, 30, network(FaultProxy::cutRst)),
    CONNECTIONS_CLOSED(0, 30, network(FaultProxy::cutFin)),
    REPLY_LOST_BY_RESET(30, 50, replyLostBy(FaultProxy::cutRst)),
    REPLY_LOST_BY_CLOSE(30, 50, replyLostBy(FaultProxy::cutFin)),
    COMMANDS_REPEATED(30, 60, Trouble::repeatLast, Trouble::repeatLast);

    /** Befalls a fleet, or one member of it. */
    @FunctionalInterface
    private interface Act {
        void on(Fleet fleet, Member victim);
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

    Duration lasts(Duration lease, double chance) {
        return lease.multipliedBy(this.shortest + Math.round(chance * (this.longest - this.shortest)))
                .dividedBy(100);
    }

    /** Whether everybody has it, not the victim alone. */
    boolean isForAll() {
        return name().startsWith("REDIS") || name().startsWith("CLIENTS") || name().startsWith("SUBSCRIBERS");
    }

    void begin(Fleet fleet, Member victim) {
        this.begin.on(fleet, victim);
    }

    void end(Fleet fleet, Member victim) {
        this.end.on(fleet, victim);
    }

    private static Act process(Consumer<Member> act) {
        return (fleet, victim) -> act.accept(victim);
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

    private static void kill(Fleet fleet, Member victim) {
        victim.kill();
        fleet.log().now(EventKind.KILLED, victim.name(), 0, 0, 0, "");
    }

    /** What counts from the reply counts too long. */
    private static void delayReplies(Fleet fleet, Member victim) {
        victim.network()
                .delay(Duration.ZERO, fleet.pace().command().multipliedBy(4).dividedBy(5));
    }

    /** Together longer than a command may take: all of them are executed, and none seems to be. */
    private static void delayBoth(Fleet fleet, Member victim) {
        Duration each = fleet.pace().command().multipliedBy(2).dividedBy(3);
        victim.network().delay(each, each);
    }

    private static void send(Fleet fleet, String... command) {
        try (RedisCli redis = fleet.redis().cli()) {
            redis.command(command);
        }
    }

    /** Executes the last call of a script again, as a client that repeats commands would. */
    private static void repeatLast(Fleet fleet, Member victim) {
        AtomicReference<List<String>> last = new AtomicReference<>();
        victim.network().commandsSeen(command -> {
            if (SCRIPT_CALL.test(command)) {
                last.set(command);
            }
            return false;
        });
        if (last.get() == null) {
            return;
        }
        String key = last.get().get(3);
        String lock = key.substring(key.indexOf('{') + 1, key.length() - 1);
        if (lock.isEmpty()) {
            // The check of permissions at the start, which concerns no lock.
            return;
        }
        Limits limits = fleet.pace().limits(Duration.ZERO);
        // by now it may be an acquire for nobody
        long now = System.nanoTime();
        long until = now + limits.lease() + limits.tail();
        fleet.log().at(now, EventKind.ORPHANED, lock, 0, 0, until, "repeated command");
        try {
            send(fleet, last.get().toArray(new String[0]));
        } catch (RedisErrorException ex) {
            // The first call of a script, which the server did not know yet: the repetition is refused as it was.
            if (!String.valueOf(ex.getMessage()).startsWith("NOSCRIPT")) {
                throw ex;
            }
        }
    }
}
