package io.github.lockstarter.sample.live;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.backing.ProcessFaults;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Handles the requests of the page. Registered only if the server is bound to 127.0.0.1, because some of them stop
 * processes.
 */
@RestController
@RequestMapping("/live")
@ConditionalOnProperty(name = "server.address", havingValue = "127.0.0.1")
class LiveController {

    static final String HEADER = "X-Live-Page";

    private static final Set<String> HOSTS = Set.of("127.0.0.1", "localhost");

    private static final Duration INTERVAL = Duration.ofMillis(400);

    private final HttpClient browser = HttpClient.newHttpClient();

    private final Sinks.One<Boolean> stopped = Sinks.one();

    /** One reading for all pages, and none without a page. */
    private final Flux<ServerSentEvent<Object>> readings;

    private final LiveNews news;

    private final LiveState state;

    private final LockRegistry locks;

    private final StringRedisTemplate redis;

    LiveController(LiveNews news, LiveState state, LockRegistry locks, StringRedisTemplate redis) {
        this.news = news;
        this.state = state;
        this.locks = locks;
        this.redis = redis;
        this.readings = Flux.<ServerSentEvent<Object>>merge(
                        every("state", state::local), every("redis", state::redis), every("database", state::database))
                .share();
    }

    @GetMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<ServerSentEvent<Object>> stream() {
        // the news come first, because a state begins the bar of a lock whose news the page has not read
        return Flux.<ServerSentEvent<Object>>merge(
                        news.news().map(item -> event("news", item)), readings.onBackpressureDrop())
                .takeUntilOther(stopped.asMono())
                .concatWith(Mono.just(event("stopped", state.port())));
    }

    /** A reading that waits for Redis or the database delays neither the others nor the next one. */
    private static Flux<ServerSentEvent<Object>> every(String name, Supplier<?> reading) {
        return Flux.interval(Duration.ZERO, INTERVAL)
                .onBackpressureDrop()
                .concatMap(tick -> Mono.<Object>fromSupplier(reading).subscribeOn(Schedulers.boundedElastic()), 0)
                .map(value -> event(name, value));
    }

    private static ServerSentEvent<Object> event(String name, Object data) {
        return ServerSentEvent.builder().event(name).data(data).build();
    }

    /** Ends the streams, which would delay the stop of the web server. */
    @EventListener(ContextClosedEvent.class)
    void stop() {
        stopped.tryEmitValue(true);
    }

    /**
     * Sends purchases at the same time, past the limits of a browser, and returns their number for each HTTP status.
     */
    @PostMapping("/buyers")
    Mono<Map<Integer, Long>> sendBuyers(@RequestParam int count) {
        require(count, 100);
        HttpRequest purchase = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:%d/api/events/%s/tickets".formatted(state.port(), LiveState.EVENT)))
                .POST(BodyPublishers.noBody())
                .build();
        return Flux.range(0, count)
                .flatMap(
                        buyer -> Mono.fromFuture(() -> browser.sendAsync(purchase, BodyHandlers.discarding()))
                                .map(HttpResponse::statusCode)
                                .onErrorReturn(0),
                        count)
                .collect(Collectors.groupingBy(status -> status, TreeMap::new, Collectors.counting()));
    }

    /** Takes the lock of the sales from its owner, whichever instance that is. */
    @PostMapping("/force")
    Map<String, Boolean> force() {
        return Map.of("released", locks.getLock("event:" + LiveState.EVENT).forceUnlock());
    }

    /** Stops this process for a while, as a long garbage collection or a suspended virtual machine does. */
    @PostMapping("/pause")
    void pause(@RequestParam int seconds) {
        require(seconds, 60);
        ProcessFaults.pause(ProcessHandle.current().pid(), seconds);
    }

    /** Ends this process as a crash does. */
    @PostMapping("/kill")
    void kill() {
        ProcessFaults.kill(ProcessHandle.current().pid());
    }

    /** Stops the Redis server for a while, which must run on this machine. */
    @PostMapping("/freeze")
    void freeze(@RequestParam int seconds) {
        require(seconds, 60);
        RedisCallback<String> processId =
                connection -> connection.serverCommands().info("server").getProperty("process_id");
        ProcessFaults.pause(Long.parseLong(redis.execute(processId)), seconds);
    }

    private static void require(int number, int largest) {
        if (number < 1 || number > largest) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "The number must be between 1 and " + largest);
        }
    }

    /**
     * Rejects requests of other sites. Such a site can give its own name the address of this machine, which the host
     * shows, and a browser sends the header to another origin only if that one permits it.
     */
    @ModelAttribute
    void requireOwnPage(HttpServletRequest request) {
        boolean sent = request.getMethod().equals("GET") || request.getHeader(HEADER) != null;
        if (!sent || !HOSTS.contains(request.getServerName())) {
            throw new ResponseStatusException(HttpStatus.FORBIDDEN, "Only the page may send this, with " + HEADER);
        }
    }

    /** Lets the page of one instance use the others on this machine. */
    @Component
    static class OtherInstances implements WebMvcConfigurer {

        @Override
        public void addCorsMappings(CorsRegistry registry) {
            registry.addMapping("/**")
                    .allowedOriginPatterns("http://127.0.0.1:*", "http://localhost:*")
                    .allowedMethods("GET", "POST");
        }
    }
}
