package io.github.lockstarter.sample.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.sample.Instance;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The controls accept requests of the page alone. */
@RedisTest
class LiveControlsTest {

    private final HttpClient client = HttpClient.newHttpClient();

    private final RedisServer redis;

    private Instance instance;

    LiveControlsTest(RedisServer redis) {
        this.redis = redis;
    }

    @BeforeEach
    void start(@TempDir Path directory) {
        instance = Instance.start(directory, "--spring.data.redis.port=" + redis.port());
    }

    @AfterEach
    void stop() {
        instance.close();
    }

    @Test
    void shouldRejectRequestsThatAnotherSiteCanMakeABrowserSend() throws Exception {
        assertThat(post("/live/kill").statusCode()).isEqualTo(403);
        assertThat(post("/live/pause", "Origin", "http://evil.test", LiveController.HEADER, "yes")
                        .statusCode())
                .isEqualTo(403);
        assertThat(statusLineForHost("evil.test")).contains(" 403 ");
        assertThat(send("OPTIONS", "/live/kill", "Origin", "http://evil.test", "Access-Control-Request-Method", "POST")
                        .headers()
                        .firstValue("Access-Control-Allow-Origin"))
                .isEmpty();
    }

    @Test
    void shouldRejectNumbersOutOfRange() throws Exception {
        for (String path : List.of(
                "/live/pause?seconds=0",
                "/live/pause?seconds=61",
                "/live/freeze?seconds=61",
                "/live/buyers?count=0",
                "/live/buyers?count=101")) {
            assertThat(post(path, LiveController.HEADER, "yes").statusCode())
                    .as(path)
                    .isEqualTo(400);
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldNotKeepTheServerFromStopping() throws Exception {
        HttpResponse<Stream<String>> stream =
                client.send(request("GET", "/live/stream").build(), BodyHandlers.ofLines());
        // news of a scheduled lock can arrive before the state
        assertThat(stream.body()
                        .dropWhile(line -> !line.equals("event:state"))
                        .filter(line -> line.startsWith("data:"))
                        .findFirst())
                .hasValueSatisfying(line -> assertThat(line).contains("\"port\":" + instance.port()));

        long start = System.nanoTime();
        instance.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    void shouldNotBeThereWhereOthersReachTheService() {
        ApplicationContextRunner contexts = new ApplicationContextRunner().withUserConfiguration(LiveController.class);

        assertThat(instance.bean(LiveController.class)).isNotNull(); // at 127.0.0.1
        contexts.withPropertyValues("server.address=0.0.0.0")
                .run(context -> assertThat(context).doesNotHaveBean(LiveController.class));
        contexts.run(context -> assertThat(context).doesNotHaveBean(LiveController.class));
    }

    /** By hand, because clients do not let a caller set this header. */
    private String statusLineForHost(String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), instance.port())) {
            String request = "POST /live/kill HTTP/1.1\r\nHost: %s\r\n%s: yes\r\nContent-Length: 0\r\n\r\n"
                    .formatted(host, LiveController.HEADER);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        }
    }

    private HttpResponse<String> post(String path, String... headers) throws Exception {
        return send("POST", path, headers);
    }

    private HttpResponse<String> send(String method, String path, String... headers) throws Exception {
        HttpRequest.Builder request = request(method, path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String method, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + instance.port() + path))
                .method(method, BodyPublishers.noBody());
    }
}
