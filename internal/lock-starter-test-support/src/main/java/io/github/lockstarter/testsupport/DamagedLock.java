package io.github.lockstarter.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Locks as another program could write or change them: each field has some of the right values, and others. */
public final class DamagedLock {

    private static final List<String> IDS = List.of(
            "Dm5aG6eD7lK-0000000000",
            "Dm5aG6eD7lK-0000000001.r",
            "Dm5aG6eD7lK-0000000002.s1.3",
            "Dm5aG6eD7lK-0000000003.s99999999999.1",
            "x.sY.1",
            "x.s1.",
            ".s.r",
            "~k",
            "~kx.s1.1",
            "__proto__",
            "",
            "-",
            " ",
            "\0" + Character.toString(0x3164) + Character.toString(0x202E) + "🔒",
            "x".repeat(3000));

    private static final List<String> NUMBERS = List.of(
            "0",
            "1",
            "2",
            "100",
            "1795758698000000",
            "9999999999999",
            "99999999999",
            "2147483648",
            "9007199254740993",
            "9000000000000000000",
            "9223372036854775808",
            "1" + "0".repeat(400),
            "-1",
            "-9223372036854775809",
            "1e300",
            "nan",
            "inf",
            "0x10",
            "text",
            "");

    private DamagedLock() {}

    /** Returns a command that writes such a lock. */
    public static List<String> random(String key, Random random) {
        List<String> command = new ArrayList<>(List.of("HSET", key));
        command.addAll(List.of("o", random.nextBoolean() ? random.nextBoolean() ? "~s" : "~r" : one(IDS, random)));
        if (random.nextInt(4) > 0) {
            command.addAll(List.of("f", one(NUMBERS, random)));
        }
        if (random.nextBoolean()) {
            command.addAll(List.of("q", numbers(4, random)));
        }
        if (random.nextBoolean()) {
            command.addAll(List.of("s", numbers(3, random) + ':' + one(IDS, random)));
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            String id = one(IDS, random);
            command.addAll(List.of("e:" + one(NUMBERS, random), id, "w:" + id, numbers(3, random) + ":inbox"));
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            command.addAll(List.of("h:" + one(IDS, random), numbers(3, random)));
        }
        return command;
    }

    private static String numbers(int count, Random random) {
        StringBuilder numbers = new StringBuilder(one(NUMBERS, random));
        for (int i = 1; i < count; i++) {
            numbers.append(':').append(one(NUMBERS, random));
        }
        return numbers.toString();
    }

    private static String one(List<String> texts, Random random) {
        // The first ones are valid in most places, so that damage of one value is not hidden by that of another.
        return texts.get(random.nextInt(random.nextBoolean() ? texts.size() / 2 : texts.size()));
    }
}
