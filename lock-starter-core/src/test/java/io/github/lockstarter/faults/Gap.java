package io.github.lockstarter.faults;

import io.github.lockstarter.testsupport.FaultProxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Where on its way a command is when the network goes silent in that direction. Sockets stay open, and the other
 * direction works. {@link FaultProxy#heal()} ends it.
 */
enum Gap {
    REQUEST(false) {
        @Override
        void openAt(FaultProxy proxy, Predicate<List<String>> command, Runnable opened) {
            proxy.swallowRequestOf(command, () -> {
                proxy.swallowRequests();
                opened.run();
            });
        }
    },
    HALF_A_REQUEST(false) {
        @Override
        void openAt(FaultProxy proxy, Predicate<List<String>> command, Runnable opened) {
            proxy.tearRequestOf(command, () -> {
                proxy.swallowRequests();
                opened.run();
            });
        }
    },
    REPLY(true) {
        @Override
        void openAt(FaultProxy proxy, Predicate<List<String>> command, Runnable opened) {
            proxy.swallowReplyOf(command, () -> {
                proxy.swallowReplies();
                opened.run();
            });
        }
    },
    HALF_A_REPLY(true) {
        @Override
        void openAt(FaultProxy proxy, Predicate<List<String>> command, Runnable opened) {
            proxy.tearReplyOf(command, () -> {
                proxy.swallowReplies();
                opened.run();
            });
        }
    };

    private final boolean executed;

    Gap(boolean executed) {
        this.executed = executed;
    }

    /** Opens at the first command that matches, and says so. */
    abstract void openAt(FaultProxy proxy, Predicate<List<String>> command, Runnable opened);

    /** Opens at the first command that matches; true once it has. */
    AtomicBoolean openAt(FaultProxy proxy, Predicate<List<String>> command) {
        AtomicBoolean opened = new AtomicBoolean();
        openAt(proxy, command, () -> opened.set(true));
        return opened;
    }

    /** Whether the command is executed all the same. */
    boolean isExecuted() {
        return this.executed;
    }
}
