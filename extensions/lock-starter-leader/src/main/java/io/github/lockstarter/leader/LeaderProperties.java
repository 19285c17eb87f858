package io.github.lockstarter.leader;

import io.github.lockstarter.InvalidLockSettingException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of leader roles. Times without a unit are in milliseconds.
 *
 * @param roles Settings of roles by their names. A role that is named by an annotation needs none.
 */
@ConfigurationProperties("distributed-lock.leader")
record LeaderProperties(@DefaultValue Map<String, Role> roles) {

    /** What the name of a role's lock begins with. */
    static final String LOCK_PREFIX = "leader.";

    static final String ROLES = "leader.roles.";

    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_-]{1,100}");

    /** Longest time of a setting or a cede. */
    static final Duration LONGEST = Duration.ofDays(366);

    private static final Role DEFAULTS =
            new Role(true, null, Duration.ZERO, Duration.ofSeconds(5), Duration.ofSeconds(10));

    LeaderProperties {
        roles.forEach((name, role) -> {
            if (!isName(name)) {
                throw new InvalidLockSettingException(
                        "leader.roles", name, "must have names of letters, digits, - and _ only", "Rename the role.");
            }
            require(name, "contend-delay", role.contendDelay(), Duration.ZERO);
            // A listener that always fails would otherwise let the role change without a pause.
            require(name, "retry-delay", role.retryDelay(), Duration.ofMillis(100));
            if (role.watchdogTimeout() != null) {
                require(name, "watchdog-timeout", role.watchdogTimeout(), Duration.ofMillis(100));
            }
            require(name, "stop-timeout", role.stopTimeout(), Duration.ofMillis(1));
        });
        Map<String, String> variables = new HashMap<>();
        for (String name : new TreeSet<>(roles.keySet())) {
            String other = variables.putIfAbsent(variable(name), name);
            if (other != null) {
                throw new InvalidLockSettingException(
                        "leader.roles",
                        name,
                        "must have names that differ by more than punctuation and case, which an environment variable"
                                + " does not have, as '" + other + "'",
                        "Rename one of the roles, or write the settings of one role with one name.");
            }
        }
    }

    static boolean isName(String role) {
        return NAME.matcher(role).matches();
    }

    /** Returns the settings of a role, which may be written without punctuation, as in an environment variable. */
    Role of(String role) {
        Role exact = this.roles.get(role);
        Role settings = exact != null ? exact : this.roles.get(variable(role));
        return settings != null ? settings : DEFAULTS;
    }

    /** Returns a name as an environment variable spells it. */
    static String variable(String name) {
        return name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
    }

    private static void require(String role, String name, Duration value, Duration least) {
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new InvalidLockSettingException(
                    ROLES + role + '.' + name,
                    value,
                    "must be at least " + least.toMillis() + " ms and at most " + LONGEST.toDays() + " days",
                    "Set a time such as 5s.");
        }
    }

    /**
     * Settings of a role.
     *
     * @param autoStart Whether this instance contends for the role when the application is ready.
     * @param watchdogTimeout Lease of the role, and so the longest time without a leader after a crash. By default,
     *     that of all locks.
     * @param contendDelay Time before this instance contends. Of instances that start together, the one with the
     *     shortest time leads.
     * @param retryDelay Time before this instance contends again after a cede or a failure.
     * @param stopTimeout Time in which listeners, beans and calls of the role must end before its lock is left to
     *     expire.
     */
    record Role(
            @DefaultValue("true") boolean autoStart,
            @Nullable Duration watchdogTimeout,
            @DefaultValue("0ms") Duration contendDelay,
            @DefaultValue("5s") Duration retryDelay,
            @DefaultValue("10s") Duration stopTimeout) {

        LeaderRole.Times times() {
            return new LeaderRole.Times(this.contendDelay, this.retryDelay, this.stopTimeout);
        }
    }
}
