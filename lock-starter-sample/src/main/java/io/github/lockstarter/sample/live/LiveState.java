package io.github.lockstarter.sample.live;

import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.sample.TicketOffice.Ticket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/**
 * Reads what this instance, Redis and the database state about locks: three parts, because each of them can be away.
 * Also writes a sign of life into the database, by which the page finds the other instances.
 */
@Component
@DependsOnDatabaseInitialization
class LiveState {

    /** The event that the page sells. */
    static final String EVENT = "show";

    private static final List<String> LOCKS = List.of("event:" + EVENT, "payment", "report:" + EVENT);

    private static final long LISTED_MILLIS = 50_000;

    private static final int LISTED_TICKETS = 8;

    private final LockInventory inventory;

    private final JdbcClient jdbc;

    private final long pid = ProcessHandle.current().pid();

    private volatile int port;

    LiveState(LockInventory inventory, JdbcClient jdbc) {
        this.inventory = inventory;
        this.jdbc = jdbc;
    }

    /** What this instance holds and waits for. */
    record Local(long at, int port, long pid, List<Held> held, List<Awaited> awaited) {}

    /** What Redis stores about the locks of the page, by name, empty for a free one; null if it does not answer. */
    record Redis(long at, @Nullable Map<String, Optional<Stored>> locks) {}

    /** What the database stores; null if it does not answer. */
    record Database(
            long at,
            @Nullable List<Running> instances,
            @Nullable List<Ticket> tickets) {}

    /** An instance on this machine, and the time since its last sign of life. */
    record Running(int port, long pid, long silentFor) {}

    int port() {
        return port;
    }

    /** Returns the state of this instance, without I/O. */
    Local local() {
        return new Local(now(), port, pid, inventory.held(), inventory.awaited());
    }

    /** Returns what Redis stores about the locks of the page; takes up to two command timeouts. */
    Redis redis() {
        try {
            return new Redis(now(), LOCKS.stream().collect(Collectors.toMap(name -> name, inventory::stored)));
        } catch (LockStoreException ex) {
            return new Redis(now(), null);
        }
    }

    /** Returns what the database stores, read without a lock so that the page does not disturb what it shows. */
    Database database() {
        long now = now();
        try {
            List<Running> instances = jdbc.sql("select port, pid, cast(:now as bigint) - seen_at as silent_for"
                            + " from live_instance where seen_at > :limit order by port")
                    .params(Map.of("now", now, "limit", now - LISTED_MILLIS))
                    .query(Running.class)
                    .list();
            List<Ticket> tickets = jdbc.sql("select number, token from ticket where event_id = ?"
                            + " order by number desc limit " + LISTED_TICKETS)
                    .param(EVENT)
                    .query(Ticket.class)
                    .list();
            return new Database(now, instances, tickets);
        } catch (DataAccessException | TransactionException ex) {
            return new Database(now, null, null);
        }
    }

    @EventListener
    void started(WebServerInitializedEvent event) {
        if (event.getApplicationContext().getServerNamespace() == null) { // not the server of the actuator
            port = event.getWebServer().getPort();
            signOfLife();
        }
    }

    /** Writes that this instance is alive, once a second; a paused process writes nothing. */
    @Scheduled(fixedDelay = 1000)
    void signOfLife() {
        if (port != 0) {
            write("delete from live_instance where port = :port or seen_at < :seen", now() - LISTED_MILLIS);
            write("insert into live_instance (port, pid, seen_at) values (:port, :pid, :seen)", now());
        }
    }

    @EventListener(ContextClosedEvent.class)
    void stopped() {
        write("delete from live_instance where port = :port and pid = :pid", now());
        port = 0;
    }

    private void write(String sql, long seen) {
        try {
            jdbc.sql(sql).params(Map.of("port", port, "pid", pid, "seen", seen)).update();
        } catch (DataAccessException | TransactionException ex) {
            // the page shows that the database does not answer
        }
    }

    private static long now() {
        return System.currentTimeMillis();
    }
}
