package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What the confirmation by replicas needs of a server is reported at the start, before a lock fails. */
@RedisTest
class WaitPermissionTest {

    @AutoClose
    private final Instances instances = new Instances();

    @AutoClose
    private final LogCapture log = new LogCapture();

    private final RestrictedUser user;

    private final FaultProxy proxy;

    WaitPermissionTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.user = new RestrictedUser(redis);
    }

    @AfterEach
    void deleteUser() {
        this.user.delete();
    }

    private Instance start(int confirmReplicas) {
        return this.instances.at(
                this.proxy, setup -> setup.user(RestrictedUser.NAME).confirmReplicas(confirmReplicas));
    }

    @Test
    void shouldNameTheRuleThatIsMissing() {
        this.user.grant(this.user.rule());

        Instance instance = start(1);

        assertThat(this.log.with("lacks permissions"))
                .singleElement()
                .asString()
                .contains("'ACL SETUSER " + RestrictedUser.NAME + " +wait'")
                .contains("locks fail");
        LockStoreException failure = catchThrowableOfType(
                LockStoreException.class, () -> instance.lock("refused").tryLock(Duration.ofMinutes(1)));
        assertThat(failure.isTransient()).as("not waited for").isFalse();
        assertThat(failure).hasMessageContaining("'refused'");
    }

    @Test
    void shouldReportOnceThatThereAreTooFewReplicas() {
        this.user.grant(this.user.rule() + " +wait");

        Instance instance = start(2);
        soon().until(() -> !this.log.with("too few replicas").isEmpty());
        assertThat(catchThrowableOfType(
                        LockStoreException.class, () -> instance.lock("refused").tryLock(Duration.ofSeconds(1))))
                .hasMessageContaining("0 of 2");

        assertThat(this.log.with("replicas"))
                .singleElement()
                .asString()
                .contains("0 of 2")
                .contains("distributed-lock.redis.confirm-replicas");
    }
}
