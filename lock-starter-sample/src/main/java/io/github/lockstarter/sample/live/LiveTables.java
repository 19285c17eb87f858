package io.github.lockstarter.sample.live;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/** Reads what the live page shows of the database, and writes there where this instance listens, so that pages find it. */
@Component
@DependsOnDatabaseInitialization
class LiveTables {

    private static final Logger log = LoggerFactory.getLogger(LiveTables.class);

    /** Instances that gave no sign of life for so long are not listed any more. */
    private static final long FORGOTTEN_AFTER_MILLIS = 50_000;

    private static final int TICKETS = 20;

    private final JdbcClient jdbc;
    private final long pid = ProcessHandle.current().pid();
    private volatile int port;

    LiveTables(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Returns this instance. */
    RunningInstance self() {
        return new RunningInstance(port, pid, 0);
    }

    @EventListener
    void started(WebServerInitializedEvent event) {
        if (event.getApplicationContext().getServerNamespace() == null) { // not the server of the actuator
            port = event.getWebServer().getPort();
            signOfLife();
        }
    }

    /** A signal that stops the process stops this, too. */
    @Scheduled(fixedDelay = 1000)
    void signOfLife() {
        if (port == 0) {
            return;
        }
        try {
            long now = System.currentTimeMillis();
            if (update("update live_instance set pid = :pid, seen_at = :now where port = :port", now) == 0) {
                update("insert into live_instance (port, pid, seen_at) values (:port, :pid, :now)", now);
                jdbc.sql("delete from live_instance where seen_at < :limit")
                        .param("limit", now - FORGOTTEN_AFTER_MILLIS)
                        .update();
            }
        } catch (DataAccessException | TransactionException e) {
            log.debug("The database does not answer", e);
        }
    }

    private int update(String sql, long now) {
        return jdbc.sql(sql)
                .param("port", port)
                .param("pid", pid)
                .param("now", now)
                .update();
    }

    @EventListener(ContextClosedEvent.class)
    void stopped() {
        try {
            jdbc.sql("delete from live_instance where port = :port and pid = :pid")
                    .param("port", port)
                    .param("pid", pid)
                    .update();
        } catch (DataAccessException | TransactionException e) {
            log.debug("The database does not answer", e);
        }
        port = 0;
    }

    /** Returns the instances that gave a sign of life lately; null if the database does not answer. */
    @Nullable
    List<RunningInstance> instances() {
        long now = System.currentTimeMillis();
        try {
            return jdbc.sql("select port, pid, seen_at from live_instance where seen_at > :limit order by port")
                    .param("limit", now - FORGOTTEN_AFTER_MILLIS)
                    .query((row, index) -> new RunningInstance(
                            row.getInt("port"), row.getLong("pid"), Math.max(0, now - row.getLong("seen_at"))))
                    .list();
        } catch (DataAccessException | TransactionException e) {
            return null;
        }
    }

    /** Returns events and tickets, read without a lock so as not to disturb what is shown; null if there is no answer. */
    @Nullable
    Sales sales() {
        try {
            return new Sales(
                    jdbc.sql("select id, seats, sold, coalesce(max(token), 0) as latest"
                                    + " from event left join ticket on event_id = id"
                                    + " group by id, seats, sold order by latest desc, id")
                            .query((row, index) -> new Sales.Event(
                                    row.getString("id"),
                                    row.getInt("seats"),
                                    row.getInt("sold"),
                                    Long.toString(row.getLong("latest"))))
                            .list(),
                    jdbc.sql("select event_id, number, token from ticket order by token desc limit " + TICKETS)
                            .query((row, index) -> new Sales.Ticket(
                                    row.getString("event_id"),
                                    row.getInt("number"),
                                    Long.toString(row.getLong("token"))))
                            .list());
        } catch (DataAccessException | TransactionException e) {
            return null;
        }
    }
}
