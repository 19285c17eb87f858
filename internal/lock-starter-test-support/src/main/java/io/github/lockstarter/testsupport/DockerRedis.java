package io.github.lockstarter.testsupport;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports.Binding;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.awaitility.core.ConditionTimeoutException;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * Redis in a container, for machines that no binary fits. Nothing else may mention this class: it needs Testcontainers.
 */
final class DockerRedis implements RedisBackend {

    private static final String IMAGE = System.getProperty("lock.test.redis.image", "redis:7.2-alpine");
    private static final int REDIS_PORT = 6379;

    private final GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(IMAGE));
    private final int port = Ports.free();

    DockerRedis(List<String> options) {
        List<String> command = new ArrayList<>(
                List.of("redis-server", "--save", "", "--appendonly", "no", "--enable-debug-command", "yes"));
        command.addAll(options);
        container.withCommand(command.toArray(String[]::new));
        container.withExposedPorts(REDIS_PORT);
        // a fixed port: one that Docker chooses would be another one after each restart
        container.withCreateContainerCmdModifier(create ->
                create.withHostConfig(Objects.requireNonNullElseGet(create.getHostConfig(), HostConfig::newHostConfig)
                        .withPortBindings(new PortBinding(
                                Binding.bindIpAndPort("127.0.0.1", port), ExposedPort.tcp(REDIS_PORT)))));
    }

    @Override
    public void start() {
        if (container.getContainerId() == null) {
            container.start();
        } else {
            client().startContainerCmd(id()).exec();
        }
        awaitAnswer();
    }

    private void awaitAnswer() {
        try {
            Awaiting.servers("answer of Redis in a container").until(() -> {
                try (RedisCli cli = RedisCli.connect(port)) {
                    return cli.command("PING") != null;
                }
            });
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException("Redis does not answer: " + container.getLogs(), e);
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public long pid() {
        return Objects.requireNonNull(
                client().inspectContainerCmd(id()).exec().getState().getPidLong());
    }

    @Override
    public boolean isRunning() {
        return container.isRunning();
    }

    @Override
    public void stop() {
        client().stopContainerCmd(id()).exec();
    }

    @Override
    public void kill() {
        client().killContainerCmd(id()).exec();
    }

    @Override
    public void pause() {
        client().pauseContainerCmd(id()).exec();
    }

    @Override
    public void resume() {
        client().unpauseContainerCmd(id()).exec();
    }

    @Override
    public void remove() {
        container.stop();
    }

    @Override
    public String describe() {
        return "container of " + IMAGE;
    }

    private DockerClient client() {
        return container.getDockerClient();
    }

    private String id() {
        return container.getContainerId();
    }
}
