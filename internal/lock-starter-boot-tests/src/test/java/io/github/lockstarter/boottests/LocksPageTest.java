package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.test.UseInMemoryLocks;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.env.Environment;

/** The locks page of an application of this line. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.data.redis.port=1",
            "management.endpoints.web.exposure.include=locks",
            "management.endpoint.locks.access=unrestricted",
            "distributed-lock.ui.enabled=true",
            "distributed-lock.ui.path=/actuator/locks-page"
        })
@UseInMemoryLocks
class LocksPageTest {

    @Test
    void shouldShowALock(@Autowired LockRegistry locks, @Autowired Environment environment) throws Exception {
        Actuator actuator = new Actuator(environment);
        Lease lease = locks.acquire(LockRequest.of("order"));

        HttpResponse<String> page = actuator.get("locks-page/");
        HttpResponse<String> data = actuator.get("locks-page/data");
        HttpResponse<String> asked = actuator.send("POST", "locks/order");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("locks.js");
        assertThat(data.statusCode()).as(data.body()).isEqualTo(200);
        assertThat(data.body()).contains("\"name\":\"order\"", "\"mayRelease\":true", "\"mayAsk\":true");
        assertThat(asked.statusCode()).as(asked.body()).isEqualTo(200);
        assertThat(lease.isReleaseRequested()).isTrue();
        lease.release();
    }
}
