package io.github.lockstarter.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@RedisTest
class LocksPageTest {

    private static Instance instance;

    private static LockRegistry registry;

    @BeforeAll
    static void start(RedisServer redis) {
        instance = Instance.start(redis);
        registry = instance.bean(LockRegistry.class);
    }

    @AfterAll
    static void stop() {
        instance.close();
    }

    @Test
    void shouldShowALock() throws Exception {
        registry.acquire(LockRequest.of("orders:42"));
        assertThat(instance.get("/locks").status()).isEqualTo(302);
        assertThat(instance.get("/locks/").body()).contains("thin");
        Instance.Answer data = instance.get("/locks/data");
        System.out.println(data);
        assertThat(data.<List<String>>at("$.locks[*].name")).containsExactly("orders:42");
    }
}
