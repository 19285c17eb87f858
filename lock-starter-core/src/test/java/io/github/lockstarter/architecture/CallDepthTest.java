package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.lettuce.core.resource.ClientResources;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * The number of frames of this library between the proxy of an annotated bean and the client of Redis, in the call that
 * sends acquire.lua. A frame that only forwards is one too many to step through.
 */
@RedisTest
class CallDepthTest {

    private static final int MOST_FRAMES = 13;

    private static final String OURS = "io.github.lockstarter.";

    private static final String STORE = OURS + "store.";

    private final SentCommands sent = new SentCommands();

    private final ClientResources resources =
            ClientResources.builder().tracing(this.sent).build();

    private final Instances instances = new Instances();

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    CallDepthTest(RedisServer server) {
        Instance instance = this.instances.at(server, setup -> setup.calm().clientResources(this.resources));
        this.context.registerBean(
                DistributedLockBeanPostProcessor.class, () -> new DistributedLockBeanPostProcessor(instance::registry));
        this.context.registerBean(Orders.class);
        this.context.refresh();
    }

    @AfterEach
    void stop() throws InterruptedException {
        this.context.close();
        this.instances.close();
        this.resources.shutdown(0, 1, TimeUnit.SECONDS).await();
    }

    @Test
    void shouldReachTheScriptByFewFrames() {
        Orders orders = this.context.getBean(Orders.class);
        // from then on the server knows the script
        orders.ship(1, this.sent);
        this.sent.forget();

        List<StackTraceElement> trace = orders.ship(42, this.sent);

        List<String> frames = framesOf(trace);
        assertThat(frames)
                .as(
                        "%d frames from the proxy to the script, %d of them to the store:%n%s%n",
                        frames.size(),
                        frames.stream()
                                .takeWhile(frame -> !frame.startsWith(STORE))
                                .count(),
                        String.join("\n", frames))
                .anyMatch(frame -> frame.startsWith(OURS + "aop."))
                .anyMatch(frame -> frame.startsWith(STORE))
                .hasSizeLessThanOrEqualTo(MOST_FRAMES);
    }

    /** The frames of this library, the outermost first, without those of this test and of the proxy of its bean. */
    private static List<String> framesOf(List<StackTraceElement> trace) {
        List<String> frames = trace.stream()
                .filter(frame -> frame.getClassName().startsWith(OURS))
                .filter(frame -> !frame.getClassName().startsWith(OURS + "architecture."))
                .map(frame -> frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                .collect(Collectors.toList());
        Collections.reverse(frames);
        return frames;
    }

    static class Orders {

        /** Returns the trace of the first command of this thread: there is one, unless the lock is acquired elsewhere. */
        @DistributedLock(name = "order", key = "#id")
        public List<StackTraceElement> ship(long id, SentCommands sent) {
            return sent.byThisThread().get(0);
        }
    }
}
