package io.github.lockstarter.named;

import io.github.lockstarter.LockRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the settings of a lock by its static name. Thread-safe.
 *
 * <p>Properties cannot spell every name: an environment variable consists of capital letters and digits only. So the
 * settings of a name are those that are written for exactly that name, and those of the same letters and digits in
 * lower case; without the former, those of any spelling that differs in case and punctuation only. Of several
 * spellings, the one that comes first in any property source has precedence, value by value: Spring Boot reads the
 * sources in their order.
 */
public final class SettingsByName {

    /** Settings in which no lock has separate values. */
    public static final SettingsByName NONE = new SettingsByName(List.of());

    /** Largest number of names whose settings are cached; requests may have any number of names. */
    private static final int MOST = 1000;

    /** The settings as written, by their names without case and punctuation. */
    private final Map<String, List<NamedSettings>> written = new LinkedHashMap<>();

    private final Map<String, NamedSettings> exact = new HashMap<>();

    private final Map<String, NamedSettings> similar = new HashMap<>();

    private final ConcurrentMap<String, Optional<NamedSettings>> found = new ConcurrentHashMap<>();

    /** Creates the settings. The settings of a property source with higher precedence come first. */
    public SettingsByName(List<NamedSettings> settings) {
        for (NamedSettings each : settings) {
            this.written
                    .computeIfAbsent(withoutPunctuation(each.name()), unused -> new ArrayList<>())
                    .add(each);
        }
        this.written.forEach((name, spellings) -> this.similar.put(name, merge(spellings)));
        settings.forEach(each -> this.exact.put(each.name(), merge(spellingsOf(each.name()))));
    }

    /** Returns the settings of a static name, or {@code null} if there are none. */
    public @Nullable NamedSettings find(String name) {
        if (this.exact.isEmpty()) {
            return null;
        }
        Optional<NamedSettings> known = this.found.get(name);
        if (known == null) {
            known = Optional.ofNullable(lookUp(name));
            if (this.found.size() < MOST) {
                this.found.put(name, known);
            }
        }
        return known.orElse(null);
    }

    private @Nullable NamedSettings lookUp(String name) {
        NamedSettings settings = this.exact.get(name);
        return settings != null ? settings : this.similar.get(withoutPunctuation(name));
    }

    /** Returns the request with the settings of its name as defaults; the same request if nothing is added. */
    public LockRequest complete(LockRequest request) {
        NamedSettings settings = this.exact.isEmpty() ? null : find(request.name());
        return settings != null ? settings.complete(request) : request;
    }

    /** Returns all results of {@link #find}, each once. */
    public Collection<NamedSettings> all() {
        List<NamedSettings> all = new ArrayList<>(this.exact.values());
        all.addAll(this.similar.values());
        return all;
    }

    /** Returns the settings as they are written, some of which may apply to the same locks. */
    public List<NamedSettings> written() {
        return this.written.values().stream().flatMap(List::stream).toList();
    }

    /** Returns the settings that apply to a static name, in the order of their precedence. */
    public List<NamedSettings> spellingsOf(String name) {
        String plain = withoutPunctuation(name);
        List<NamedSettings> all = this.written.getOrDefault(plain, List.of());
        if (all.stream().noneMatch(each -> each.name().equals(name))) {
            return all;
        }
        return all.stream()
                .filter(each -> each.name().equals(name) || each.name().equals(plain))
                .toList();
    }

    private static NamedSettings merge(List<NamedSettings> spellings) {
        return spellings.stream().reduce(NamedSettings::orElse).orElseThrow();
    }

    /** Returns the letters and digits of a name in lower case; the name itself if it has none. */
    private static String withoutPunctuation(String name) {
        StringBuilder letters = new StringBuilder(name.length());
        name.codePoints().filter(Character::isLetterOrDigit).forEach(letters::appendCodePoint);
        return letters.isEmpty() ? name : letters.toString().toLowerCase(Locale.ROOT);
    }
}
