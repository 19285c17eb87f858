package io.github.lockstarter.sample;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** An instance of the service, in this JVM, and a client for it. */
public final class Instance implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final RestClient client;

    private Instance(ConfigurableApplicationContext context) {
        this.context = context;
        this.client = RestClient.builder()
                .baseUrl("http://127.0.0.1:" + port())
                .requestFactory(new JdkClientHttpRequestFactory()) // others repeat a request that is answered with 503
                .build();
    }

    /**
     * Starts one on a free port. Those that are given the same directory share a database, in the memory of this JVM.
     */
    public static Instance start(Path directory, String... options) {
        return new Instance(SampleApplication.run(arguments(directory, options)));
    }

    /** Starts one on a free port, which uses the backing process unless the options name a Redis and a database. */
    public static Instance start(String... options) {
        return new Instance(SampleApplication.run(arguments(options)));
    }

    /** Returns the arguments for one as {@link #start(Path, String...)} starts it, in this JVM or in another one. */
    public static String[] arguments(Path directory, String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("--spring.datasource.url=" + TestDatabase.url(directory));
        return arguments(all.toArray(String[]::new));
    }

    /** Returns the arguments for one as {@link #start(String...)} starts it. */
    public static String[] arguments(String... options) {
        List<String> all = new ArrayList<>(
                List.of("--server.port=0", "--spring.main.banner-mode=off", "--logging.level.root=WARN"));
        all.addAll(List.of(options));
        return all.toArray(String[]::new);
    }

    /** Returns the port on which it listens. */
    public int port() {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public Answer get(String path) {
        return send(HttpMethod.GET, path);
    }

    public Answer post(String path) {
        return send(HttpMethod.POST, path);
    }

    public Answer delete(String path) {
        return send(HttpMethod.DELETE, path);
    }

    private Answer send(HttpMethod method, String path) {
        return client.method(method)
                .uri(path)
                .exchangeForRequiredValue((request, response) -> new Answer(
                        response.getStatusCode().value(), response.getHeaders(), response.bodyTo(String.class)));
    }

    @Override
    public void close() {
        context.close();
    }
}
