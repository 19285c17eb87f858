package io.github.lockstarter.sample.live;

import io.github.lockstarter.LockRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.context.annotation.Conditional;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.UriComponentsBuilder;

/** What the buttons of the live page do that is no part of a ticket office. */
@RestController
@Conditional(LoopbackOnly.class)
class Crowd {

    private static final int LARGEST = 500;

    private final HttpClient browser = HttpClient.newHttpClient();
    private final LiveFeed feed;
    private final LiveTables tables;
    private final LockRegistry locks;

    Crowd(LiveFeed feed, LiveTables tables, LockRegistry locks) {
        this.feed = feed;
        this.tables = tables;
        this.locks = locks;
    }

    /** Sends buyers to this instance, all at once: a browser would send six. */
    @PostMapping("/live/events/{eventId}/buyers")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void send(@PathVariable String eventId, @RequestParam(defaultValue = "50") int count) {
        if (count < 1 || count > LARGEST) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "Between 1 and " + LARGEST + " buyers, please");
        }
        URI tickets = UriComponentsBuilder.fromUriString("http://127.0.0.1:{port}/api/events/{event}/tickets")
                .build(tables.self().port(), eventId);
        HttpRequest purchase =
                HttpRequest.newBuilder(tickets).POST(BodyPublishers.noBody()).build();
        List<CompletableFuture<Integer>> answers = IntStream.range(0, count)
                .mapToObj(buyer -> browser.sendAsync(purchase, BodyHandlers.discarding())
                        .thenApply(HttpResponse::statusCode)
                        .exceptionally(failure -> 0))
                .toList();
        CompletableFuture<Void> unused = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenRun(() ->
                        feed.publish(LockNews.of("crowd", eventId, null, count + " buyers: " + summary(answers))));
    }

    /** Takes a lock away from its owner, whichever instance that is. */
    @PostMapping("/live/locks/force")
    void force(@RequestParam String name) {
        boolean forced = locks.getLock(name).forceUnlock();
        feed.publish(LockNews.of("forced", name, null, forced ? "taken away from its owner" : "it was free"));
    }

    private static String summary(List<CompletableFuture<Integer>> answers) {
        return answers.stream()
                .collect(Collectors.groupingBy(answer -> meaning(answer.join()), TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
    }

    private static String meaning(int status) {
        return switch (status) {
            case 201 -> "got a ticket";
            case 404 -> "found no such event";
            case 409 -> "found it sold out";
            case 503 -> "were asked to try again";
            case 0 -> "got no answer";
            default -> "got status " + status;
        };
    }
}
