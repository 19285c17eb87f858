package io.github.lockstarter.lock;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Faults that are planted into copies of the sources of the engine and of the store, one at a time, to measure the
 * simulation: it must find each of them. The changed files are compiled, and run in a class loader of its own together
 * with the simulation. A fault must change no constant and no signature that other files use, because these are not
 * compiled again.
 */
@SuppressWarnings("StringConcatToTextBlock") // a text block would not show what stands in one line of the sources
final class PlantedFaults {

    private static final String LOCK = "lock/LocalLock";

    private static final String ACQUISITION = "lock/Acquisition";

    private static final String QUEUE = "lock/WaiterQueue";

    private static final String DELIVERY = "lock/Delivery";

    private static final String BATCH = "lock/RenewalBatch";

    private static final String RULES = "lock/Rules";

    private static final String STATE = "store/LockState";

    private static final String WINDOW = "lock/CommandWindow";

    private static final String TABLE = "store/LockTable";

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** One for all faults, which keeps the class path open. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    private static final String PACKAGE = "io/github/lockstarter/";

    /** Classes that are loaded anew for each fault, because they or others of their package are changed. */
    private static final Pattern RELOADED = Pattern.compile(PACKAGE + "(lock|store)/[^/]+");

    /**
     * A fault: some texts of source files, each of which occurs once, and what replaces them.
     *
     * @param seeds number of seeds in which it is found; 0: another rule covers it, and it need not be found alone
     */
    record Fault(String name, int seeds, List<Change> changes) {

        @Override
        public String toString() {
            return this.name;
        }

        /** Returns both faults as one. */
        Fault with(String suffix, int found, Fault cover) {
            List<Change> all = new ArrayList<>(this.changes);
            all.addAll(cover.changes);
            return new Fault(this.name + ", " + suffix, found, all);
        }
    }

    record Change(String file, String text, String replacement) {}

    static final List<Fault> ALL = new ArrayList<>();

    static {
        clocksAndLeases();
        messages();
        unknownOutcomes();
        waits();
        limits();
        passes();
        kinds();
        owners();
        otherServers();
        store();
    }

    private PlantedFaults() {}

    /** Adds a fault of the lock. */
    private static Fault plant(String name, int seeds, String... texts) {
        return plantIn(LOCK, name, seeds, texts);
    }

    /** Adds a fault that consists of changes of one file: texts, and what replaces them. */
    private static Fault plantIn(String file, String name, int seeds, String... texts) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < texts.length; i += 2) {
            changes.add(new Change(file, texts[i], texts[i + 1]));
        }
        Fault fault = new Fault(name, seeds, changes);
        ALL.add(fault);
        return fault;
    }

    private static void clocksAndLeases() {
        plantIn(
                RULES,
                "no margin for clocks",
                20,
                "lease - Math.min(lease / 2, Math.max(MIN_MARGIN, lease / 10))",
                "lease");
        plantIn(
                ACQUISITION,
                "monotonic clock only",
                250,
                "return Math.min(left, (this.validUntilWall - now.wallMillis()) * MILLI);",
                "return left;");
        plantIn(
                ACQUISITION,
                "wall clock only",
                100,
                "return Math.min(left, (this.validUntilWall - now.wallMillis()) * MILLI);",
                "return (this.validUntilWall - now.wallMillis()) * MILLI;");
        plant(
                "the lease of a grant counts from the reply",
                50,
                "acquisition.extend(from, Rules.usable(Math.min(",
                "acquisition.extend(now, Rules.usable(Math.min(");
        plant(
                "a renewed lease counts from the reply",
                50,
                "extend(acquisition, sent, leaseOf(sent));",
                "acquisition.extend(now, Rules.usable(leaseOf(sent)), leaseOf(sent));");
        plant(
                "a grant whose lease is over is used",
                100,
                "if (acquisition.remaining(now) <= 0) {",
                "if (this.name.isEmpty()) {");
        plant(
                "the end of a lease is not noticed",
                20,
                "acquisition.phase == Phase.HELD && acquisition.remaining(now) <= 0",
                "acquisition.phase == Phase.HELD && acquisition.remaining(now) < -MILLI * 60_000");
        plant(
                "an expired grant is released without its margin",
                20,
                "end(acquisition, acquisition.storedUntil, now);",
                "end(acquisition, now.nanos(), now);");
        plant(
                "the margin of a lease ends with a message or with another server",
                300,
                "if (acquisition.lostGrants == 0 || acquisition.storedUntil <= now.nanos()) {",
                "if (acquisition.dueAt > BEFORE) {");
        plant(
                "a renewal requests twice the lease",
                20,
                "needsRenewal ? acquisition.terms.lease() : MILLI",
                "needsRenewal ? 2 * acquisition.terms.lease() : MILLI");
        plant(
                "the reply that a grant is gone is ignored",
                1000,
                "if (reply instanceof Reply.NotOwner none) {",
                "if (reply instanceof Reply.NotOwner none && this.name.isEmpty()) {");
        plantIn(
                ACQUISITION,
                "renewed beyond the maximum hold",
                500,
                "each.renewUntil > now.nanos()",
                "each.renewUntil != BEFORE");
        plant(
                "not renewed again after a failure",
                50,
                "acquisition.dueAt = Moment.sum(now.nanos(), pause(acquisition, Rules.maxRenewalPause(acquisition.terms.lease())));",
                "acquisition.dueAt = NEVER;");
        plant(
                "a failed renewal is no risk",
                500,
                "if (acquisition.needsRenewal(now)) {\n                    atRisk",
                "if (this.name.isEmpty()) {\n                    atRisk");
        plant("recovered without a notice", 50, "this.out.recovered(grant);", "");
        plantIn(
                ACQUISITION,
                "the next renewal counts from the end of the lease",
                100,
                "this.renewedAt = Math.max(this.renewedAt, from.nanos());\n"
                        + "            if (from.nanos() + usable > this.validUntil) {",
                "if (from.nanos() + usable > this.validUntil) {\n                this.renewedAt = from.nanos();");
        plant(
                "a nested hold does not request its longer lease",
                50,
                "acquisition.isConfirmed &= acquisition.storedUntil - acquisition.renewedAt >= terms.lease();",
                "");
    }

    private static void messages() {
        plant(
                "a message about a forced release is ignored",
                100,
                "if (acquisition.isMeant(id)) {\n                acquisition.revokedAt",
                "if (id.isEmpty()) {\n                acquisition.revokedAt");
        plant(
                "a message about a forced release is believed",
                50,
                "if (acquisition.phase == Phase.HELD) {\n                    acquisition.dueAt = now.nanos();\n"
                        + "                }\n            }\n        }\n        advance(now);",
                "if (acquisition.phase == Phase.HELD) {\n                    loseAll(acquisition, LossReason.REVOKED);\n"
                        + "                    end(acquisition, now.nanos(), now);\n                }\n            }\n        }\n"
                        + "        advance(now);");
        plant(
                "a message about a forced release before the grant is ignored",
                100000,
                "grant(acquisition, waiter, way, now);\n        if (acquisition.revokedAt != null) {",
                "grant(acquisition, waiter, way, now);\n        if (way == null) {");
        plant(
                "the reply to an earlier renewal answers a message about a forced release",
                60000,
                "revokedAt != null && sent.at.nanos() >= revokedAt.nanos()",
                "revokedAt != null");
        plant(
                "a message about a forced release extends a fixed lease",
                3000,
                "needsRenewal ? acquisition.terms.lease() : MILLI",
                "acquisition.terms.lease()");
        plant(
                "a request to release a grant before its reply is ignored",
                100,
                "        if (acquisition.isReleaseRequested) {",
                "        if (acquisition.isReleaseRequested && way == Way.JOINED) {");
        plant(
                "a request to release a grant is passed on to the next owner",
                2000,
                "        acquisition.isReleaseRequested = false;",
                "");
        plant(
                "a repeated request is told again",
                1200,
                "isHeld && !acquisition.isReleaseRequested ? acquisition.grant",
                "isHeld ? acquisition.grant");
        plant(
                "the owner of a lost grant is asked to release it",
                5000,
                "isHeld && !acquisition.isReleaseRequested ? acquisition.grant",
                "!acquisition.isReleaseRequested ? acquisition.grant");
        plant(
                "a message counts from its receipt",
                200,
                "beginHold(acquisition, token, acquisition.notOwnerAt, this.rules.claim(), Way.MESSAGE, now);",
                "beginHold(acquisition, token, now, this.rules.claim(), Way.MESSAGE, now);");
        Fault token = plant("the token of a message is not compared", 0, "&& token > acquisition.token", "");
        Fault chain = plant("the chain of proofs is not checked", 0, "&& !acquisition.hasProofGap", "");
        ALL.add(token.with("nor the chain of proofs", 20000, chain));
        plant(
                "messages are believed for too long",
                10000,
                "&& Rules.usable(lease) - now.since(acquisition.notOwnerAt) >= Rules.minLeftOfProof(lease)",
                "");
        plant(
                "a grant by message is not confirmed",
                200,
                "acquisition.isConfirmed = way != Way.MESSAGE && lease >= waiter.terms.lease();",
                "");
        plant(
                "a message about a shared grant is a hint",
                100,
                "&& token > acquisition.token\n",
                "&& token > acquisition.token && !acquisition.kind.isShared()\n");
        plant(
                "a message that proves nothing is ignored",
                50,
                "} else { acquisition.dueAt = now.nanos(); }\n        } else if (acquisition.phase == Phase.ENDING) {",
                "} } else if (acquisition.phase == Phase.ENDING) {");
        plant(
                "a message about a candidate that was given up is ignored",
                20,
                "acquisition.settledAt = now.nanos();\n            releaseSoon(acquisition, now);",
                "");
        plant(
                "a message does not outdate a release under way",
                50,
                "acquisition.settledAt = now.nanos();\n            releaseSoon",
                "releaseSoon");
        plant("a message about an unknown id is ignored", 20, "if (!this.stopped) {", "if (this.name.isEmpty()) {");
        plant(
                "lost messages are not made up for",
                20,
                "void notificationsMayBeLost(Moment now) {\n        askNow(now);",
                "void notificationsMayBeLost(Moment now) {");
    }

    private static void unknownOutcomes() {
        plant("an unknown outcome is forgotten", 20, "if (cause.isOutcomeUnknown()) {", "if (this.name.isEmpty()) {");
        plant(
                "only the latest unknown outcome counts",
                50000,
                "Math.max(acquisition.unsettledUntil, Moment.sum(now.nanos(), leaseOf(attempt)))",
                "Moment.sum(now.nanos(), leaseOf(attempt))");
        plant(
                "a release is final beside an open attempt",
                20,
                "return acquisition.openAttempts == 0\n",
                "return acquisition.openAttempts >= 0\n");
        plant(
                "a release is final beside an attempt that was answered since",
                50,
                "&& release.at.nanos() >= acquisition.settledAt",
                "");
        plant(
                "a release is final if its reply is late enough",
                20,
                "&& release.at.nanos() >= acquisition.unsettledUntil",
                "&& acquisition.renewedAt + NEVER / 2 >= acquisition.unsettledUntil");
        plant(
                "a failed release is not repeated",
                20,
                "if (now.nanos() >= acquisition.giveUpAt && acquisition.openAttempts == 0) {",
                "if (acquisition.openAttempts == 0) {");
        plant(
                "releases are given up after the latest lease",
                100,
                "Rules.LEASES_OF_RELEASING * Math.max(acquisition.longestLease, 2 * this.rules.poll())",
                "acquisition.terms.lease()");
        plant(
                "a candidate leaves the line silently",
                20,
                "if (acquisition.isUnknownToStore()) {",
                "if (acquisition.phase == Phase.ASKING) {");
        plantIn(
                ACQUISITION,
                "a candidate is dropped with an open attempt",
                20,
                "!(this.hasJoined && this.hasReply) && this.openAttempts == 0 && this.unsettledUntil == BEFORE",
                "!(this.hasJoined && this.hasReply)");
        plantIn(
                ACQUISITION,
                "a candidate is dropped although it may be in the line",
                20,
                "!(this.hasJoined && this.hasReply) && this.openAttempts == 0 && this.unsettledUntil == BEFORE",
                "!(this.hasJoined && this.hasReply) && this.openAttempts == 0");
    }

    private static void waits() {
        plant(
                "the next waiter is not served after a withdrawal",
                20,
                "refuse(waiter, cause, null, now);\n        advance(now);",
                "refuse(waiter, cause, null, now);");
        plant(
                "the last waiter is notified without a limit of time",
                60,
                "Moment.sum(Math.min(waiter.deadline, now.nanos()), this.rules.commandTimeout())",
                "NEVER");
        plant(
                "the last waiter is not notified when it has left the line",
                20,
                "releaseOver(acquisition, null);\n        reportRefusal(acquisition);",
                "releaseOver(acquisition, null);");
        plant(
                "a candidate keeps its kind for the next waiter",
                50,
                "candidate != null && (first == null || !candidate.kind.equals(first.kind))",
                "candidate != null && first == null");
        plant(
                "refused without an attempt",
                20,
                "if (known == null || known.askedAt < waiter.enteredAt) {",
                "if (known == null) {\n"
                        + "            refuse(waiter, Cause.HELD_BY_OTHERS, null, now);\n"
                        + "            return true;\n"
                        + "        }\n"
                        + "        if (known.askedAt < waiter.enteredAt) {");
        plant(
                "refused by an answer from before the wait",
                15000,
                "if (known == null || known.askedAt < waiter.enteredAt) {",
                "if (known == null) {");
        plant(
                "a waiter whose time is up does not ask",
                2000,
                "if (candidate != null && (candidate.askedAt < waiter.enteredAt || candidate.isAnswered)) {",
                "if (this.name.isEmpty() && candidate != null) {");
        plant(
                "the wait has no bound of its own",
                2000,
                "long latest = Moment.sum(waiter.deadline, this.rules.commandTimeout());",
                "long latest = now.nanos() + 60_000 * MILLI;");
        plant(
                "one attempt keeps the next waiter out of the line",
                20000,
                "boolean joinsNow = first.waitTime > 0 && !acquisition.hasJoined && acquisition.openAttempts == 0;",
                "boolean joinsNow = false;");
        plantIn(
                QUEUE,
                "last in, first out",
                20,
                "this.last = waiter;",
                "this.last = before == null ? waiter : before;\n"
                        + "        waiter.previous = null;\n"
                        + "        waiter.next = before == null ? null : this.first;\n"
                        + "        if (waiter.next != null) {\n"
                        + "            before.next = null;\n"
                        + "            waiter.next.previous = waiter;\n"
                        + "        }\n"
                        + "        this.first = waiter;");
        plant(
                "the time of a wait is not watched",
                20,
                "long next = first != null ? this.waiters.dueAt() : NEVER;",
                "long next = NEVER;");
        plantIn(QUEUE, "waiters whose time is no longer watched after a removal", 20, "this.heap.add(each);", "");
        plantIn(
                QUEUE,
                "a time in front of that of a waiter that has left",
                20,
                "while (next != null && !next.isQueued) {",
                "while (next != null && !next.isQueued && next.dueAt < 0) {");
        plant(
                "a failed attempt is not repeated",
                20,
                "acquisition.dueAt = Moment.sum(now.nanos(), pause(acquisition, this.rules.poll()));\n"
                        + "            return;\n"
                        + "        }\n"
                        + "        acquisition.dueAt",
                "return;\n        }\n        acquisition.dueAt");
        plant(
                "the poll of a candidate is forgotten",
                20,
                "acquisition.askAt(Moment.sum(now.nanos(), pauseAfter(taken)));",
                "");
    }

    private static void limits() {
        plant("a waiter above the limit enters", 20, "if (byLimit != null) {", "if (this.name.isEmpty()) {");
        plant(
                "a caller that could ask is refused by the limit",
                20,
                "return this.waiters.first != null || !mayAsk(waiter);",
                "return true;");
        plant(
                "the first waiter does not count",
                20,
                "if (first != null && !first.isWaiting && known != null) {",
                "if (first != null && known != null && this.name.isEmpty()) {");
        plant(
                "the first waiter counts in addition",
                20,
                "if (each.isWaiting && ahead >= this.rules.maxWaiters(each.request)) {",
                "if (this.name.isEmpty()) {");
        plantIn(QUEUE, "each waiter counts for the limit", 20, "missing -= waiter.isWaiting ? 1 : 0;", "missing--;");
    }

    private static void passes() {
        plant(
                "the grant of a successor is ignored",
                20,
                "attemptAnswered(successor, sent, reply, now);",
                "attemptOver(successor, sent, now);");
        plant(
                "a successor does not poll",
                60,
                "acquisition.askAt(Moment.sum(now.nanos(), jittered(this.rules.poll())));",
                "");
        plant(
                "the successor of an unanswered release is forgotten",
                10000,
                "attemptFailed(successor, sent, cause, now);",
                "attemptOver(successor, sent, now);");
        plant(
                "passed on without a limit of time",
                20,
                "&& mayBeginWith(acquisition, next.terms, now);",
                "&& next.terms.lease() == acquisition.terms.lease()"
                        + " && acquisition.remaining(now) > Rules.minLeftToShare(acquisition.terms.lease());");
        plant("passed on too often", 2000, "Math.min(this.rules.maxHandOvers(), tokens)", "tokens");
        plant("tokens grow faster than time", 20000, ": Rules.tokensIn(since)", ": Long.MAX_VALUE");
        plant(
                "passing on begins a new lease",
                20,
                "acquisition.token++;",
                "acquisition.token++;\n        acquisition.extend(now, Rules.usable(acquisition.terms.lease()), acquisition.terms.lease());");
        plant("passed on although at risk", 1000, "&& grant.state == Grant.State.HELD", "");
        plant("passed on with the same token", 20, "acquisition.token++;", "");
        plant(
                "a permit that is passed on has the next token",
                150,
                "handOvers++;\n        if (!acquisition.kind.isShared()) {",
                "handOvers++;\n        if (!this.name.isEmpty()) {");
        plant(
                "passed on to a waiter of another weight",
                50,
                "acquisition.kind.equals(next.kind)\n                // Readers",
                "acquisition.kind.mode() == next.kind.mode()\n                // Readers");
        plant(
                "a lengthened lease is passed on",
                350,
                "                && acquisition.longestLease <= acquisition.terms.lease()\n",
                "");
        plant(
                "passed on during a minimum hold",
                20,
                "&& acquisition.keepUntil <= now.nanos()\n                && acquisition.former == null",
                "&& acquisition.former == null");
        plant(
                "released without the minimum hold",
                20,
                "long keep = acquisition.keepUntil > now.nanos() ? millis(acquisition.keepUntil - now.nanos()) : 0;",
                "long keep = 0;");
        plant(
                "the grant of a successor needs no confirmation",
                1000,
                "!(attempt.command instanceof Command.Release && this.rules.needsConfirmation())",
                "true");
    }

    private static void kinds() {
        plant(
                "a grant that does not fit beside those of the JVM is used",
                5000,
                "if (!fits(waiter)) {",
                "if (this.name.isEmpty()) {");
        plant(
                "asks only if the waiter fits beside the grants of its JVM",
                20,
                "candidate == null && mayAsk(first)",
                "candidate == null && fits(first)");
        plant(
                "waits in memory behind shared grants of its JVM",
                50,
                "if (acquisition.phase == Phase.HELD && (!acquisition.kind.isShared() || willBeJoined(acquisition, first))) {",
                "if (acquisition.phase == Phase.HELD) {");
        plant(
                "asks behind an exclusive grant of its JVM",
                20,
                "if (acquisition.phase == Phase.HELD && (!acquisition.kind.isShared() || willBeJoined(acquisition, first))) {",
                "if (acquisition.phase == Phase.HELD && (this.name.isEmpty() || willBeJoined(acquisition, first))) {");
        plant(
                "readers join without a limit of time",
                50,
                "&& mayBeginWith(acquisition, waiter.terms, now)",
                "&& waiter.terms.lease() == acquisition.terms.lease()"
                        + " && acquisition.remaining(now) > Rules.minLeftToShare(acquisition.terms.lease())");
        plant(
                "readers join before a downgrade is answered",
                250,
                "&& (acquisition.isConfirmed || acquisition.former == null)",
                "");
        plant("passed on to a reader that may not share, and joined", 60, "&& !acquisition.isJoinable\n", "");
        plant(
                "a reader is released while others read",
                20,
                "if (acquisition.isShared()) {",
                "if (this.name.isEmpty()) {");
        plant(
                "the store receives no downgrade",
                50,
                "former != null && acquisition.isDowngrading()",
                "former != null && former.isDowngraded");
        plant(
                "the id of a downgraded writer is forgotten",
                50,
                "if (former != null && former.phase == Phase.SUSPENDED) {",
                "if (this.name.isEmpty() && former != null) {");
        plant(
                "a downgrade that was not executed is a loss",
                2500,
                "boolean isReliable = (acquisition.former == null || acquisition.former.isDowngraded)",
                "boolean isReliable = true");
        plant(
                "a downgrade needs no confirmation",
                50000,
                "if (this.rules.needsConfirmation()) {\n                acquisition.dueAt",
                "if (this.name.isEmpty()) {\n                acquisition.dueAt");
    }

    private static void owners() {
        plant(
                "the death of an owner is not noticed",
                50,
                "if (!grant.owner.isAlive()) {",
                "if (this.name.isEmpty()) {");
        plant(
                "the death of an owner is noticed at the end of its lease",
                100,
                "lost(grant, LossReason.OWNER_DIED);\n                acquisition.remove(grant);",
                "grant.renewUntil = BEFORE;");
        plant(
                "the lock of a dead owner is not released before the end of its lease",
                50,
                "if (acquisition.grant == null) {\n            end(acquisition, now.nanos(), now);",
                "if (acquisition.grant == null) {\n            end(acquisition, acquisition.storedUntil, now);");
        plant(
                "waiters wait for the next event after the death of an owner",
                50,
                "checkGrants(now);\n        Waiter first",
                "Waiter first",
                "long next = first != null",
                "checkGrants(now);\n        long next = first != null");
        plant(
                "an abandoned grant is renewed",
                100,
                "grant.abandoned = true;\n        grant.renewUntil = BEFORE;",
                "grant.abandoned = true;");
        plant(
                "a lost grant is reported as released twice",
                150,
                "grant.state == Grant.State.LOST && !grant.isReturned",
                "grant.state == Grant.State.LOST");
        plant(
                "a stop accepts new waiters",
                50,
                "private void refuseAll() {\n        this.stopped = true;",
                "private void refuseAll() {");
        plant(
                "a stop releases what is given up",
                50,
                "acquisition.phase = Phase.OVER;\n        }\n        this.acquisitions = null;",
                "end(acquisition, now.nanos(), now);\n        }");
    }

    private static void otherServers() {
        plant(
                "a candidate does not ask another server",
                50,
                "        askNow(now);\n        advance(now);\n    }\n\n    /** The store has replied",
                "        advance(now);\n    }\n\n    /** The store has replied");
        plant(
                "another server is not asked for the grant",
                10000,
                "acquisition.dueAt = now.nanos();\n            } else if (acquisition.phase == Phase.ENDING)",
                "acquisition.lateAt = now.nanos();\n            } else if (acquisition.phase == Phase.ENDING)");
    }

    private static void store() {
        plantIn(
                STATE,
                "store: granted past the line",
                20,
                "if (this.line.isEmpty() && fits(kind)) {",
                "if (fits(kind)) {");
        plantIn(
                STATE,
                "store: weights are ignored",
                50,
                "this.used + kind.weight() <= kind.limit()",
                "kind.weight() <= kind.limit()");
        plantIn(
                STATE,
                "store: a command cuts the lease",
                20,
                "this.endsAt = Math.max(this.endsAt, end);",
                "this.endsAt = Math.min(this.endsAt, end);");
        plantIn(
                STATE,
                "store: a late release frees others",
                20,
                "boolean isOwner = id.equals(this.owner) ||",
                "boolean isOwner = this.owner != null ||");
        plantIn(
                STATE,
                "store: one attempt joins the line",
                20,
                "} else if (command.join()) {",
                "} else if (this.table.millis > 0) {");
        plantIn(
                STATE,
                "store: an id that has ended joins the line",
                1000,
                "if (granted == 0 && !hasEnded(id)) {",
                "if (granted == 0) {");
        plantIn(
                STATE,
                "store: a downgrade shortens the lease",
                1000,
                "new Entry(reader, GrantKind.READER, this.token, this.endsAt)",
                "new Entry(reader, GrantKind.READER, this.token, 0)");
        plantIn(
                WINDOW,
                "window: an acquire that was withdrawn is written",
                100,
                "} while (next != null && !next.isWaiting);",
                "} while (next != null && next.at == null);");
        plantIn(
                WINDOW,
                "window: an acquire does not let releases pass",
                100,
                "this.open < this.size && this.releases.isEmpty() && (this.waiting == 0 || !isAcquire || isPoll)",
                "this.open < this.size",
                "Sent next = this.releases.poll();\n        if (next == null) {",
                "Sent next = this.waiting > 0 ? null : this.releases.poll();\n        if (next == null) {");
        plantIn(
                WINDOW,
                "window: a poll waits behind new acquires",
                200,
                "boolean isPoll = isAcquire && sent.acquisition.standsInLine();",
                "boolean isPoll = false;");
        plantIn(WINDOW, "window: an outcome makes no room", 100, "this.open--;", "this.open -= 0;");
        plantIn(
                WINDOW,
                "window: a release is forgotten",
                100,
                "Sent next = this.releases.poll();\n        if (next == null) {",
                "Sent next = this.releases.poll();\n        if (next != null || this.waiting > 0) {");
        plantIn(LOCK, "failure: a grant goes on", 500, "lost(grant, LossReason.FAILED);", "");
        plantIn(
                LOCK,
                "failure: an id is released while its owner works",
                500,
                "acquisition.lostGrants > 0 ? Math.max(now.nanos(), acquisition.storedUntil) : now.nanos()",
                "now.nanos()");
        plantIn(
                LOCK,
                "failure: a command under way is forgotten",
                500,
                "acquisition.unsettledUntil = Moment.sum(now.nanos(), Moment.sum(this.rules.commandTimeout(), acquisition.longestLease));",
                "acquisition.unsettledUntil = BEFORE;");
        plantIn(
                LOCK,
                "failure: a waiter is forgotten",
                100,
                "this.out.refused(waiter, refusal(Cause.STORE_FAILED, cause, true));",
                "");
        plantIn(
                LOCK,
                "failure: a grant is removed before its end is reported",
                5000,
                "released(grant, null); acquisition.remove(grant); } else if (next != null",
                "acquisition.remove(grant); released(grant, null); } else if (next != null");
        plantIn(
                LOCK,
                "failure: the owner of a release is not told",
                350,
                "releaseOver(acquisition, cause); reportRefusal(acquisition); } for",
                "reportRefusal(acquisition); } for");
        plantIn(
                DELIVERY,
                "delivery: two callers execute effects",
                20,
                "if (begin == null && !this.isDelivering) {",
                "if (begin == null) {");
        plantIn(
                DELIVERY,
                "delivery: an input passes the effects that wait",
                100,
                "if (this.isOpen || this.isDelivering || this.first != null) {",
                "if (this.isOpen || this.isDelivering) {");
        plantIn(
                DELIVERY,
                "delivery: an input replaces the effects that wait",
                50,
                "before.next = added;",
                "this.first = added;");
        plantIn(
                DELIVERY,
                "delivery: the end of the effects that wait is not noted",
                100,
                "this.last = given.last;",
                "");
        plantIn(
                DELIVERY,
                "delivery: no caller follows",
                20,
                "this.isDelivering = begin != null;",
                "this.isDelivering = true;");
        plantIn(
                DELIVERY,
                "delivery: a caller that has executed enough drops the rest",
                100,
                "Effect begin = goesOn ? this.first : null; if (begin != null) {",
                "Effect begin = goesOn ? this.first : null; if (begin != null || !goesOn) {");
        plantIn(
                DELIVERY,
                "delivery: effects are executed twice",
                20,
                "Effect begin = goesOn ? this.first : null; if (begin != null) { this.first = null; this.last = null; }",
                "Effect begin = goesOn ? this.first : null;");
        plantIn(
                DELIVERY,
                "failure: effects that were not executed are dropped",
                100,
                "end.next = this.first; this.first = left;",
                "");
        plantIn(
                DELIVERY,
                "failure: effects that were not executed follow later ones",
                20000,
                "end.next = this.first; this.first = left; this.last = this.last != null ? this.last : end;",
                "if (this.last != null) { this.last.next = left; } else { this.first = left; } this.last = end;");
        plantIn(
                DELIVERY,
                "failure: what is left is not executed",
                200,
                "this.isStalled = false; this.isDelivering = false;",
                "this.isStalled = false;");
        plantIn(
                DELIVERY,
                "failure: an input that has not ended counts as one that has",
                200,
                "this.isOpen = true; given.own = own;",
                "given.own = own;");
        plantIn(DELIVERY, "failure: a missing fact is ignored", 200, "this.hasFailed = true;", "");
        plantIn(
                DELIVERY,
                "failure: what an interrupted input has left is dropped",
                500,
                "if (this.isOpen || this.isDelivering || this.first != null) { append(given); }",
                "if (this.isOpen) { given.first = null; given.last = null; } else if (this.isDelivering || this.first != null) { append(given); }");
        plantIn(BATCH, "batch: renewals with different leases", 200, "lease != this.leaseMillis ||", "");
        plantIn(
                BATCH,
                "batch: one renewal too many",
                1000,
                "this.renewals.size() >= this.maxSize.getAsInt()",
                "this.renewals.size() > this.maxSize.getAsInt()");
        plantIn(
                BATCH,
                "batch: outcomes of other locks",
                200,
                "this.receivers.add(receiver);",
                "this.receivers.add(0, receiver);");
        plantIn(
                BATCH,
                "batch: a single renewal is not sent",
                100,
                "send(batchReceivers.get(0), batch.get(0)); return;",
                "return;");
        plantIn(
                BATCH,
                "batch: renewals that do not fit are dropped",
                10000,
                "send(); this.leaseMillis = lease;",
                "this.receivers.clear(); this.renewals.clear(); this.leaseMillis = lease;");
        plantIn(
                TABLE,
                "store: no waiter is notified",
                50,
                "this.grants.forEach(grant -> inboxes.publish(grant.lock, grant.inbox, grant.id, grant.token));",
                "");
        plantIn(
                STATE,
                "store: a grant from the line is stored with another id",
                20,
                "long granted = grant(head.id, head.kind, this.table.claimMillis);",
                "long granted = grant(head.id + \"x\", head.kind, this.table.claimMillis);");
        plantIn(
                STATE,
                "store: the line is not served when a waiter leaves",
                50000,
                "remove(entry);\n        // Those behind it may fit.\n        grantLine(\"\", 0, true);",
                "remove(entry);");
        plantIn(
                STATE,
                "store: tokens do not follow those that were passed on",
                8000,
                "this.token = Math.max(this.token, lastToken);\n    }",
                "}");
    }

    /**
     * What the simulation has found of a fault.
     *
     * @param seeds number of seeds up to the first that has found it; 0: none has
     * @param check what that seed violates
     */
    record Result(int seeds, String check) {}

    /** Plants a fault, and runs the first seeds until one has found it, but no more than its number of seeds. */
    static Result run(Fault fault) {
        return run(fault, load(fault), 1, fault.seeds);
    }

    private static Result run(Fault fault, ClassLoader planted, long firstSeed, int most) {
        int seeds = 0;
        try {
            Class<?> simulation = planted.loadClass("io.github.lockstarter.lock.Simulation");
            Class<?> reports = planted.loadClass("io.github.lockstarter.lock.Simulation$Report");
            Constructor<?> report = reports.getDeclaredConstructor();
            report.setAccessible(true);
            Object counts = report.newInstance();
            Method run = simulation.getDeclaredMethod("violation", long.class, reports);
            run.setAccessible(true);
            while (seeds < most) {
                Object violation = run.invoke(null, firstSeed + seeds++, counts);
                if (violation != null) {
                    return new Result(seeds, violation.toString().replaceFirst("(: | in \\[).*", ""));
                }
            }
        } catch (InvocationTargetException ex) {
            throw new IllegalStateException(fault.name + ", seed " + (firstSeed + seeds - 1), ex.getCause());
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(fault.name, ex);
        }
        return new Result(0, "");
    }

    private static ClassLoader load(Fault fault) {
        List<Source> sources = fault.changes.stream()
                .map(Change::file)
                .distinct()
                .map(name -> new Source(name, planted(fault, name)))
                .toList();
        Classes classes = new Classes();
        List<String> options = List.of("-proc:none", "-nowarn", "-implicit:none");
        if (!COMPILER.getTask(null, new Output(FILES, classes), null, options, null, sources)
                .call()) {
            throw new IllegalStateException("does not compile: " + fault.name);
        }
        return classes;
    }

    /** Plants a fault without compiling it; throws if a text of it does not occur once. */
    static void plantOnly(Fault fault) {
        fault.changes.forEach(change -> planted(fault, change.file));
    }

    private static String planted(Fault fault, String name) {
        String text = read(name);
        for (Change change : fault.changes) {
            if (change.file.equals(name)) {
                text = planted(fault, change, text);
            }
        }
        return text;
    }

    /** White space does not count, so that a new line break in the source or in the fault changes nothing. */
    private static String planted(Fault fault, Change change, String source) {
        String words = change.text
                .strip()
                .chars()
                .filter(character -> !Character.isWhitespace(character))
                .mapToObj(character -> Pattern.quote(Character.toString(character)))
                .collect(Collectors.joining("\\s*"));
        Matcher places = Pattern.compile(words).matcher(source);
        if (!places.find()) {
            throw new IllegalStateException(fault.name + ": gone from " + change.file + ": " + change.text);
        }
        String planted = source.substring(0, places.start()) + change.replacement + source.substring(places.end());
        if (places.find()) {
            throw new IllegalStateException(fault.name + ": more than once in " + change.file + ": " + change.text);
        }
        return planted;
    }

    private static String read(String name) {
        Path module = Path.of(System.getProperty("lock.test.module", "."));
        try {
            return Files.readString(module.resolve("src/main/java/" + PACKAGE + name + ".java"));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + PACKAGE + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return this.text;
        }
    }

    /** Writes classes to memory. */
    private static final class Output extends ForwardingJavaFileManager<StandardJavaFileManager> {

        private final Classes classes;

        Output(StandardJavaFileManager files, Classes classes) {
            super(files);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                JavaFileManager.Location location,
                String name,
                JavaFileObject.Kind kind,
                javax.tools.@Nullable FileObject sibling) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            this.classes.compiled.put(name, bytes);
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + ".class"), kind) {

                @Override
                public OutputStream openOutputStream() {
                    return bytes;
                }
            };
        }
    }

    /** Defines those that are loaded anew, from what has been compiled or from what the tests have. */
    private static final class Classes extends ClassLoader {

        private final Map<String, ByteArrayOutputStream> compiled = new HashMap<>();

        Classes() {
            super(PlantedFaults.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            String file = name.replace('.', '/');
            if (!RELOADED.matcher(file).matches()) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            byte[] bytes =
                    this.compiled.containsKey(name) ? this.compiled.get(name).toByteArray() : original(file);
            return defineClass(name, bytes, 0, bytes.length);
        }

        private byte[] original(String file) throws ClassNotFoundException {
            try (InputStream bytes = getParent().getResourceAsStream(file + ".class")) {
                return Objects.requireNonNull(bytes, file).readAllBytes();
            } catch (IOException ex) {
                throw new ClassNotFoundException(file, ex);
            }
        }
    }

    /**
     * Measures the faults. Arguments: first fault, number of faults, most seeds, and how often; each time, the seeds
     * begin at another million. Prints the number of seeds up to the first violation for each time, and what was
     * violated.
     */
    public static void main(String[] args) {
        int from = Integer.parseInt(args[0]);
        int to = Math.min(ALL.size(), from + Integer.parseInt(args[1]));
        for (Fault fault : ALL.subList(from, to)) {
            try {
                ClassLoader planted = load(fault);
                List<Integer> seeds = new ArrayList<>();
                Map<String, Integer> checks = new TreeMap<>();
                for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                    Result result = run(fault, planted, 1 + i * 1_000_000L, Integer.parseInt(args[2]));
                    seeds.add(result.seeds);
                    checks.merge(result.check, 1, Integer::sum);
                }
                System.out.printf("| %s | %d | %s | %s |%n", fault, fault.seeds, seeds, checks);
            } catch (RuntimeException ex) {
                System.out.println("| " + fault + " | FAILED " + ex.getMessage());
            }
        }
    }
}
