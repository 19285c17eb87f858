package io.github.lockstarter.lease.settings;

import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.SettingsByName;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.function.Function;

/**
 * A value that is derived from the settings: one for all locks, except for names with a watchdog or hand-overs of their own.
 * Immutable.
 */
public final class ByName<T> {

    private final SettingsByName names;

    private final T common;

    /** Complete: all settings that can be found have a value. */
    private final IdentityHashMap<NamedSettings, T> own = new IdentityHashMap<>();

    public ByName(LockSettings settings, Function<LockSettings, T> derive) {
        this.names = settings.named();
        this.common = derive.apply(settings);
        for (NamedSettings each : this.names.all()) {
            this.own.put(each, each.changesGrants() ? derive.apply(settings.with(each)) : this.common);
        }
    }

    /** Returns the value of a static name. */
    public T of(String name) {
        NamedSettings settings = this.names.find(name);
        return settings == null ? this.common : Objects.requireNonNull(this.own.get(settings));
    }

    /** Returns the value of names without settings of their own. */
    public T common() {
        return this.common;
    }
}
