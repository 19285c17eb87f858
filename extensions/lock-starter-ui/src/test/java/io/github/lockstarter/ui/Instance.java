package io.github.lockstarter.ui;

import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.PathNotFoundException;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.text.LoggedNames;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with the page, which is asked over HTTP. */
final class Instance implements AutoCloseable {

    /** What it answered. */
    record Answer(int status, HttpHeaders headers, String body) {

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

    private final HttpClient client =
            HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

    private final ConfigurableApplicationContext context;

    private Instance(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Starts an application without Spring Security. */
    static Instance start(String... options) {
        return start(Application.class, options);
    }

    /** Starts an application that sends no messages. */
    static Instance polling(RedisServer redis) {
        return start(
                "--spring.data.redis.host=" + redis.host(),
                "--spring.data.redis.port=" + redis.port(),
                "--distributed-lock.redis.messages=polling",
                "--management.endpoint.locks.access=unrestricted");
    }

    /** Starts an application with the endpoint exposed. */
    static Instance start(Class<?> application, String... options) {
        return new Instance(new SpringApplicationBuilder(application)
                .properties(
                        "server.address=127.0.0.1",
                        "server.port=0",
                        "distributed-lock.ui.enabled=true",
                        "distributed-lock.shutdown-timeout=0",
                        "management.endpoints.web.exposure.include=locks")
                .web(WebApplicationType.SERVLET)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .run(options));
    }

    <T> T bean(Class<T> type) {
        return this.context.getBean(type);
    }

    String address() {
        return address("local.server.port");
    }

    String address(String port) {
        return "http://127.0.0.1:" + this.context.getEnvironment().getRequiredProperty(port);
    }

    /** Sends a request for a path, or for an address of another port. */
    Answer get(String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(path.startsWith("http") ? path : address() + path));
        return send(headers.length > 0 ? request.headers(headers) : request);
    }

    /** Releases a lock as the page does. */
    Answer release(String name, String token) {
        return post("/locks/release", Map.of("id", id(name), "token", token), "X-Requested-With", "test");
    }

    /** Asks the owners of a lock to release it as the page does. */
    Answer ask(String name, String token) {
        return post("/locks/ask", Map.of("id", id(name), "token", token), "X-Requested-With", "test");
    }

    Answer post(String path, Map<String, String> parameters, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(path.startsWith("http") ? path : address() + path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(parameters.entrySet().stream()
                        .map(each -> each.getKey() + '=' + encoded(each.getValue()))
                        .collect(Collectors.joining("&"))));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request);
    }

    /** Returns the id of a lock in requests. */
    static String id(String name) {
        return new LockKeys("lock", LoggedNames.withKeys(true)).keyOf(name);
    }

    /** Sends a request without a body. */
    Answer request(String method, String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(address() + path)).method(method, BodyPublishers.noBody());
        return send(headers.length > 0 ? request.headers(headers) : request);
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = this.client.send(request.build(), BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.headers(), response.body());
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
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration"
            })
    static class Application {}
}
