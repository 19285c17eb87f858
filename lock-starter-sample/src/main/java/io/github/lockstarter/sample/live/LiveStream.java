package io.github.lockstarter.sample.live;

import io.github.lockstarter.LockInventory;
import java.time.Duration;
import java.util.List;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Sends the live page what happens, and twice a second how things are. */
@RestController
class LiveStream {

    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final LiveFeed feed;
    private final Sinks.One<Boolean> stopped = Sinks.one();
    private final Flux<InstanceState> states;

    LiveStream(LiveFeed feed, LockInventory inventory, LiveTables tables) {
        this.feed = feed;
        // One reading for all pages, and none without a page. Redis and the database can take their time to not answer:
        // what is due meanwhile is left out.
        this.states = Flux.interval(Duration.ZERO, INTERVAL)
                .onBackpressureDrop()
                .concatMap(
                        tick -> Mono.fromCallable(() -> read(inventory, tables))
                                .subscribeOn(Schedulers.boundedElastic()),
                        1)
                .replay(1)
                .refCount();
    }

    private static InstanceState read(LockInventory inventory, LiveTables tables) {
        List<RunningInstance> instances = tables.instances();
        // A database that does not answer takes its time: it is asked once only.
        Sales sales = instances != null ? tables.sales() : null;
        return InstanceState.of(inventory, tables.self(), instances, sales);
    }

    @GetMapping(path = "/live/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<ServerSentEvent<Object>> stream() {
        return Flux.<ServerSentEvent<Object>>merge(
                        states.onBackpressureLatest().map(state -> event("state", state)),
                        feed.news().map(item -> event("news", item)))
                .takeUntilOther(stopped.asMono());
    }

    /** A stream that goes on would keep the web server from stopping. */
    @EventListener(ContextClosedEvent.class)
    void stop() {
        stopped.tryEmitValue(true);
    }

    private static ServerSentEvent<Object> event(String name, Object data) {
        return ServerSentEvent.builder().event(name).data(data).build();
    }
}
