package io.github.lockstarter.lease.holder;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Finds the name of the host: from the environment, or else from the resolver, which can take seconds. */
final class HostName {

    static final String UNKNOWN = "unknown";

    private HostName() {}

    /**
     * Returns the name, at once if the environment has it; otherwise it is completed on a thread of its own.
     *
     * @param environment variables of the environment
     */
    static CompletableFuture<String> find(Map<String, String> environment) {
        for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
            String name = environment.getOrDefault(variable, "").strip();
            if (!name.isEmpty()) {
                return CompletableFuture.completedFuture(name);
            }
        }
        CompletableFuture<String> found = new CompletableFuture<>();
        Thread thread = new Thread(() -> found.complete(resolve()), "lock-host-name");
        thread.setDaemon(true);
        thread.start();
        return found;
    }

    private static String resolve() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException | RuntimeException ex) {
            return UNKNOWN;
        }
    }
}
