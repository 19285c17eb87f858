package io.github.lockstarter.testsupport;

import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bad network between a client and a Redis server on this machine. It understands the protocol, so a single command
 * or reply can be lost or held; {@link Commands} has predicates for that. Messages and confirmations of subscriptions
 * are the reply to no command. Everything applies to connections that are open as well as to new ones, until {@link
 * #heal()}.
 *
 * <p>It can apply the rules of a service in front of that server as well, see {@link ServiceProfile}. These, and the
 * distance to the server, stay as they are if it is healed.
 */
public final class FaultProxy implements AutoCloseable {

    private final int port = Ports.free();
    private final ProxyFaults requests;
    private final ProxyFaults replies;
    private volatile ServiceRules rules;
    private final ScheduledExecutorService idleCheck = Executors.newSingleThreadScheduledExecutor(FaultProxy::daemon);
    private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();
    private final Queue<List<String>> seen = new ConcurrentLinkedQueue<>();
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicInteger targetPort;
    private final ProxyConnection.Context context;
    private @Nullable ProxyListener listener;

    private FaultProxy(int targetPort, ServiceProfile profile, Duration up, Duration down) {
        this.targetPort = new AtomicInteger(targetPort);
        requests = new ProxyFaults(up);
        replies = new ProxyFaults(down);
        rules = new ServiceRules(profile, port);
        context = new ProxyConnection.Context(
                this.targetPort::get, requests, replies, () -> this.rules, seen::add, connections::remove);
        Duration idle = profile.closesIdle();
        if (idle != null) {
            long nanos = idle.toNanos();
            // The executor ends with the proxy, so that the check needs no end of its own.
            ScheduledFuture<?> unused = idleCheck.scheduleWithFixedDelay(
                    () -> connections.forEach(each -> each.cutIfIdle(nanos)), nanos, nanos / 8, TimeUnit.NANOSECONDS);
        }
    }

    /** A proxy in front of a port of this machine. The server need not run; a client is cut off if it doesn't. */
    public static FaultProxy inFrontOf(int targetPort) {
        return inFrontOf(targetPort, ServiceProfile.plain());
    }

    /** The same, with the rules of a service. */
    public static FaultProxy inFrontOf(int targetPort, ServiceProfile profile) {
        return inFrontOf(targetPort, profile, Duration.ZERO, Duration.ZERO);
    }

    /** The same, so far from the server that each command and each reply takes at least that long. */
    public static FaultProxy inFrontOf(int targetPort, ServiceProfile profile, Duration up, Duration down) {
        FaultProxy proxy = new FaultProxy(targetPort, profile, up, down);
        proxy.accept();
        return proxy;
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "proxy-idle");
        thread.setDaemon(true);
        return thread;
    }

    /** Lets all scripts fail for that time, as a service does that moves slots. */
    public void scaleFor(Duration time) {
        rules.scaleFor(time);
    }

    /** Applies the rules of another service from now on, on the connections that are open as well. */
    public void behaveAs(ServiceProfile profile) {
        rules = new ServiceRules(profile, port);
    }

    /** Leads new connections to another port of this machine, for good; those that are open stay where they are. */
    public void leadTo(int otherPort) {
        targetPort.set(otherPort);
    }

    public String host() {
        return "127.0.0.1";
    }

    public int port() {
        return port;
    }

    public String uri() {
        return "redis://" + host() + ":" + port;
    }

    /** Lets every command and every reply take this long, as on a long line: they don't wait for each other. */
    public void delay(Duration up, Duration down) {
        requests.delay(up);
        replies.delay(down);
    }

    /** Sockets stay open and new ones are accepted, but nothing gets through; what is sent now is lost. */
    public void blackHole() {
        swallowRequests();
        swallowReplies();
    }

    /** A black hole on the way to the server only. */
    public void swallowRequests() {
        requests.set(ProxyFaults.Mode.SWALLOW);
    }

    /** A black hole on the way back only: commands are executed, and their replies are lost. */
    public void swallowReplies() {
        replies.set(ProxyFaults.Mode.SWALLOW);
    }

    /** As {@link #blackHole()}, but what is sent now arrives after {@link #heal()}. */
    public void stall() {
        stallRequests();
        stallReplies();
    }

    /** Commands wait until {@link #heal()}, and are executed then, even if their client has gone. */
    public void stallRequests() {
        requests.set(ProxyFaults.Mode.STALL);
    }

    /** Commands are executed now, their replies arrive after {@link #heal()}. */
    public void stallReplies() {
        replies.set(ProxyFaults.Mode.STALL);
    }

    /** Refuses new connections; those that are open stay. */
    public synchronized void refuse() {
        if (listener != null) {
            listener.close();
            listener = null;
        }
    }

    /** Ends {@link #refuse()}, on the same port. */
    public synchronized void accept() {
        if (listener == null) {
            listener = new ProxyListener(port, this::connected);
        }
    }

    /** Ends all connections in an orderly way; what is underway is lost. */
    public void cutFin() {
        open().forEach(ProxyConnection::cutFin);
    }

    /** Breaks all connections off; what is underway is lost. */
    public void cutRst() {
        open().forEach(ProxyConnection::cutRst);
    }

    /** Loses the first command that matches, and all that follow it on its connection; then runs {@code then}. */
    public void swallowRequestOf(Predicate<List<String>> command, Runnable then) {
        requests.swallow(command, then);
    }

    /**
     * Loses the reply to the first command that matches, and all that follow it on its connection; then runs {@code
     * then}.
     */
    public void swallowReplyOf(Predicate<List<String>> command, Runnable then) {
        replies.swallow(command, then);
    }

    /**
     * Loses the reply to the first command that matches, refuses new connections and ends the present ones.
     *
     * @return completes when all of this has happened: an {@link #accept()} before would be undone
     */
    public CompletableFuture<Void> disconnectAtReplyOf(Predicate<List<String>> command) {
        CompletableFuture<Void> disconnected = new CompletableFuture<>();
        swallowReplyOf(command, () -> {
            refuse();
            cutFin();
            disconnected.complete(null);
        });
        return disconnected;
    }

    /** As {@link #swallowRequestOf}, but half of the command's bytes arrive, so that the server waits for the rest. */
    public void tearRequestOf(Predicate<List<String>> command, Runnable then) {
        requests.tear(command, then);
    }

    /** As {@link #swallowReplyOf}, but half of the reply's bytes arrive, so that the client waits for the rest. */
    public void tearReplyOf(Predicate<List<String>> command, Runnable then) {
        replies.tear(command, then);
    }

    /** Loses all messages of subscriptions, which stay open; commands and their replies are not affected. */
    public void swallowMessages() {
        replies.swallowMessages();
    }

    /** Stops the first command that matches before it gets to the server. */
    public Hold hold(Predicate<List<String>> command) {
        return requests.hold(command);
    }

    /** Stops the reply to the first command that matches: it has been executed, and the client does not know yet. */
    public Hold holdReply(Predicate<List<String>> command) {
        return replies.hold(command);
    }

    /**
     * Stops the replies to all commands that match, until {@link #permitReplies} or {@link #heal()}. What a client
     * sends meanwhile, it sends without a reply to any of them. Messages pass.
     */
    public void holdReplies(Predicate<List<String>> commands) {
        replies.shut(commands);
    }

    /** Lets so many of the replies pass that {@link #holdReplies} stops, in the order of each connection. */
    public void permitReplies(int number) {
        replies.permit(number);
    }

    /** Back to normal. What is held or stalled goes on; connections that have lost something are broken off. */
    public void heal() {
        // first, because the reply to a command that goes on must not meet a fault that is over
        replies.clear();
        requests.clear();
        open().stream().filter(ProxyConnection::hasLostSomething).forEach(ProxyConnection::cutRst);
        accept();
    }

    /** Connections that are open now. */
    public int connections() {
        return open().size();
    }

    /** Connections that were ever accepted. */
    public long connectionsAccepted() {
        return accepted.get();
    }

    /** How many commands that match were sent, since the last {@link #forgetCommands()}, whatever became of them. */
    public long commandsSeen(Predicate<List<String>> command) {
        return seen.stream().filter(command).count();
    }

    public void forgetCommands() {
        seen.clear();
    }

    @Override
    public void close() {
        refuse();
        idleCheck.shutdownNow();
        // first, because the reply to a command that goes on must not meet a fault that is over
        replies.clear();
        requests.clear();
        connections.forEach(ProxyConnection::close);
    }

    /** A copy: a client that is cut off may be back while the others are still being cut, and must not be cut again. */
    private List<ProxyConnection> open() {
        return connections.stream().filter(connection -> !connection.isCut()).toList();
    }

    private void connected(Socket client) {
        ProxyConnection connection = new ProxyConnection(client, context);
        connections.add(connection);
        accepted.incrementAndGet();
        connection.start();
    }
}
