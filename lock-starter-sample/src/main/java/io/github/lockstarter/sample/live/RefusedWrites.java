package io.github.lockstarter.sample.live;

import io.github.lockstarter.jdbc.FenceOutcome;
import io.github.lockstarter.jdbc.TransactionRefusedEvent;
import java.nio.charset.StandardCharsets;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Shows the transactions that were refused because of a later owner. */
@Component
class RefusedWrites {

    private final LiveFeed feed;
    private final JdbcClient jdbc;

    RefusedWrites(LiveFeed feed, JdbcClient jdbc) {
        this.feed = feed;
        this.jdbc = jdbc;
    }

    /** Called on a thread of the library, so that it can use the database. */
    @EventListener
    void refused(TransactionRefusedEvent event) {
        if (event.outcome() == FenceOutcome.REFUSED) {
            long later = jdbc.sql("select token from distributed_lock_fence where name = :name")
                    .param("name", ("lock:" + event.lockName()).getBytes(StandardCharsets.UTF_8))
                    .query(Long.class)
                    .single();
            feed.publish(LockNews.of(
                    "write refused", event.lockName(), event.fencingToken(), "the database has seen token " + later));
        }
    }
}
