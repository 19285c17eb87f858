package io.github.lockstarter.ui;

import static io.github.lockstarter.ui.Instance.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.TopologyTest;
import io.github.lockstarter.ui.Instance.Answer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The page on a cluster: one master after the other. */
@TopologyTest
@Tag("full")
@Timeout(180)
class LocksPageClusterTest {

    @Test
    void shouldShowTheLocksOfAllMasters(RedisCluster cluster) throws Exception {
        String nodes = cluster.ports().stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        try (Instance instance = Instance.start(
                "--spring.data.redis.cluster.nodes=" + nodes, "--management.endpoint.locks.access=unrestricted")) {
            LockRegistry registry = instance.bean(LockRegistry.class);
            Set<String> held = new TreeSet<>();
            for (int i = 0; i < 300; i++) {
                held.add("order:" + i);
                registry.acquire(LockRequest.of("order:" + i));
            }

            Set<String> shown = new TreeSet<>();
            String cursor = null;
            do {
                Answer data =
                        instance.get("/locks/data?count=40" + (cursor != null ? "&cursor=" + encoded(cursor) : ""));
                assertThat(data.status()).as(data.body()).isEqualTo(200);
                assertThat(data.<Object>at("$.only")).isNull();
                shown.addAll(data.<List<String>>at("$.locks[*].name"));
                cursor = data.at("$.cursor");
            } while (cursor != null);

            assertThat(shown).isEqualTo(held);
            Answer found = instance.get("/locks/data?text=order:7&count=1000");
            assertThat(found.<List<String>>at("$.locks[*].name"))
                    .containsExactlyInAnyOrderElementsOf(held.stream()
                            .filter(name -> name.startsWith("order:7"))
                            .toList());
            assertThat(instance.release(
                                    "order:7",
                                    PageTests.<String>list(found, "$.locks[?(@.name=='order:7')].token")
                                            .get(0))
                            .<String>at("$.outcome"))
                    .isEqualTo("RELEASED");
        }
    }
}
