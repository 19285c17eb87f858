package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LockStoreException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Tests that the methods of the store call the template without layers in between. */
class CallDepthTest {

    private final List<StackTraceElement> frames = new ArrayList<>();

    private final RedisLockStore store =
            new RedisLockStore(recordingFactory(), new RedisStoreSettings("lock", Duration.ofSeconds(1), false));

    /** Records its callers where the template opens a connection, and opens none. */
    private RedisConnectionFactory recordingFactory() {
        return (RedisConnectionFactory) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RedisConnectionFactory.class}, (proxy, method, args) -> {
                    StackTraceElement[] stack = Thread.currentThread().getStackTrace();
                    for (StackTraceElement frame : stack) {
                        if (frame.getClassName().startsWith("io.github.lockstarter.")
                                && !frame.getClassName().startsWith(CallDepthTest.class.getName())) {
                            this.frames.add(frame);
                        }
                    }
                    throw new IllegalStateException("no connection");
                });
    }

    @Test
    void shouldAcquireWithTwoFramesAboveTheTemplate() {
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> this.store.acquire("a", "id", 1000, false));

        assertThat(this.frames).extracting(StackTraceElement::getMethodName).containsExactly("execute", "acquire");
    }

    @Test
    void shouldReleaseWithTwoFramesAboveTheTemplate() {
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.store.release("a", "id", 0, null));

        assertThat(this.frames).extracting(StackTraceElement::getMethodName).containsExactly("execute", "release");
    }
}
