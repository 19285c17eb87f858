package io.github.lockstarter.sample.live;

import io.github.lockstarter.sample.tickets.StaleWriteRefused;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Shows the writes that the database refused because of their token. */
@Component
class RefusedWrites {

    private final LiveFeed feed;

    RefusedWrites(LiveFeed feed) {
        this.feed = feed;
    }

    @EventListener
    void refused(StaleWriteRefused event) {
        feed.publish(LockNews.of(
                "write refused",
                "event:" + event.eventId(),
                event.token(),
                "the database has seen token " + event.latestToken()));
    }
}
