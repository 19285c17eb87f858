package io.github.lockstarter.aop;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.key.CallExpression;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of one annotation, read and checked. Immutable.
 *
 * @param template the request, without a key
 * @param condition decides for each call whether it takes the lock, or {@code null} if every call does
 * @param key distinguishes locks of the same name, or {@code null} if the name is the lock
 * @param notGranted the reaction to a lock that is not granted
 */
record LockSpec(
        LockRequest template,
        @Nullable CallExpression condition,
        @Nullable CallExpression key,
        NotGrantedAction notGranted) {

    /** Returns the static name of the lock. */
    String name() {
        return this.template.name();
    }

    /** Returns the requests of a call: one for each key; none if the condition is not met. */
    List<LockRequest> requests(@Nullable Object target, @Nullable Object[] arguments) {
        if (this.condition != null && !this.condition.isMet(target, arguments)) {
            return List.of();
        }
        if (this.key == null) {
            return List.of(this.template);
        }
        List<LockRequest> requests = new ArrayList<>(1);
        for (String text : this.key.keys(target, arguments)) {
            try {
                requests.add(this.template.withKey(text));
            } catch (IllegalArgumentException ex) {
                throw this.key.invalidKey("cannot name a lock. " + ex.getMessage(), ex);
            }
        }
        return requests;
    }

    /** Returns the values that distinguish the lock of this annotation from the locks of others on the same method. */
    List<String> lock() {
        return List.of(name(), textOf(this.key), textOf(this.condition));
    }

    private static String textOf(@Nullable CallExpression expression) {
        return expression != null ? expression.text() : "";
    }
}
