package io.github.lockstarter.docstests.configuration;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationFencesTest {

    private final ConfigurationFences check = new ConfigurationFences();

    @Test
    void shouldAcceptWhatCanBeBound() {
        assertThat(problems(this.check, """
            ```yaml
            distributed-lock:
              wait-time: ${WAIT:5s}
              locks:
                event:
                  wait-time: 2s
                  max-hold: 1h
                "[TicketOffice.sell]":
                  watchdog-timeout: 12s
            spring.data.redis.host: redis.example.org
            spring.ssl.bundle.pem.redis.truststore.certificate: file:ca.crt
            management.metrics.distribution.percentiles-histogram.distributed.lock.acquire: true
            ```
            ```properties
            distributed-lock.redis.confirm-replicas=1
            orders.wait=1s
            # ${orders.wait}
            ```
            """)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed-lock.wait-tme=5s",
                "distributed-lock.wait-time=soon",
                "distributed-lock.locks.event.wait-tme=5s",
                "distributed-lock.watchdog.timeout=1ms",
                "spring.data.redis.hots=a",
                "distribtued-lock.wait-time=5s"
            })
    void shouldReportWhatCannot(String property) {
        assertThat(problems(this.check, "```properties\n" + property + "\n```")).hasSize(1);
    }
}
