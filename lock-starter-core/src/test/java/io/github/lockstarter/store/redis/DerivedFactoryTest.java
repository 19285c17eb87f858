package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The private connection leads to where the application's leads. */
class DerivedFactoryTest {

    /** One of Spring's constructors keeps such a configuration where the obvious getter does not look. */
    @Test
    void shouldKnowTheServerHoweverItWasConfigured() {
        RedisConfiguration server = new RedisStandaloneConfiguration("elsewhere", 1234);
        LettuceConnectionFactory application =
                new LettuceConnectionFactory(server, LettuceClientConfiguration.defaultConfiguration());

        LettuceConnectionFactory derived = Objects.requireNonNull(DerivedFactory.of(application, Duration.ofSeconds(1)))
                .create();
        try {
            assertThat(derived.getHostName()).isEqualTo("elsewhere");
            assertThat(derived.getPort()).isEqualTo(1234);
        } finally {
            derived.destroy();
        }
    }
}
