package io.github.lockstarter.ui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.ui.Instance.Answer;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Where the page is served, and where it is not. */
@ExtendWith(OutputCaptureExtension.class)
class LocksPageAutoConfigurationTest {

    private static final AutoConfigurations OURS =
            AutoConfigurations.of(DistributedLockAutoConfiguration.class, DistributedLockPageAutoConfiguration.class);

    private static final String IN_MEMORY = "--distributed-lock.store=memory";

    @Test
    void shouldCreateNothingByDefault() {
        new WebApplicationContextRunner()
                .withConfiguration(OURS)
                .withPropertyValues("distributed-lock.store=memory")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(Stream.of(context.getBeanDefinitionNames())
                                    .map(name -> context.getBeanFactory().getType(name)))
                            .noneMatch(type ->
                                    type != null && type.getPackageName().equals(LocksPage.class.getPackageName()));
                });
        try (Instance instance = Instance.start(
                IN_MEMORY, "--distributed-lock.ui.enabled=false", "--management.endpoint.locks.access=unrestricted")) {
            assertThat(instance.get("/locks").status()).isEqualTo(404);
            assertThat(instance.get("/locks/").status()).isEqualTo(404);
        }
    }

    @Test
    void shouldCreateNothingInAnApplicationWithoutServer() {
        new ApplicationContextRunner()
                .withConfiguration(OURS)
                .withPropertyValues("distributed-lock.store=memory", "distributed-lock.ui.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EndpointRights.class));
    }

    @Test
    void shouldWarnWithWebFlux(CapturedOutput output) {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(OURS)
                .withClassLoader(new FilteredClassLoader("jakarta.servlet", "org.springframework.security"))
                .withPropertyValues("distributed-lock.store=memory", "distributed-lock.ui.enabled=true")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output.getAll().lines().filter(line -> line.contains("distributed-lock.ui.enabled")))
                .singleElement()
                .asString()
                .contains("WARN", "WebFlux");
    }

    /** The endpoint is exposed by none of them, or has no operation over HTTP. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--management.endpoints.web.exposure.include=health",
                "--management.endpoints.web.exposure.exclude=locks",
                "--management.endpoint.locks.access=none",
                "--management.endpoints.access.max-permitted=none"
            })
    void shouldNotBeServedWithoutTheEndpoint(String option, CapturedOutput output) {
        try (Instance instance = Instance.start(IN_MEMORY, option, "--management.endpoints.jmx.exposure.include=*")) {
            for (String path : List.of("/locks", "/locks/", "/locks/locks.js", "/locks/data")) {
                assertThat(instance.get(path).status()).as(path).isEqualTo(404);
            }
            assertThat(instance.release("a", "1").status()).isEqualTo(404);
        }
        assertThat(output.getAll().lines().filter(line -> line.contains("distributed-lock.ui.enabled")))
                .singleElement()
                .asString()
                .contains("WARN", "management.endpoints.web.exposure.include");
    }

    @Test
    void shouldBeServedOnTheManagementPortForReading(CapturedOutput output) throws Exception {
        try (Instance instance = Instance.start(
                IN_MEMORY,
                "--server.servlet.context-path=/app",
                "--management.server.port=0",
                "--management.server.address=127.0.0.1",
                "--management.server.base-path=/manage",
                "--management.endpoint.locks.access=unrestricted",
                "--management.endpoints.access.max-permitted=read-only",
                "--distributed-lock.ui.path=/ops/locks")) {
            instance.bean(LockRegistry.class).acquire(LockRequest.of("order"));
            String page = instance.address("local.management.port") + "/manage/ops/locks";

            assertThat(instance.get("/app/ops/locks/").status())
                    .as("on the application's port")
                    .isEqualTo(404);
            assertThat(instance.get(page).headers().firstValue("Location")).hasValue("locks/");
            assertThat(instance.get(page + "/").body()).contains("locks.js");
            Answer data = instance.get(page + "/data");
            assertThat(data.<List<String>>at("$.locks[*].name")).containsExactly("order");
            assertThat(data.<String>at("$.only")).isEqualTo("store");
            assertThat(data.<Boolean>at("$.mayRelease")).isFalse();
            assertThat(instance.get(page + "/locks.css").status()).isEqualTo(200);
            assertThat(instance.post(page + "/release", Map.of("id", Instance.id("order")), "X-Requested-With", "test")
                            .status())
                    .isEqualTo(405);
        }
        assertThat(output.getAll()).doesNotContain("distributed-lock.ui.enabled");
    }

    @Test
    void shouldWarnIfTheEndpointsAreSwitchedOff(CapturedOutput output) {
        try (Instance instance = Instance.start(IN_MEMORY, "--management.server.port=-1")) {
            assertThat(instance.get("/locks").status()).isEqualTo(404);
        }
        assertThat(output.getAll().lines().filter(line -> line.contains("distributed-lock.ui.enabled")))
                .singleElement()
                .asString()
                .contains("WARN", "management.server.port");
    }

    @ParameterizedTest
    @ValueSource(strings = {"locks/*", "/..", "/a/./b", "/"})
    void shouldRejectAPathThatIsNone(String path) {
        new WebApplicationContextRunner()
                .withConfiguration(OURS)
                .withPropertyValues(
                        "distributed-lock.store=memory",
                        "distributed-lock.ui.enabled=true",
                        "distributed-lock.ui.path=" + path)
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("ui.path"));
    }

    @Test
    void shouldRejectThePathOfTheEndpoint() {
        assertThatThrownBy(() -> Instance.start(
                        IN_MEMORY, "--management.server.port=0", "--management.endpoints.web.base-path=/"))
                .hasMessageContaining("distributed-lock.ui.path");
    }
}
