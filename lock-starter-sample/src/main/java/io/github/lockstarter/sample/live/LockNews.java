package io.github.lockstarter.sample.live;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened in this instance, for the log of the live page.
 *
 * @param type what happened, in lower case
 * @param lock full name of the lock, or what else it happened to
 * @param token fencing token; null if there is none
 * @param detail further information in words; may be empty
 * @param at time in milliseconds since 1970
 */
record LockNews(String type, String lock, @Nullable String token, String detail, long at) {

    /** Creates news of this moment. Tokens are text, since JavaScript's numbers have 53 bits. */
    static LockNews of(String type, String lock, @Nullable Long token, String detail) {
        return new LockNews(
                type, lock, token == null ? null : Long.toString(token), detail, System.currentTimeMillis());
    }
}
