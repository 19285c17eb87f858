package io.github.lockstarter.lease.queue;

import io.github.lockstarter.store.GrantKind;

/** The message that a lock was handed to this JVM, as far as the local queue is concerned. */
public final class HandOverNotice {

    private HandOverNotice() {}

    public static void of(LocalQueues<?> queues, String lockName) {
        queues.forFirst(lockName, GrantKind.EXCLUSIVE, (first, ticket) -> {
            ticket.noticeHandOver();
            first.wake();
        });
    }
}
