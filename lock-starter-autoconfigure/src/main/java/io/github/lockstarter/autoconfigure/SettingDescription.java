package io.github.lockstarter.autoconfigure;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A setting that is in force for a lock name, as a part of the result of the endpoint.
 *
 * @param value the value, or {@code null} if methods differ
 * @param source where the value comes from
 * @param methods the setting of each method, if they differ; otherwise null
 */
record SettingDescription(
        @Nullable String value, String source, @Nullable Map<String, SettingDescription> methods) {

    SettingDescription(String value, String source) {
        this(value, source, null);
    }
}
