package io.github.lockstarter.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RedisAddressTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --port=6380                              | localhost:6380 | --port=6380
                    --host=r.test                            | r.test:6379    | --host=r.test --port=6379
                    --url=redis://me:secret@r.test:6380/3    | r.test:6380    | --host=r.test --port=6380 --database=3
                    --cluster.nodes=a:1,b:2                  | a:1,b:2        | --cluster.nodes=a:1,b:2
                    --masterreplica.nodes=a:1,b:2            | a:1,b:2        | --masterreplica.nodes=a:1,b:2
                    --sentinel.master=m --sentinel.nodes=a:1 | a:1            | --sentinel.master=m --sentinel.nodes=a:1
                    """)
    void saysHowAnotherInstanceFindsTheSameRedis(String given, String nodes, String options) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues(given.replace("--", "spring.data.redis.").split(" "))
                .run(context -> assertThat(RedisAddress.of(context.getBean(DataRedisConnectionDetails.class)))
                        .isEqualTo(new RedisAddress(nodes, options.replace("--", "--spring.data.redis."))));
    }
}
