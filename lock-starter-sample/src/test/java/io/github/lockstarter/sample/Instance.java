package io.github.lockstarter.sample;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpMethod;
import org.springframework.web.client.RestClient;

/** An instance of the service, in this JVM, and a client for it. */
final class Instance implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final RestClient client;

    private Instance(ConfigurableApplicationContext context) {
        this.context = context;
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        this.client = RestClient.create("http://127.0.0.1:" + port);
    }

    /** Starts one, on a free port, with the database in that directory. */
    static Instance start(Path directory, String... options) {
        return new Instance(SampleApplication.run(arguments(directory, options)));
    }

    /** The arguments for one on a free port, with the database in that directory. */
    static String[] arguments(Path directory, String... options) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=WARN",
                "--spring.datasource.url=jdbc:h2:file:" + directory.resolve("tickets")
                        + ";AUTO_SERVER=TRUE;LOCK_TIMEOUT=10000"));
        all.addAll(List.of(options));
        return all.toArray(String[]::new);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    Answer get(String path) {
        return send(HttpMethod.GET, path);
    }

    Answer post(String path) {
        return send(HttpMethod.POST, path);
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
