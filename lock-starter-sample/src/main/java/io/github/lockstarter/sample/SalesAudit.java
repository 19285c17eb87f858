package io.github.lockstarter.sample;

import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.leader.LeaderOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Counts the sold tickets now and then, on the instance that leads the role {@code audit}. */
@Component
class SalesAudit {

    private static final Logger logger = LoggerFactory.getLogger(SalesAudit.class);

    private final JdbcClient jdbc;

    SalesAudit(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Scheduled(fixedDelay = 60_000, initialDelay = 5_000)
    @LeaderOnly("audit")
    void audit() {
        int sold = this.jdbc
                .sql("SELECT COUNT(*) FROM ticket")
                .query(Integer.class)
                .single();
        logger.info(
                "Sold tickets: {}, counted in epoch {}",
                sold,
                LeaseContext.required().fencingToken());
    }
}
