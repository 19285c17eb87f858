package io.github.lockstarter.lease;

/** The message that a lock was handed to this JVM, as far as the local queue is concerned. */
final class HandOverNotice {

    private HandOverNotice() {}

    static void of(LocalQueues queues, String lockName) {
        queues.forFirst(lockName, (first, place) -> {
            place.noticeHandOver();
            first.wake();
        });
    }
}
