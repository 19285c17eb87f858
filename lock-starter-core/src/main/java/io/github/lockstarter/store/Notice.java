package io.github.lockstarter.store;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A message to the instance of a grant that is not about a new grant. It proves nothing, because it may be forged. */
public enum Notice {
    /** The grant was ended in the store on behalf of its owner. */
    REVOKED("revoked"),
    /** The owner is asked to release the grant, which stays its own until it does so. */
    RELEASE_REQUESTED("requested");

    /** The kind of the message in the store: lower-case letters only, which no acquisition id consists of. */
    public final String text;

    Notice(String text) {
        this.text = text;
    }

    /** Returns the notice of that text, or {@code null} if this version does not know it. */
    public static @Nullable Notice of(String text) {
        return Stream.of(values())
                .filter(each -> each.text.equals(text))
                .findFirst()
                .orElse(null);
    }
}
