package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import org.junit.jupiter.api.Test;

/**
 * A connection that ends while a release is on its way: the Lettuce of Spring Boot 3.5 sends it again, newer ones
 * don't.
 */
class RepeatedReleaseTest {

    @Test
    void shouldNotTakeTheAnswerToItForALoss() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RedisCli cli = redis.cli();
                FaultProxy proxy = FaultProxy.inFrontOf(redis.port());
                Neighbour instance = Neighbour.at(proxy.port())) {
            assertThat(instance.acquire("repeated").release())
                    .as("Redis knows the scripts")
                    .isTrue();
            Lease lease = instance.acquire("repeated");
            proxy.swallowReplyOf(Commands.named("evalsha"), proxy::cutFin);

            assertThat(lease.release()).as("ours until now").isTrue();

            assertThat(cli.exists("lock:{repeated}")).isFalse();
        }
    }
}
