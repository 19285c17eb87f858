package io.github.lockstarter.autoconfigure;

import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.PathNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application that is asked over HTTP. */
final class WebInstance implements AutoCloseable {

    /** What it answered. */
    record Answer(int status, String body) {

        /** What stands there; null: nothing does. */
        @SuppressWarnings("TypeParameterUnusedInFormals") // JsonPath's own shape
        <T> T at(String path) {
            try {
                return JsonPath.read(this.body, path);
            } catch (PathNotFoundException ex) {
                return null;
            }
        }
    }

    private final HttpClient client = HttpClient.newHttpClient();

    private final ConfigurableApplicationContext context;

    private final String address;

    private WebInstance(ConfigurableApplicationContext context) {
        this.context = context;
        this.address = "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port");
    }

    static WebInstance start(String... options) {
        List<String> all = new ArrayList<>(List.of(
                "--server.address=127.0.0.1",
                "--server.port=0",
                "--management.endpoints.web.exposure.include=health,locks",
                "--management.endpoint.health.show-details=always"));
        all.addAll(List.of(options));
        return new WebInstance(new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .run(all.toArray(String[]::new)));
    }

    <T> T bean(Class<T> type) {
        return this.context.getBean(type);
    }

    Answer get(String path) {
        return send(request(path).GET());
    }

    Answer delete(String path) {
        return send(request(path).DELETE());
    }

    /** Sends JSON. */
    Answer post(String path, String body) {
        return post(path, body, "application/json");
    }

    Answer post(String path, String body, String contentType) {
        return send(request(path).header("Content-Type", contentType).POST(BodyPublishers.ofString(body)));
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(this.address + path));
    }

    private Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException ex) {
            throw new IllegalStateException(ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public void close() {
        this.context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
