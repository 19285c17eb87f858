package io.github.lockstarter.testsupport;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Predicates on Redis commands, for the rules of {@link FaultProxy}. A command is the list of its arguments, its name
 * first.
 */
public final class Commands {

    private Commands() {}

    /** Any of these commands, in any case; {@code named("eval", "evalsha")} for scripts. */
    public static Predicate<List<String>> named(String... names) {
        Set<String> wanted = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        wanted.addAll(List.of(names));
        return command -> !command.isEmpty() && wanted.contains(command.get(0));
    }

    /** Commands that have exactly this argument: a key, a channel, the SHA of a script. */
    public static Predicate<List<String>> with(String argument) {
        return command -> command.contains(argument);
    }

    public static Predicate<List<String>> any() {
        return command -> true;
    }
}
