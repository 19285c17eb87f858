package io.github.lockstarter.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What happens to a lock, one scenario after the other. Each line is an input, or what must follow from the inputs
 * before it. Times are milliseconds; a lease lasts 3,000 ms and is renewed each 1,000 ms, a command may take 500 ms,
 * and waiters poll each 400 ms.
 */
class LocalLockTest {

    private static final long LEASE = 3_000;

    private static final long COMMAND_TIMEOUT = 500;

    private static final long POLL = 400;

    private static final long CLAIM = 2_000;

    private static final long PASS_TIME = 200;

    private static final Terms RENEWED = new Terms(nanos(LEASE), nanos(1_000), Moment.NEVER, 0);

    private static final Terms FIXED = new Terms(nanos(LEASE), Moment.NEVER, Moment.NEVER, 0);

    private static final LockRequest WRITE = LockRequest.of("a");

    private static final LockRequest READ = WRITE.withMode(LockMode.READ);

    private static final LockRequest PERMIT = WRITE.withPermits(1, 3);

    private final Recorder out = new Recorder();

    private final LocalLock lock = new LocalLock(
            "a",
            new Rules(
                    nanos(COMMAND_TIMEOUT), nanos(POLL), nanos(CLAIM), nanos(PASS_TIME), 10, false, Integer.MAX_VALUE),
            this.out);

    private long millis = 1_000_000;

    /** What was sent and has no outcome yet, in order. */
    private final Queue<Sent> open = new ArrayDeque<>();

    private final Map<String, Grant> grants = new HashMap<>();

    // ---- One JVM

    @Test
    void shouldGrantAFreeLock() {
        enter("anna", 0);
        then("acquire 1");
        reply(new Reply.Granted(7));
        then("granted anna 7 REPLY");
        release("anna");
        then("release 1");
        reply(Reply.Released.INSTANCE);
        then("released anna");
        assertThat(this.lock.isIdle()).as("nothing is left of the lock").isTrue();
    }

    @Test
    void shouldRefuseAWaiterWithoutTimeIfTheLockIsTaken() {
        enter("anna", 0);
        then("acquire 1");
        reply(takenByOthers(0));
        then("taken other", "refused anna HELD_BY_OTHERS");
    }

    @Test
    void shouldRenewUntilTheRelease() {
        hold("anna");
        pass(1_000);
        then("renew 1");
        reply(Reply.Renewed.INSTANCE);
        then("renewed anna");
        pass(1_000);
        then("renew 1");
        reply(Reply.Renewed.INSTANCE);
        then("renewed anna");
        release("anna");
        then("release 1");
        reply(Reply.Released.INSTANCE);
        then("released anna");
    }

    @Test
    void shouldCountTheLeaseFromTheSendingOfTheCommand() {
        enter("anna", 0);
        then("acquire 1");
        pass(400);
        reply(new Reply.Granted(7));
        then("granted anna 7 REPLY");

        assertThat(remaining("anna"))
                .as("the lease less a tenth, since the command was sent")
                .isEqualTo(LEASE - LEASE / 10 - 400);
    }

    @Test
    void shouldNotRenewAFixedLease() {
        enter("anna", 0, FIXED);
        reply(new Reply.Granted(7));
        then("acquire 1", "granted anna 7 REPLY");
        pass(LEASE - LEASE / 10);
        then("lost anna EXPIRED");
    }

    @Test
    void shouldNotReleaseALostGrantBeforeItsLeaseIsOverInTheStore() {
        enter("anna", 0, FIXED);
        reply(new Reply.Granted(7));
        pass(LEASE - LEASE / 10);
        then("acquire 1", "granted anna 7 REPLY", "lost anna EXPIRED");
        // The margin is the time of the owner to react.
        pass(LEASE / 10 - 1);
        then();
        pass(1);
        then("release 1");
    }

    @Test
    void shouldReleaseALostGrantWhenItsOwnerHasReacted() {
        enter("anna", 0, FIXED);
        reply(new Reply.Granted(7));
        pass(LEASE - LEASE / 10);
        then("acquire 1", "granted anna 7 REPLY", "lost anna EXPIRED");
        release("anna");
        then("released anna", "release 1");
    }

    @Test
    void shouldReportALossThatARenewalFinds() {
        hold("anna");
        pass(1_000);
        then("renew 1");
        reply(Reply.NotOwner.FREE);
        then("renewal failed anna", "lost anna DELETED", "release 1");
    }

    @Test
    void shouldCheckAGrantThatIsSaidToBeRevokedAlthoughARenewalIsUnderWay() {
        hold("anna");
        pass(1_000);
        then("renew 1");
        pass(1);
        revoked("1");
        then("renew 1");
        // The earlier renewal was executed before the forced release.
        reply(Reply.Renewed.INSTANCE);
        then("renewed anna");
        reply(Reply.NotOwner.TAKEN);
        then("renewal failed anna", "lost anna REVOKED", "release 1");
    }

    @Test
    void shouldGoOnAfterAMessageThatTheStoreDoesNotConfirm() {
        hold("anna");
        revoked("1");
        then("renew 1");
        reply(Reply.Renewed.INSTANCE);
        then("renewed anna");
        revoked("other");
        then();
        pass(1_000);
        then("renew 1");
        reply(Reply.NotOwner.FREE);
        then("renewal failed anna", "lost anna DELETED", "release 1");
    }

    @Test
    void shouldCheckAFixedLeaseWithoutExtendingIt() {
        enter("anna", 0, FIXED);
        reply(new Reply.Granted(7));
        then("acquire 1", "granted anna 7 REPLY");
        pass(1_000);
        revoked("1");
        then("renew 1 for 1 ms");
        fail(unknown());
        then("renewal failed anna");
        pass(50);
        then("renew 1 for 1 ms");
        reply(Reply.Renewed.INSTANCE);
        then("renewed anna");
        pass(LEASE - LEASE / 10 - 1_050);
        then("lost anna EXPIRED");
    }

    @Test
    void shouldCheckAGrantThatIsRevokedBeforeItsReplyArrives() {
        enter("anna", 0);
        then("acquire 1");
        revoked("1");
        then();
        reply(new Reply.Granted(7));
        then("granted anna 7 REPLY", "renew 1");
        reply(Reply.NotOwner.FREE);
        then("renewal failed anna", "lost anna REVOKED", "release 1");
    }

    @Test
    void shouldRevokeAGrantThatWasHandedOverInMemory() {
        hold("anna");
        enter("bert", 5_000);
        pass(1);
        release("anna");
        then("released anna", "granted bert 8 LOCAL");
        revoked("1");
        then("renew 1");
        reply(Reply.NotOwner.FREE);
        then("renewal failed bert", "lost bert REVOKED", "release 1 last 8");
    }

    @Test
    void shouldNeitherHandOverNorBelieveWhatMayBeRevoked() {
        hold("anna");
        enter("bert", 5_000);
        pass(1);
        revoked("1");
        then("renew 1");
        release("anna");
        then("release 1 then 2");
        this.open.remove();
        reply(new Reply.Taken(LEASE, "other", 9, 0, 500));
        then("released anna", "taken other");
        revoked("2");
        notified("2", 10);
        then("acquire 2 join");
    }

    @Test
    void shouldNotEndAFixedLeaseBecauseOfAMessageAlthoughItsOwnerHasDied() {
        enter("anna", 0, FIXED);
        reply(new Reply.Granted(7));
        then("acquire 1", "granted anna 7 REPLY");
        this.out.dead.add("anna");
        revoked("1");
        then("renew 1 for 1 ms");
        reply(Reply.NotOwner.FREE);
        then("renewal failed anna", "lost anna REVOKED", "release 1");
    }

    @Test
    void shouldReportThatARenewalIsLateAndThatItHasRecovered() {
        hold("anna");
        pass(1_000);
        then("renew 1");
        pass(500);
        then("at risk anna", "renew 1");
        reply(Reply.Renewed.INSTANCE);
        then("renewed anna", "recovered anna");
    }

    @Test
    void shouldEndTheGrantOfAnOwnerThatHasDied() {
        hold("anna");
        this.out.dead.add("anna");
        pass(1_000);
        then("lost anna OWNER_DIED", "release 1");
    }

    // ---- Several waiters of one JVM

    @Test
    void shouldPassOnInMemoryInTheOrderOfArrival() {
        hold("anna");
        enter("ben", 5_000);
        enter("carl", 5_000);
        then();
        pass(10);
        release("anna");
        then("released anna", "granted ben 8 LOCAL");
        release("ben");
        then("released ben", "granted carl 9 LOCAL");
        release("carl");
        // The store learns the last token that was used.
        then("release 1 last 9");
    }

    @Test
    void shouldPassOnThroughTheStoreWhenOthersMayHaveTheirTurn() {
        hold("anna");
        enter("ben", 5_000);
        pass(PASS_TIME);
        release("anna");
        then("release 1 then 2");
        reply(new Reply.Granted(8));
        then("released anna", "granted ben 8 LOCAL");
    }

    @Test
    void shouldStandInLineBehindAnotherInstanceAfterARelease() {
        hold("anna");
        enter("ben", 5_000);
        pass(PASS_TIME);
        release("anna");
        then("release 1 then 2");
        reply(new Reply.InLine(8));
        then("released anna");
        notified("2", 9);
        then("granted ben 9 MESSAGE", "renew 2");
    }

    @Test
    void shouldRefuseAWaiterBehindAGrantOfItsJvmWithoutACommand() {
        hold("anna");
        enter("ben", 100);
        pass(100);
        then("refused ben HELD_BY_OTHERS");
    }

    @Test
    void shouldLetReadersShareAGrant() {
        enterReader("anna");
        then("acquire 1.r join");
        reply(new Reply.Granted(7));
        then("granted anna 7 REPLY");
        enterReader("ben");
        then("granted ben 7 JOINED");
        release("anna");
        then("released anna");
        release("ben");
        then("release 1.r");
        reply(Reply.Released.INSTANCE);
        then("released ben");
    }

    @Test
    void shouldPassOnAPermitInMemoryAndKeepThePlaceInLine() {
        holdPermit("anna");
        enterPermit("ben");
        enterPermit("carl");
        then("acquire 2.s1.3 join");
        reply(takenByOthers(POLL));
        then("taken other");
        release("anna");
        // Another permit may have the next token.
        then("released anna", "granted ben 7 LOCAL");
        notified("2.s1.3", 9);
        then("granted carl 9 MESSAGE", "renew 2.s1.3");
        release("ben");
        then("release 1.s1.3");
    }

    @Test
    void shouldPassOnAPermitThroughTheStoreWhenOthersMayHaveTheirTurn() {
        holdPermit("anna");
        enterPermit("ben");
        then("acquire 2.s1.3 join");
        reply(takenByOthers(POLL));
        then("taken other");
        pass(PASS_TIME);
        release("anna");
        then("release 1.s1.3");
    }

    @Test
    void shouldNotPassOnAPermitToARequestForMore() {
        holdPermit("anna");
        enter(named("ben", 5_000, RENEWED, WRITE.withPermits(2, 3)));
        then("acquire 2.s2.3 join");
        release("anna");
        then("release 1.s1.3");
    }

    @Test
    void shouldPassOnAReaderThatMayNotShareItsGrant() {
        Terms limited = new Terms(nanos(LEASE), nanos(1_000), nanos(1_500), 0);
        enter(named("anna", 5_000, limited, READ));
        reply(new Reply.Granted(7));
        then("acquire 1.r join", "granted anna 7 REPLY");
        enterReader("ben");
        then("acquire 2.r join");
        release("anna");
        then("released anna", "granted ben 7 LOCAL", "release 2.r");
        enterReader("carl");
        then("acquire 3.r join");
    }

    @Test
    void shouldNotLetAReaderPassAWriterOfItsJvm() {
        enterReader("anna");
        reply(new Reply.Granted(7));
        then("acquire 1.r join", "granted anna 7 REPLY");
        enter("writer", 5_000);
        then("acquire 2 join");
        enterReader("ben");
        then();
    }

    // ---- The limit of waiters

    @Test
    void shouldRefuseAWaiterAboveItsLimitBeforeAnyCommand() {
        hold("anna");
        enter(limited("ben", 1));
        enter(limited("carl", 1));
        then("refused carl QUEUE_FULL");
        pass(10);
        release("anna");
        then("released anna", "granted ben 8 LOCAL");
        enter(limited("dora", 1));
        then();
    }

    @Test
    void shouldNotCountAWaiterBeforeItsFirstAttemptIsRefused() {
        enter(limited("anna", 1));
        then("acquire 1 join");
        enter(limited("ben", 1));
        then();
        enter(limited("carl", 1));
        then("refused carl QUEUE_FULL");
        // From now on, two callers wait, of which the last is too many.
        reply(takenByOthers(POLL));
        then("taken other", "refused ben QUEUE_FULL");
    }

    @Test
    void shouldRefuseEachCallerThatWouldHaveToWait() {
        enter(limited("anna", 0));
        reply(new Reply.Granted(7));
        then("acquire 1 join", "granted anna 7 REPLY");
        enter(limited("ben", 0));
        then("refused ben QUEUE_FULL");
    }

    @Test
    void shouldLeaveTheLineBeforeARefusalByTheLimit() {
        enter(limited("anna", 0));
        reply(takenByOthers(POLL));
        then("acquire 1 join", "taken other", "release 1");
        reply(Reply.LeftLine.INSTANCE);
        then("refused anna QUEUE_FULL");
    }

    @Test
    void shouldNeitherCountNorLimitAnAttemptAndAReaderThatJoins() {
        enterReader("anna");
        reply(new Reply.Granted(7));
        then("acquire 1.r join", "granted anna 7 REPLY");
        enter(named("ben", 5_000, RENEWED, READ.withMaxWaiters(0)));
        then("granted ben 7 JOINED");
        enter(named("carl", 0, RENEWED, WRITE.withMaxWaiters(0)));
        then("refused carl HELD_BY_OTHERS");
    }

    @Test
    void shouldApplyTheLimitOfEachRequestToAllWaiters() {
        hold("anna");
        enter("ben", 5_000);
        enter(limited("carl", 3));
        enter(limited("dora", 2));
        then("refused dora QUEUE_FULL");
        enter(limited("emil", 3));
        then();
    }

    // ---- The line of the store

    @Test
    void shouldBelieveAMessageThatCannotBeOld() {
        enter("anna", 5_000);
        then("acquire 1 join");
        reply(takenByOthers(POLL));
        then("taken other");
        pass(100);
        notified("1", 8);
        then("granted anna 8 MESSAGE", "renew 1");
    }

    @Test
    void shouldBelieveAMessageAboutASharedGrant() {
        enterReader("anna");
        reply(takenByOthers(POLL));
        then("acquire 1.r join", "taken other");
        enterReader("ben");
        notified("1.r", 8);
        then("granted anna 8 MESSAGE", "renew 1.r", "granted ben 8 JOINED");
        enterReader("carl");
        then("granted carl 8 JOINED");
        reply(Reply.NotOwner.TAKEN);
        then(
                "renewal failed carl",
                "lost carl TAKEN_OVER",
                "renewal failed ben",
                "lost ben TAKEN_OVER",
                "renewal failed anna",
                "lost anna TAKEN_OVER",
                "release 1.r");
    }

    @Test
    void shouldNotLetAReaderJoinAGrantByMessageWhoseRenewalIsLate() {
        enterReader("anna");
        reply(takenByOthers(POLL));
        then("acquire 1.r join", "taken other");
        pass(1_000);
        then("acquire 1.r join");
        notified("1.r", 8);
        then("granted anna 8 MESSAGE", "renew 1.r");
        pass(150);
        then("at risk anna", "renew 1.r");
        enterReader("ben");
        then("acquire 2.r join");
    }

    @Test
    void shouldAskAfterAMessageThatMayBeOld() {
        enter("anna", 5_000);
        reply(takenByOthers(POLL));
        then("acquire 1 join", "taken other");
        notified("1", 6);
        then("acquire 1 join");
        reply(new Reply.Granted(8));
        then("granted anna 8 REPLY");
    }

    @Test
    void shouldAskAfterAMessageWhileAnExpiredReaderIsInTheWay() {
        enter(named("anna", 5_000, FIXED, READ));
        reply(new Reply.Granted(7));
        then("acquire 1.r join", "granted anna 7 REPLY");
        pass(2_600);
        enter("ben", 5_000);
        reply(takenByOthers(POLL));
        then("acquire 2 join", "taken other");
        // The JVM pauses, so that the loss and the message are noticed together.
        this.millis += 200;
        notified("2", 8);
        then("lost anna EXPIRED");
        pass(100);
        then("acquire 2 join");
        reply(new Reply.Granted(8));
        then("granted ben 8 REPLY");
        assertThat(grant("ben").acquisition.isNotified())
                .as("the hand-over counts as one by message")
                .isTrue();
        pass(1);
        release("ben");
        reply(Reply.Released.INSTANCE);
        then("release 2", "released ben");
    }

    @Test
    void shouldLeaveTheLineAtTheEndOfTheWait() {
        enter("anna", 100);
        reply(takenByOthers(POLL));
        then("acquire 1 join", "taken other");
        pass(100);
        then("acquire 1 join");
        reply(takenByOthers(POLL));
        then("release 1");
        // Until then, the store could still grant the lock to it.
        reply(Reply.LeftLine.INSTANCE);
        then("refused anna HELD_BY_OTHERS");
    }

    @Test
    void shouldReleaseAGrantThatMeetsAWithdrawal() {
        Named anna = enter("anna", 5_000);
        then("acquire 1 join");
        withdraw(anna);
        then("release 1");
        pass(1);
        reply(new Reply.Granted(7));
        reply(Reply.Released.INSTANCE);
        then("refused anna WITHDRAWN");
        // The release was sent before the outcome of the attempt was known, and may have been executed first.
        pass(50);
        then("release 1");
    }

    @Test
    void shouldReleaseWhatAMessageGrantsToNobody() {
        notified("9", 7);
        then("release 9");
    }

    // ---- Failures of the store

    @Test
    void shouldRepeatAQuestionWithoutAReply() {
        enter("anna", 5_000);
        then("acquire 1 join");
        fail(unknown());
        pass(50);
        then("acquire 1 join");
        reply(new Reply.Granted(7));
        then("granted anna 7 REPLY");
    }

    @Test
    void shouldRefuseAtOnceWhatTheStoreRejects() {
        enter("anna", 5_000);
        then("acquire 1 join");
        fail(new LockStoreException("no permission", null, false, false));
        then("refused anna STORE_FAILED");
        assertThat(this.lock.isIdle()).as("the store knows nothing of it").isTrue();
    }

    @Test
    void shouldRepeatAReleaseUntilItIsAnswered() {
        hold("anna");
        release("anna");
        then("release 1");
        fail(unknown());
        // The owner need not wait for it.
        then("released anna");
        pass(50);
        then("release 1");
        reply(Reply.NotOwner.FREE);
        then();
        assertThat(this.lock.isIdle()).as("nothing is left of the lock").isTrue();
    }

    @Test
    void shouldEndAWaitACommandTimeoutAfterItsTimeIfTheStoreIsSilent() {
        enter("anna", 100);
        then("acquire 1 join");
        pass(100);
        then();
        pass(COMMAND_TIMEOUT);
        then("refused anna STORE_FAILED", "release 1");
    }

    // ---- Other requests of owners

    @Test
    void shouldKeepTheLockUntilTheEndOfItsMinimumHold() {
        enter("anna", 0, new Terms(nanos(LEASE), nanos(1_000), Moment.NEVER, nanos(700)));
        reply(new Reply.Granted(7));
        then("acquire 1", "granted anna 7 REPLY");
        pass(200);
        release("anna");
        then("release 1 keep 500");
    }

    @Test
    void shouldStopRenewingAtTheMaximumHold() {
        enter("anna", 0, new Terms(nanos(LEASE), nanos(1_000), nanos(1_500), 0));
        reply(new Reply.Granted(7));
        pass(1_000);
        reply(Reply.Renewed.INSTANCE);
        then("acquire 1", "granted anna 7 REPLY", "renew 1", "renewed anna");
        pass(1_000 + LEASE);
        then("lost anna MAX_HOLD", "release 1");
    }

    @Test
    void shouldTurnAWriterIntoAReader() {
        hold("anna");
        this.lock.downgrade(grant("anna"), named("reader", 0, RENEWED, READ), now());
        then("released anna", "granted reader 7 DOWNGRADED", "downgrade 1");
        reply(new Reply.Granted(7));
        then("renewed reader");
    }

    // ---- The end

    @Test
    void shouldRefuseWaitersAndLeaveGrantsAtAStop() {
        hold("anna");
        enter("ben", 5_000);
        this.lock.stop(now());
        then("refused ben STOPPED");
        release("anna");
        then("release 1");
    }

    @Test
    void shouldReportGrantsAsLostWithoutARelease() {
        hold("anna");
        this.lock.giveUp(now());
        then("lost anna SHUTDOWN");
    }

    // ---- Inputs

    private void hold(String name) {
        enter(name, 0);
        reply(new Reply.Granted(7));
        then("acquire 1", "granted " + name + " 7 REPLY");
    }

    private Named enter(String name, long waitTime) {
        return enter(name, waitTime, RENEWED);
    }

    private Named enter(String name, long waitTime, Terms terms) {
        return enter(named(name, waitTime, terms, WRITE));
    }

    private Named limited(String name, int maxWaiters) {
        return named(name, 5_000, RENEWED, WRITE.withMaxWaiters(maxWaiters));
    }

    private void holdPermit(String name) {
        enterPermit(name);
        reply(new Reply.Granted(7));
        then("acquire 1.s1.3 join", "granted " + name + " 7 REPLY");
    }

    private void enterPermit(String name) {
        Named unused = enter(named(name, 5_000, RENEWED, PERMIT));
    }

    private void enterReader(String name) {
        Named unused = enter(named(name, 5_000, RENEWED, READ));
    }

    private Named enter(Named waiter) {
        this.lock.enter(waiter, now());
        return waiter;
    }

    private Named named(String name, long waitTime, Terms terms, LockRequest request) {
        return new Named(name, request, nanos(waitTime), terms, () -> !this.out.dead.contains(name));
    }

    private void release(String name) {
        boolean unused = this.lock.release(grant(name), now());
    }

    private void withdraw(Waiter waiter) {
        boolean unused = this.lock.withdraw(waiter, Refusal.Cause.WITHDRAWN, now());
    }

    private void revoked(String id) {
        this.lock.revoked(id, now());
    }

    private void notified(String id, long token) {
        this.lock.notified(id, token, now());
    }

    /** The store replies to the first command that has no outcome. */
    private void reply(Reply reply) {
        this.lock.replied(this.open.remove(), reply, now());
    }

    private void fail(LockStoreException failure) {
        this.lock.failed(this.open.remove(), failure, now());
    }

    /** Time passes, and the lock is called when it has requested it. */
    private void pass(long time) {
        long end = this.millis + time;
        while (nanos(end) >= this.lock.dueAt) {
            this.millis = Math.max(this.millis, (this.lock.dueAt + Moment.MILLI - 1) / Moment.MILLI);
            this.lock.timeReached(now());
        }
        this.millis = end;
    }

    // ---- What follows

    /** This has happened since the last call, and nothing else. */
    private void then(String... effects) {
        assertThat(this.out.effects).as("effects since the last look").isEqualTo(Arrays.asList(effects));
        this.out.effects.clear();
        assertThat(Invariants.broken(this.lock)).as("broken invariant").isNull();
    }

    private long remaining(String name) {
        return grant(name).remaining(now()) / Moment.MILLI;
    }

    private Grant grant(String name) {
        Grant grant = this.grants.get(name);
        assertThat(grant).as("grant of %s", name).isNotNull();
        return Objects.requireNonNull(grant);
    }

    @AfterEach
    void shouldHaveLookedAtEverything() {
        assertThat(this.out.effects)
                .as("effects that the scenario does not name")
                .isEmpty();
    }

    private Moment now() {
        return new Moment(nanos(this.millis), this.millis);
    }

    private static long nanos(long millis) {
        return millis * Moment.MILLI;
    }

    /** The lock belongs to another instance, whose token is 7. */
    private static Reply takenByOthers(long poll) {
        return new Reply.Taken(60_000, "other", 7, 0, poll);
    }

    private static LockStoreException unknown() {
        return new LockStoreException("no reply", null, true, true);
    }

    private static final class Named extends Waiter {

        private final String name;

        Named(String name, LockRequest request, long waitTime, Terms terms, Owner owner) {
            super(request, GrantKind.of(request), waitTime, terms, owner);
            this.name = name;
        }
    }

    /** Writes effects down. Draws ids in a row, and no random pauses. */
    private final class Recorder implements Effects {

        final List<String> effects = new ArrayList<>();

        final List<String> dead = new ArrayList<>();

        private final Map<Grant, String> names = new HashMap<>();

        private int ids;

        @Override
        public String id(GrantKind kind) {
            return kind.idOf(Integer.toString(++this.ids));
        }

        @Override
        public long below(long bound) {
            return 0;
        }

        @Override
        public void send(Sent sent) {
            LocalLockTest.this.open.add(sent);
            this.effects.add(text(sent.command));
        }

        private static String text(Command command) {
            if (command instanceof Command.Acquire acquire) {
                return "acquire " + acquire.id() + (acquire.join() ? " join" : "");
            }
            if (command instanceof Command.Renew renew) {
                return "renew " + renew.id() + (renew.leaseMillis() == 1 ? " for 1 ms" : "");
            }
            if (command instanceof Command.Downgrade downgrade) {
                return "downgrade " + downgrade.id();
            }
            Command.Release release = (Command.Release) command;
            return "release " + release.id()
                    + (release.lastToken() > 0 ? " last " + release.lastToken() : "")
                    + (release.keepMillis() > 0 ? " keep " + release.keepMillis() : "")
                    + (release.successor() != null
                            ? " then " + release.successor().acquisitionId()
                            : "");
        }

        @Override
        public int withdraw(Acquisition acquisition) {
            return 0;
        }

        @Override
        public void granted(Waiter waiter, Grant grant, Way way) {
            String name = ((Named) waiter).name;
            this.names.put(grant, name);
            LocalLockTest.this.grants.put(name, grant);
            this.effects.add("granted " + name + ' ' + grant.token + ' ' + way);
        }

        @Override
        public void refused(Waiter waiter, Refusal refusal) {
            this.effects.add("refused " + ((Named) waiter).name + ' ' + refusal.cause());
        }

        @Override
        public void taken(String owner) {
            this.effects.add("taken " + owner);
        }

        @Override
        public void renewed(Grant grant, Moment sentAt) {
            note("renewed", grant);
        }

        @Override
        public void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause) {
            note("renewal failed", grant);
        }

        @Override
        public void atRisk(Grant grant, @Nullable LockStoreException cause) {
            note("at risk", grant);
        }

        @Override
        public void recovered(Grant grant) {
            note("recovered", grant);
        }

        @Override
        public void releaseRequested(Grant grant) {
            note("asked", grant);
        }

        @Override
        public void lost(Grant grant, LossReason reason) {
            this.effects.add("lost " + this.names.get(grant) + ' ' + reason);
        }

        @Override
        public void released(Grant grant, @Nullable LockStoreException failure) {
            note("released", grant);
        }

        private void note(String what, Grant grant) {
            this.effects.add(what + ' ' + this.names.get(grant));
        }
    }
}
