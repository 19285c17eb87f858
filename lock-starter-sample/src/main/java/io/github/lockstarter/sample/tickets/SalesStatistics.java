package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.ScheduledLock;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

/** Counts all sold tickets every ten seconds, on one instance at a time. */
@Service
class SalesStatistics {

    private static final Duration KEPT = Duration.ofHours(1);

    private final JdbcClient jdbc;
    private final Environment environment;

    SalesStatistics(JdbcClient jdbc, Environment environment) {
        this.jdbc = jdbc;
        this.environment = environment;
    }

    /**
     * Runs once per period, however many instances there are: the first one gets the lock, the others skip the call. The
     * work takes a moment only, so the lock is kept for most of the period: clocks may differ by that much.
     */
    @Scheduled(cron = "*/10 * * * * *")
    @ScheduledLock(name = "statistics", minHold = "9s")
    public void count() {
        jdbc.sql("insert into sales_count (counted_at, sold, port)"
                        + " select current_timestamp, coalesce(sum(sold), 0), :port from event")
                .param("port", environment.getProperty("local.server.port", Integer.class, 0))
                .update();
        jdbc.sql("delete from sales_count where counted_at < :limit")
                .param("limit", OffsetDateTime.now(ZoneOffset.UTC).minus(KEPT))
                .update();
    }

    /** Returns the last counts, the latest one first. */
    List<SalesCount> latest() {
        return jdbc.sql("select counted_at, sold, port from sales_count order by counted_at desc limit 10")
                .query((row, number) -> new SalesCount(
                        row.getTimestamp("counted_at").toInstant(), row.getInt("sold"), row.getInt("port")))
                .list();
    }
}
