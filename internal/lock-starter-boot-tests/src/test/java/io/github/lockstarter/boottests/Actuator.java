package io.github.lockstarter.boottests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.springframework.core.env.Environment;

/** What operators see, over HTTP: the types behind it moved from one line of Spring Boot to the next. */
final class Actuator {

    private final HttpClient client = HttpClient.newHttpClient();

    private final Environment environment;

    Actuator(Environment environment) {
        this.environment = environment;
    }

    HttpResponse<String> get(String path) {
        return send("GET", path);
    }

    HttpResponse<String> send(String method, String path) {
        String port = this.environment.getProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator/" + path))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            return this.client.send(request, BodyHandlers.ofString());
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
