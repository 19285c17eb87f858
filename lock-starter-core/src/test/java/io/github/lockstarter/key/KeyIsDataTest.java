package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.aop.LockedContext;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The result of a key expression is data, which can select a lock and has no other effect. */
class KeyIsDataTest {

    private static LockedContext context;

    @BeforeAll
    static void start() {
        context = LockedContext.prepare(processor -> {}, Accounts.class);
        context.refresh();
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "T(java.lang.System).exit(1)",
                "#{T(java.lang.System).exit(1)}",
                "#id",
                "@accounts.id",
                "${java.home}",
                "new java.util.Date()",
                "'; redis.call('FLUSHALL')",
                "%s{0}",
                "${jndi:ldap://localhost/a}"
            })
    void shouldNotBeEvaluatedAgain(String id) {
        context.calls.requests.clear();

        context.getBean(Accounts.class).book(id);

        assertThat(context.calls.requests).singleElement().satisfies(request -> {
            assertThat(request.key()).isEqualTo(id);
            assertThat(request.lockName()).isEqualTo("accounts:" + id);
        });
    }

    static class Accounts {

        @DistributedLock(name = "accounts", key = "#id")
        String book(String id) {
            return List.of(id).toString();
        }
    }
}
