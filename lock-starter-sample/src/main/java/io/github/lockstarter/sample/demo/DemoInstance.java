package io.github.lockstarter.sample.demo;

import io.github.lockstarter.backing.ProcessFaults;
import io.github.lockstarter.sample.SampleApplication;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** An instance of the sample in a process of its own, with a client for it. Thread-safe. */
final class DemoInstance implements AutoCloseable {

    static final int NO_ANSWER = 0;

    private static final JsonMapper JSON = new JsonMapper();

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(Version.HTTP_1_1).build();

    private static final Executor RETRY_DELAY = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);

    /** The line before the data of a lock event in the stream. */
    private static final String NEWS = "event:news";

    private static final String DATA = "data:";

    private final String name;

    private final int port;

    private final Process process;

    private final BiConsumer<DemoInstance, News> listener;

    private final Map<String, Awaited> awaited = new ConcurrentHashMap<>();

    /** A response, or {@link #NO_ANSWER} with an empty body if the connection was closed. */
    record Answer(int status, String body) {

        <T> T as(Class<T> type) {
            return JSON.readValue(body, type);
        }

        /** Returns the reason in a problem detail, and an empty text for any other answer. */
        String detail() {
            return body.isEmpty() ? "" : JSON.readTree(body).path("detail").asString("");
        }
    }

    /** An event of a lock, as the page shows it. */
    record News(
            String type,
            String lock,
            @Nullable Long token,
            @Nullable String detail) {}

    private record Awaited(long after, CompletableFuture<News> future) {}

    private DemoInstance(String name, int port, Process process, BiConsumer<DemoInstance, News> listener) {
        this.name = name;
        this.port = port;
        this.process = process;
        this.listener = listener;
    }

    /**
     * Starts an instance. It is killed when this JVM ends.
     *
     * @param name name in lines, and of its log
     * @param options options of the sample beside the port
     * @param directory directory of its log
     * @param listener receives the events of its locks
     */
    static DemoInstance start(
            String name, int port, List<String> options, Path directory, BiConsumer<DemoInstance, News> listener)
            throws IOException {
        String classPath = System.getProperty("java.class.path");
        List<String> command = new ArrayList<>(
                List.of(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(
                classPath.contains(File.pathSeparator)
                        ? List.of("-cp", classPath, SampleApplication.class.getName())
                        : List.of("-jar", classPath));
        command.add("--server.port=" + port);
        command.addAll(options);
        Path log = directory.resolve(name + ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(log.toFile())) // of the killed process as well
                .start();
        ProcessFaults.endWithThisJvm(process);
        return new DemoInstance(name, port, process, listener);
    }

    /** Returns a future that completes when the instance answers requests and its events are read. */
    CompletableFuture<Void> started() {
        return send(request("/live/stream"), BodyHandlers.ofLines())
                .thenAccept(this::read)
                .exceptionallyCompose(ex -> process.isAlive() && !(ex.getCause() instanceof IllegalStateException)
                        ? CompletableFuture.runAsync(() -> {}, RETRY_DELAY).thenCompose(retry -> started())
                        : CompletableFuture.failedFuture(ex));
    }

    private void read(HttpResponse<Stream<String>> stream) {
        if (stream.statusCode() != 200) {
            throw new IllegalStateException("the stream of events was answered with " + stream.statusCode());
        }
        Thread reader = new Thread(
                () -> {
                    try (Stream<String> lines = stream.body()) {
                        boolean isNews = false;
                        for (String line : (Iterable<String>) lines::iterator) {
                            if (isNews && line.startsWith(DATA)) {
                                received(JSON.readValue(line.substring(DATA.length()), News.class));
                            }
                            isNews = line.equals(NEWS);
                        }
                    } catch (UncheckedIOException ex) {
                        // the process has ended
                    } finally {
                        awaited.values().forEach(each -> each.future().cancel(false));
                    }
                },
                "news of the " + name + " instance");
        reader.setDaemon(true);
        reader.start();
    }

    private void received(News news) {
        if (!news.lock().equals(Demonstration.LOCK)) {
            return;
        }
        listener.accept(this, news);
        Awaited expected = awaited.get(news.type());
        if (expected != null && news.token() != null && news.token() > expected.after()) {
            expected.future().complete(news);
        }
    }

    /**
     * Returns the next event of a type whose token is larger than the given one, which excludes late events of former
     * grants.
     */
    CompletableFuture<News> next(String type, long token) {
        Awaited next = new Awaited(token, new CompletableFuture<>());
        awaited.put(type, next);
        return next.future();
    }

    CompletableFuture<Answer> post(String path) {
        return answer(request(path).POST(BodyPublishers.noBody()));
    }

    CompletableFuture<Answer> get(String path) {
        return answer(request(path));
    }

    private static CompletableFuture<Answer> answer(HttpRequest.Builder request) {
        return send(request, BodyHandlers.ofString())
                .thenApply(response -> new Answer(response.statusCode(), response.body()))
                .exceptionally(ex -> new Answer(NO_ANSWER, ""));
    }

    private static <T> CompletableFuture<HttpResponse<T>> send(
            HttpRequest.Builder request, HttpResponse.BodyHandler<T> handler) {
        return CLIENT.sendAsync(request.build(), handler);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    /** Ends the process as a crash does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
    }

    /** Stops the process until it is resumed, as a suspended virtual machine does. */
    void pause() {
        ProcessFaults.stop(process);
    }

    void resume() {
        ProcessFaults.resume(process);
    }

    /** Stops the process, and kills it after 3 seconds. */
    @Override
    public void close() {
        try {
            process.destroy();
            if (!process.waitFor(3, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException ex) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
