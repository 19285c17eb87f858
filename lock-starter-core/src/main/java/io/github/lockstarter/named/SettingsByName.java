package io.github.lockstarter.named;

import io.github.lockstarter.LockRequest;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the settings of a lock by its static name. Thread-safe.
 *
 * <p>The settings of a name are written for exactly that name, or for its letters and digits in lower case, because an
 * environment variable cannot contain other characters. If both are present, the spelling that comes first in any
 * property source has precedence, value by value: Spring Boot reads the sources in their order.
 */
public final class SettingsByName {

    /** Settings in which no lock has separate values. */
    public static final SettingsByName NONE = new SettingsByName(List.of());

    /** Largest number of names whose settings are cached; requests may have any number of names. */
    private static final int MOST = 1000;

    private final List<NamedSettings> written;

    private final ConcurrentMap<String, Optional<NamedSettings>> found = new ConcurrentHashMap<>();

    /**
     * Creates the settings. The settings of a property source with higher precedence come first.
     *
     * @throws io.github.lockstarter.InvalidLockSettingException if both spellings of a name contradict each other
     */
    public SettingsByName(List<NamedSettings> settings) {
        this.written = List.copyOf(settings);
        List<NamedSettings> unused = all();
    }

    /** Returns the settings of a static name, or {@code null} if there are none. */
    public @Nullable NamedSettings find(String name) {
        if (this.written.isEmpty()) {
            return null;
        }
        Optional<NamedSettings> known = this.found.get(name);
        if (known == null) {
            known = spellingsOf(name).stream().reduce(NamedSettings::orElse);
            if (this.found.size() < MOST) {
                this.found.put(name, known);
            }
        }
        return known.orElse(null);
    }

    /** Returns the request with the settings of its name as defaults; the same request if nothing is added. */
    public LockRequest complete(LockRequest request) {
        NamedSettings settings = this.written.isEmpty() ? null : find(request.name());
        return settings != null ? settings.complete(request) : request;
    }

    /** Returns the results of {@link #find} for all names that are written. */
    public List<NamedSettings> all() {
        return this.written.stream()
                .map(each -> Objects.requireNonNull(find(each.name())))
                .toList();
    }

    /** Returns the settings as they are written, some of which may apply to the same locks. */
    public List<NamedSettings> written() {
        return this.written;
    }

    /** Returns the settings that apply to a static name, in the order of their precedence. */
    public List<NamedSettings> spellingsOf(String name) {
        String variable = asVariable(name);
        return this.written.stream()
                .filter(each -> each.name().equals(name) || each.name().equals(variable))
                .toList();
    }

    /** Returns the name as an environment variable spells it; the name itself if it has no letters and digits. */
    private static String asVariable(String name) {
        StringBuilder letters = new StringBuilder(name.length());
        name.codePoints().filter(Character::isLetterOrDigit).forEach(letters::appendCodePoint);
        return letters.isEmpty() ? name : letters.toString().toLowerCase(Locale.ROOT);
    }
}
