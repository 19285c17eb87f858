package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.ServerClock;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockState;
import io.github.lockstarter.store.LockTable;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoredFields;
import io.github.lockstarter.store.StoredHolder;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.Successor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Random commands for a few locks, determined by a seed, each executed by the scripts and by a {@link LockTable}. The
 * first difference ends the history with an error that prints the last commands.
 */
final class CommandHistory {

    /** What all histories together must contain. */
    static final List<String> CONTENTS = List.of(
            "Described",
            "Granted",
            "InLine",
            "LOCKKIND",
            "LeftLine",
            "NotOwner",
            "Released",
            "RenewedAll",
            "Renewed",
            "Taken",
            "at the end of a lease",
            "clock set back",
            "grant from the line",
            "grant to a successor",
            "long line",
            "many holders",
            "minimum hold",
            "reader from writer",
            "several grants from the line",
            "without receivers");

    /** Milliseconds in which a waiter must claim a grant, as by default. */
    private static final long CLAIM = 2_000;

    /** Microseconds since 1970. */
    static final long BEGIN = 1_700_000_000_000_000L;

    private static final LockTable.Inboxes NO_INBOXES = new LockTable.Inboxes() {

        @Override
        public void publish(String lock, String inbox, String id, long token) {}

        @Override
        public boolean hasReceivers(String inbox) {
            return false;
        }
    };

    private static final int INSTANCES = 5;

    private static final long MILLI = 1_000;

    private static final long SECOND = 1_000_000;

    /** Printed by a failure. */
    private static final int LAST_COMMANDS = 40;

    private static final int LONG = 32;

    /** What the commands of a history request. */
    private enum Use {
        EXCLUSIVE,
        READERS,
        PERMITS,
        ALL,
        LONG_LINE,
        MANY_READERS,
        MANY_PERMITS;

        boolean isCrowded() {
            return compareTo(LONG_LINE) >= 0;
        }
    }

    private final long seed;

    private final Random random;

    private final ScriptedStore redis;

    private final ScriptCommands codec;

    private final Map<String, Integer> contents;

    private final Use use;

    private final int limit;

    private final List<String> locks = new ArrayList<>();

    private final List<String> ids = new ArrayList<>();

    private final List<Command> commands = new ArrayList<>();

    private final List<String> log = new ArrayList<>();

    private final int length;

    private final LockTable table;

    /** The last tokens of released locks, which scripts without {@code TIME} keep until the clock is past them. */
    private final Map<String, Long> keptTokens = new TreeMap<>();
    /** Whether the scripts return their messages, and count no receivers. */
    private final boolean returnsMessages;

    CommandHistory(long seed, ScriptedStore redis, Map<String, Integer> contents) {
        this.seed = seed;
        // Seeds that follow each other would have similar first numbers.
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.redis = redis;
        this.codec = new ScriptCommands(redis.keys(), CLAIM);
        this.contents = contents;
        // Few are crowded, because reading their locks takes long, but some are in each run of consecutive seeds.
        List<Use> crowded = List.of(Use.LONG_LINE, Use.MANY_READERS, Use.MANY_PERMITS);
        int crowd = (int) (seed % 60);
        this.use = crowd < crowded.size()
                ? crowded.get(crowd)
                : any(List.of(Use.EXCLUSIVE, Use.READERS, Use.PERMITS, Use.ALL));
        this.limit = 1 + this.random.nextInt(this.use.isCrowded() ? 300 : 5);
        this.length = this.use.isCrowded() ? 300 + this.random.nextInt(600) : 20 + this.random.nextInt(150);
        int count = this.use.isCrowded() ? 1 : 1 + this.random.nextInt(3);
        for (int i = 0; i < count; i++) {
            this.locks.add(Long.toString(seed, 36) + "-" + i);
        }
        this.table = new LockTable(CLAIM, false);
        this.returnsMessages = seed % 3 == 0;
    }

    int executed() {
        return this.commands.size();
    }

    /** Executes all commands at times that the seed determines. */
    void run(ServerClock clock) {
        long from = BEGIN + this.random.nextInt(1_000_000_000);
        long micros = from;
        while (this.commands.size() < this.length) {
            micros = Math.max(from, next(micros));
            clock.set(micros);
            forgetTokensAheadOf(micros);
            step();
        }
        end();
    }

    /** The model grants a free lock by the clock alone. A test of its own goes further. */
    private void forgetTokensAheadOf(long micros) {
        this.keptTokens.forEach((lock, token) -> {
            if ((token + 1) / MILLI > micros / MILLI) {
                this.redis.delete(lock);
            }
        });
    }

    /** Returns the time that the model has for a command. */
    private long timeOf(Command command, long micros) {
        if (this.redis.hasTime) {
            return micros;
        }
        long millis = micros / MILLI;
        Long kept = command instanceof Command.RenewAll ? null : this.keptTokens.get(command.lock());
        if (kept == null || (kept + 1) / MILLI != millis) {
            return millis * MILLI;
        }
        count("grant after a last token");
        return kept + 1;
    }

    /** Removes a last token, which is not stored in the model, and checks how long it is kept. */
    private void noteLastToken(String lock, Map<String, String> stored, long micros, List<String> differences) {
        this.keptTokens.remove(lock);
        if (!this.redis.hasTime && stored.keySet().equals(Set.of("f", ScriptedStore.TTL))) {
            long token = Long.parseLong(stored.get("f"));
            this.keptTokens.put(lock, token);
            compare(
                    lock + " is kept",
                    "remainingMillis=" + (token / MILLI + 1 - micros / MILLI),
                    stored.get(ScriptedStore.TTL),
                    differences);
            stored.clear();
        }
    }

    void end() {
        this.locks.forEach(this.redis::delete);
    }

    private boolean chance(int percent) {
        return this.random.nextInt(100) < percent;
    }

    private <T> T any(List<T> list) {
        return list.get(this.random.nextInt(list.size()));
    }

    private void count(String content) {
        this.contents.merge(content, 1, Integer::sum);
    }

    /** Returns the time of the next command. */
    private long next(long micros) {
        int kind = this.random.nextInt(100);
        if (kind < 20) {
            return micros;
        }
        if (kind < 40) {
            return micros + this.random.nextInt(60);
        }
        if (kind < 60 || (this.use.isCrowded() && kind < 85)) {
            return micros + this.random.nextInt(3_000);
        }
        if (kind < 62) {
            count("clock set back");
            return micros - this.random.nextInt(3_000);
        }
        if (kind < 76) {
            NavigableSet<Long> ends = StoredFields.endsOf(this.table);
            Long end = ends.ceiling(micros / MILLI + (chance(80) ? 0 : this.random.nextInt(5_000)));
            if (end != null) {
                count("at the end of a lease");
                return Math.max(micros, (end - 1 + this.random.nextInt(3)) * MILLI + this.random.nextInt(1_000));
            }
        }
        return micros + (long) (this.random.nextDouble() * (kind < 99 ? SECOND / 10 : 20 * SECOND));
    }

    private void step() {
        if (chance(2) || this.commands.isEmpty()) {
            for (int i = 0; i < INSTANCES; i++) {
                this.redis.subscribe(instance(i), chance(75));
            }
        }
        Command command = command();
        String id = idOf(command);
        // Some commands come from an instance that has no inbox, and only polls.
        String inbox = id.isEmpty() || chance(10) ? "" : id.substring(0, id.indexOf('-'));
        execute(command, inbox.isEmpty() || chance(70) ? inbox : ScriptedStore.NOT_COUNTED + inbox);
    }

    /** Executes commands by the model alone, and writes the result to Redis. */
    void prepare(List<Command> prepared, long micros) {
        prepared.forEach(command -> this.table.execute(command, micros, "", NO_INBOXES));
        this.table.locks().forEach(lock -> {
            this.locks.add(lock.name());
            long left = StoredFields.endOf(lock) - micros / MILLI;
            this.redis.write(lock.name(), StoredFields.of(lock, CLAIM), left);
        });
    }

    /** Executes a command by the scripts and by the model, and compares them. */
    Object execute(Command command, String inbox) {
        ScriptedStore.Step step = this.redis.execute(command, this.codec, inbox, this.returnsMessages, this.locks);
        this.commands.add(command);
        Map<String, Map<String, String>> stored = new TreeMap<>();
        for (int i = 0; i < this.locks.size(); i++) {
            if (names(command, this.locks.get(i))) {
                stored.put(this.locks.get(i), step.stored().get(i));
            }
        }
        this.log.add("%d %s, inbox '%s' -> %s %s %s"
                .formatted(step.micros(), command, inbox, step.outcome(), step.messages(), stored));
        String difference = difference(command, inbox, step);
        if (!difference.isEmpty()) {
            List<String> last = this.log.stream()
                    .filter(line -> this.locks.stream()
                            .anyMatch(
                                    lock -> line.contains(lock) && (names(command, lock) || difference.contains(lock))))
                    .toList();
            throw new AssertionError("Model and scripts differ, seed " + this.seed + ":\n" + difference + "\nafter\n"
                    + String.join("\n", last.subList(Math.max(0, last.size() - LAST_COMMANDS), last.size())));
        }
        countContents(command, step);
        return step.outcome();
    }

    private static boolean names(Command command, String lock) {
        return command.toString().contains("lock=" + lock);
    }

    private void countContents(Command command, ScriptedStore.Step step) {
        Object outcome = step.outcome();
        count(outcome instanceof Reply ? outcome.getClass().getSimpleName() : outcome.toString());
        if (!step.messages().isEmpty()) {
            count("grant from the line");
        }
        if (step.messages().size() > 1) {
            count("several grants from the line");
        }
        if (command instanceof Command.Release release) {
            if (release.keepMillis() > 0 && outcome instanceof Reply.Released) {
                count("minimum hold");
            }
            if (outcome instanceof Reply.Granted) {
                count("grant to a successor");
            }
        }
        if (command instanceof Command.Downgrade && outcome instanceof Reply.Granted) {
            count("reader from writer");
        }
        for (LockState lock : this.table.locks()) {
            if (StoredFields.waitingIn(lock) > LONG) {
                count("long line");
            }
            if (StoredFields.holdersOf(lock) > LONG) {
                count("many holders");
            }
        }
    }

    /** Executes the command by the model, and returns how that differs from the scripts; empty: not at all. */
    private String difference(Command command, String inbox, ScriptedStore.Step step) {
        long micros = timeOf(command, step.micros());
        List<String> messages = new ArrayList<>();
        LockTable.Inboxes inboxes = new LockTable.Inboxes() {

            @Override
            public void publish(String lock, String receiver, String id, long token) {
                String key = CommandHistory.this.redis.keys().keyOf(lock);
                messages.add(CommandHistory.this.redis.channelOf(receiver) + " <- " + key + id + ':' + token);
            }

            @Override
            public boolean hasReceivers(String receiver) {
                boolean isGone = !CommandHistory.this.returnsMessages
                        && !receiver.startsWith(ScriptedStore.NOT_COUNTED)
                        && !CommandHistory.this.redis.isSubscribed(receiver);
                if (isGone) {
                    count("without receivers");
                }
                return !isGone;
            }
        };
        Object outcome;
        try {
            outcome = this.table.execute(command, micros, inbox, inboxes);
        } catch (LockStoreException ex) {
            outcome = String.valueOf(ex.getMessage()).contains("holders") ? "LOCKLIMIT" : "LOCKKIND";
        }
        List<String> differences = new ArrayList<>();
        compare("reply", comparable(outcome), comparable(step.outcome()), differences);
        compare("messages", messages.toString(), step.messages().toString(), differences);
        for (int i = 0; i < this.locks.size(); i++) {
            String name = this.locks.get(i);
            LockState lock = this.table.find(name, micros);
            Map<String, String> fields = StoredFields.of(lock, CLAIM);
            if (lock != null) {
                fields.put(ScriptedStore.TTL, "remainingMillis=" + (StoredFields.endOf(lock) - micros / MILLI));
            }
            Map<String, String> stored = step.stored().get(i);
            noteLastToken(name, stored, micros, differences);
            TreeSet<String> names = new TreeSet<>(fields.keySet());
            names.addAll(stored.keySet());
            for (String field : names) {
                String model = String.valueOf(fields.get(field));
                compare(name + ' ' + field, model, String.valueOf(stored.get(field)), differences);
            }
        }
        for (Map<String, String> stored : step.stored()) {
            check(stored, differences);
        }
        // As the test has done in Redis by reading all locks.
        this.table.removeExpired(micros);
        return String.join("\n", differences);
    }

    /** Checks what must hold for each lock, whatever the commands were. */
    private static void check(Map<String, String> stored, List<String> differences) {
        int holders = 0;
        int used = 0;
        int waiting = 0;
        for (Map.Entry<String, String> field : stored.entrySet()) {
            String id = field.getKey().substring(field.getKey().indexOf(':') + 1);
            if (field.getKey().startsWith("h:")) {
                holders++;
                used += Integer.parseInt(
                        field.getValue().substring(field.getValue().lastIndexOf(':') + 1));
                if (stored.containsKey("w:" + id)) {
                    differences.add(id + " is a holder and in the line");
                }
            }
            waiting += field.getKey().startsWith("w:") ? 1 : 0;
        }
        if (!stored.getOrDefault("s", "0:0:").startsWith(holders + ":" + used + ":")) {
            differences.add("there are " + holders + " holders, but s " + stored.get("s"));
        }
        if (!stored.getOrDefault("q", "0:0:0:").contains(":" + waiting + ":")) {
            differences.add("there are " + waiting + " entries, but q " + stored.get("q"));
        }
    }

    /** The order of holders is that of a hash in Redis, so a description may name any of them. */
    private static String comparable(Object outcome) {
        if (outcome instanceof Reply.Described described && described.lock() != null) {
            StoredLock lock = described.lock();
            List<StoredHolder> holders = new ArrayList<>(lock.holders());
            holders.sort(Comparator.comparing(StoredHolder::acquisitionId));
            boolean namesHolder =
                    holders.stream().anyMatch(holder -> holder.acquisitionId().equals(lock.owner()));
            return new StoredLock(
                            namesHolder ? "a holder" : lock.owner(),
                            lock.fencingToken(),
                            lock.remainingMillis(),
                            lock.waiting(),
                            lock.line(),
                            holders)
                    .toString();
        }
        return outcome.toString();
    }

    private static void compare(String name, String model, String script, List<String> differences) {
        if (!model.equals(script)) {
            differences.add(name + ": model " + model + ", script " + script);
        }
    }

    private Command command() {
        String lock = any(this.locks);
        int kind = this.random.nextInt(100);
        if (this.use.isCrowded() && this.commands.size() < this.length / 2) {
            kind = kind < 90 ? this.random.nextInt(45) : kind;
        }
        if (kind < 35) {
            return new Command.Acquire(lock, newId(this.random.nextInt(INSTANCES)), lease(), chance(80));
        }
        if (kind < 52) {
            return new Command.Acquire(lock, knownId(lock), lease(), chance(85));
        }
        if (kind < 74) {
            return release(lock);
        }
        if (kind < 78) {
            long keep = chance(50) ? 1 + this.random.nextInt(20) : lease();
            return new Command.Release(lock, knownId(lock), 0, keep, null);
        }
        if (kind < 82) {
            return new Command.Downgrade(lock, knownId(lock), chance(70) ? 0 : token(lock), lease());
        }
        if (kind < 87) {
            return new Command.Renew(lock, knownId(lock), lease());
        }
        if (kind < 91) {
            List<Command.Renew> renewals = new ArrayList<>();
            long lease = lease();
            for (int i = 1 + this.random.nextInt(4); i > 0; i--) {
                String renewed = any(this.locks);
                renewals.add(new Command.Renew(renewed, knownId(renewed), lease));
            }
            return new Command.RenewAll(renewals);
        }
        if (kind < 94 || this.commands.isEmpty()) {
            return new Command.Inspect(lock, chance(30));
        }
        // A repetition, late or not.
        int back = chance(50) ? 1 : 1 + this.random.nextInt(Math.min(20, this.commands.size()));
        return this.commands.get(this.commands.size() - back);
    }

    private Command release(String lock) {
        // A lock that is kept can be released by force.
        String id = chance(5) ? storedId(lock) : knownId(lock);
        int instance = id.charAt(id.indexOf('-') - 1) - '0';
        Successor successor = null;
        if (chance(40)) {
            String next = chance(60) ? newId(instance) : knownId(lock);
            successor = next.equals(id) ? null : new Successor(next, lease());
        }
        return new Command.Release(lock, id, chance(70) ? 0 : token(lock), 0, successor);
    }

    private long token(String lock) {
        for (LockState state : this.table.locks()) {
            if (state.name().equals(lock)) {
                return state.token() + this.random.nextInt(4);
            }
        }
        return 1;
    }

    private long lease() {
        if (this.use.isCrowded()) {
            return 10_000L + this.random.nextInt(60_000);
        }
        return switch (this.random.nextInt(4)) {
            case 0 -> 1 + this.random.nextInt(5);
            case 1 -> 1 + this.random.nextInt(500);
            default -> 1 + this.random.nextInt(20_000);
        };
    }

    private static String instance(int number) {
        return "instance" + number;
    }

    private String newId(int instance) {
        String plain = instance(instance) + '-' + Integer.toString(this.ids.size() * 7 % 1_000, 36) + this.ids.size();
        String id = kind().idOf(plain);
        this.ids.add(id);
        return id;
    }

    private GrantKind kind() {
        boolean isWriter = chance(this.use == Use.MANY_READERS ? 5 : 40);
        return switch (this.use) {
            case EXCLUSIVE, LONG_LINE -> GrantKind.EXCLUSIVE;
            case READERS, MANY_READERS -> isWriter ? GrantKind.EXCLUSIVE : GrantKind.READER;
            case PERMITS, MANY_PERMITS -> permits();
            case ALL ->
                switch (this.random.nextInt(3)) {
                    case 0 -> GrantKind.EXCLUSIVE;
                    case 1 -> GrantKind.READER;
                    default -> permits();
                };
        };
    }

    private GrantKind permits() {
        int limit = chance(80) ? this.limit : 1 + this.random.nextInt(this.limit + 2);
        return GrantKind.permits(1 + this.random.nextInt(this.use == Use.MANY_PERMITS ? 2 : limit), limit);
    }

    private String storedId(String name) {
        if (this.ids.isEmpty()) {
            return newId(0);
        }
        if (chance(10)) {
            return any(this.ids);
        }
        List<String> present = new ArrayList<>();
        for (LockState lock : this.table.locks()) {
            if (lock.name().equals(name)) {
                for (LockState.Entry entry : lock.holders()) {
                    present.add(entry.id());
                }
                for (LockState.Entry entry : lock.line()) {
                    present.add(entry.id());
                }
                if (lock.owner() != null && (present.isEmpty() || chance(50))) {
                    present = List.of(lock.owner());
                }
            }
        }
        return present.isEmpty() ? any(this.ids) : any(present);
    }

    /** Returns the id of an acquisition that holds the lock, is kept, or is in the line, or any id. */
    private String knownId(String lock) {
        String id = storedId(lock);
        String known = GrantKind.withoutKept(id);
        // A reader may have been the writer of that id.
        return known.endsWith(".r") && chance(15) ? known.substring(0, known.length() - 2) : known;
    }

    private static String idOf(Command command) {
        if (command instanceof Command.Acquire acquire) {
            return acquire.id();
        }
        if (command instanceof Command.Release release && release.successor() != null) {
            return release.successor().acquisitionId();
        }
        return "";
    }
}
