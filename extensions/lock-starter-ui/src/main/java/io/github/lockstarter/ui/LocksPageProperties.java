package io.github.lockstarter.ui;

import io.github.lockstarter.text.Printable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the locks page.
 *
 * @param enabled Whether the application serves the locks page, if the endpoint "locks" is exposed over HTTP.
 * @param path Path of the page, below the context path of the server that serves the endpoints.
 */
@ConfigurationProperties("distributed-lock.ui")
record LocksPageProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("/locks") String path) {

    static final String ENABLED = "distributed-lock.ui.enabled";

    LocksPageProperties {
        // It becomes part of a servlet mapping.
        if (!path.matches("(/(?!\\.{1,2}(/|$))[\\w.~-]+)+")) {
            throw new IllegalArgumentException(
                    Printable.of("distributed-lock.ui.path must begin with / and consist of letters, digits and . _ ~ -"
                            + " between slashes, but is '" + path + "'."));
        }
    }
}
