package io.github.lockstarter.sample.live;

import io.github.lockstarter.jdbc.FenceOutcome;
import io.github.lockstarter.jdbc.TransactionRefusedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Shows the transactions that were refused because of a later owner. */
@Component
class RefusedWrites {

    private final LiveFeed feed;

    RefusedWrites(LiveFeed feed) {
        this.feed = feed;
    }

    @EventListener
    void refused(TransactionRefusedEvent event) {
        if (event.outcome() == FenceOutcome.REFUSED) {
            feed.publish(LockNews.of(
                    "write refused",
                    event.lockName(),
                    event.fencingToken(),
                    "the database has seen the token of a later owner"));
        }
    }
}
