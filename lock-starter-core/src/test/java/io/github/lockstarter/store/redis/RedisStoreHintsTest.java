package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/** Tests that a native image keeps what the store reads by name. */
class RedisStoreHintsTest {

    private static final String FOLDER = "io/github/lockstarter/store/redis/script/";

    private final RuntimeHints hints = new RuntimeHints();

    RedisStoreHintsTest() {
        AotServices.factories().load(RuntimeHintsRegistrar.class).stream()
                .filter(RedisStoreHints.class::isInstance)
                .forEach(registrar ->
                        registrar.registerHints(this.hints, getClass().getClassLoader()));
    }

    @Test
    void shouldKeepEachScript() throws IOException {
        Resource[] scripts = new PathMatchingResourcePatternResolver().getResources("classpath*:" + FOLDER + "*.lua");

        assertThat(scripts)
                .hasSizeGreaterThan(3)
                .allSatisfy(script -> assertThat(this.hints)
                        .matches(RuntimeHintsPredicates.resource().forResource(FOLDER + script.getFilename())));
    }

    @Test
    void shouldKeepTheFieldWithTheServers() {
        assertThat(this.hints)
                .matches(RuntimeHintsPredicates.reflection()
                        .onFieldAccess(ReflectionUtils.findField(
                                LettuceConnectionFactory.class, DerivedFactory.CONFIGURATION)));
    }
}
