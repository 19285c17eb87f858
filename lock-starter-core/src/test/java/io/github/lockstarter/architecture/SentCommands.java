package io.github.lockstarter.architecture;

import io.lettuce.core.tracing.TraceContextProvider;
import io.lettuce.core.tracing.TracerProvider;
import io.lettuce.core.tracing.Tracing;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the stack trace of each command at the place where the client of Redis accepts it: the client asks its tracing for
 * the caller's context on the thread of the caller.
 */
final class SentCommands implements Tracing {

    private final ThreadLocal<List<List<StackTraceElement>>> traces = ThreadLocal.withInitial(ArrayList::new);

    void forget() {
        this.traces.remove();
    }

    /** Returns the traces of the commands of this thread, in their order; the innermost frame comes first. */
    List<List<StackTraceElement>> byThisThread() {
        return this.traces.get();
    }

    @Override
    public TraceContextProvider initialTraceContextProvider() {
        this.traces.get().add(List.of(new Throwable().getStackTrace()));
        return Tracing.disabled().initialTraceContextProvider();
    }

    @Override
    public TracerProvider getTracerProvider() {
        return Tracing.disabled().getTracerProvider();
    }

    @Override
    public boolean isEnabled() {
        return true;
    }

    @Override
    public boolean includeCommandArgsInSpanTags() {
        return false;
    }

    @Override
    public Endpoint createEndpoint(SocketAddress socketAddress) {
        return Tracing.disabled().createEndpoint(socketAddress);
    }
}
