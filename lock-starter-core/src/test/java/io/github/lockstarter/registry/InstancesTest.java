package io.github.lockstarter.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.engine.RunThreads;
import io.github.lockstarter.fixture.ForwardingStore;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.Reply;
import java.time.Duration;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the description of this instance is published, and when those of others are read. */
@Timeout(30)
class InstancesTest {

    private static final String OWN = "ownInstance";

    private volatile boolean isDown;

    private final Map<String, LockHolder> described = new HashMap<>();

    private final List<String> read = new ArrayList<>();

    private final LinkedBlockingQueue<Command.PublishInstance> published = new LinkedBlockingQueue<>();

    /** The pauses in nanoseconds after which this instance is published again, and what publishes it. */
    private final LinkedBlockingQueue<Map.Entry<Long, Runnable>> later = new LinkedBlockingQueue<>();

    private long nanos = 42;

    @AutoClose("stop")
    private final RunThreads threads = new RunThreads((task, delay) -> this.later.add(Map.entry(delay, task)));

    private final Instances instances = instances(Duration.ofSeconds(30));

    private Instances instances(Duration watchdogTimeout) {
        ForwardingStore store = new ForwardingStore(new InMemoryLockStore()) {

            @Override
            public CompletionStage<Reply> send(Command command) {
                if (command instanceof Command.PublishInstance publish) {
                    InstancesTest.this.published.add(publish);
                    return InstancesTest.this.isDown
                            ? CompletableFuture.failedFuture(new LockStoreException("no answer", null, true, true))
                            : CompletableFuture.completedFuture(Reply.Done.INSTANCE);
                }
                String instance = ((Command.FindInstance) command).instance();
                InstancesTest.this.read.add(instance);
                return CompletableFuture.completedFuture(
                        new Reply.Instance(InstancesTest.this.described.get(instance)));
            }
        };
        return new Instances(
                OWN, LockSettings.of(watchdogTimeout), store, this.threads, () -> new Moment(this.nanos, 0));
    }

    private static String instance(int number) {
        return "inst%07d".formatted(number);
    }

    private static String acquisition(String instance) {
        return instance + "-0123456789";
    }

    private void read(String instance) {
        assertThat(this.instances.read(acquisition(instance)))
                .as("reading the description of %s", instance)
                .isCompleted();
    }

    private Duration pauseAfterPublishing(Runnable publishing) throws InterruptedException {
        publishing.run();
        Map.Entry<Long, Runnable> next = this.later.poll(20, TimeUnit.SECONDS);
        assertThat(next).as("next publication of this instance").isNotNull();
        this.next = next.getValue();
        return Duration.ofNanos(next.getKey());
    }

    private Runnable next = () -> {};

    @Test
    void shouldReadADescriptionOnceAndAskAgainAfterFiveSecondsIfThereWasNone() {
        String known = instance(1);
        String unknown = instance(2);
        LockHolder holder = new LockHolder(known, "billing", "host-7", 4711L, null);
        this.described.put(known, holder);
        for (int i = 0; i < 3; i++) {
            read(known);
            read(unknown);
        }
        this.nanos += Duration.ofSeconds(4).toNanos();
        read(unknown);
        assertThat(this.read).as("questions within five seconds").containsExactly(known, unknown);

        this.nanos += Duration.ofMillis(1001).toNanos();
        read(known);
        read(unknown);

        assertThat(this.read).as("questions after five seconds").containsExactly(known, unknown, unknown);
        assertThat(this.instances.of(acquisition(known)))
                .as("an instance that is described")
                .isEqualTo(holder);
        assertThat(this.instances.of(acquisition(unknown)))
                .as("an instance without a description, by its id")
                .isEqualTo(new LockHolder(unknown));
    }

    @Test
    void shouldNotAskForItselfAndForIdsOfNoInstance() {
        read(OWN);
        assertThat(this.instances.read("by-hand")).as("reading a foreign id").isCompleted();

        assertThat(this.read).as("questions").isEmpty();
        assertThat(this.instances.of("by-hand")).as("an id of no instance").isEqualTo(new LockHolder("by-hand"));
    }

    @Test
    void shouldForgetTheInstanceThatWasNotUsedForTheLongestTimeOfMoreThanAThousand() {
        for (int i = 0; i < 1000; i++) {
            this.described.put(instance(i), new LockHolder(instance(i), "app " + i, null, null, null));
            read(instance(i));
        }
        read(instance(0));
        read(instance(1000));
        this.read.clear();

        read(instance(0));
        assertThat(this.read).as("questions for an instance that was in use").isEmpty();
        read(instance(1));
        assertThat(this.read)
                .as("questions for the instance that was not used for the longest time")
                .containsExactly(instance(1));
    }

    @Test
    void shouldPublishEveryThirtySecondsAndSoonerAfterAFailure() throws InterruptedException {
        this.isDown = true;

        assertThat(pauseAfterPublishing(this.instances::start))
                .as("pause after the first failure")
                .isEqualTo(Duration.ofSeconds(5));
        assertThat(pauseAfterPublishing(this.next)).as("pause in an outage").isEqualTo(Duration.ofSeconds(5));
        this.isDown = false;
        assertThat(pauseAfterPublishing(this.next)).as("pause after a success").isEqualTo(Duration.ofSeconds(30));
    }

    /** The holder of a lock is shown after its crash for as long as the lock may be taken. */
    @Test
    void shouldOutliveTheLeasesOfTheInstance() throws InterruptedException {
        pauseAfterPublishing(this.instances::start);
        pauseAfterPublishing(instances(Duration.ofMinutes(10))::start);

        assertThat(this.published)
                .as("time to live in milliseconds with a watchdog timeout of 30 seconds and of ten minutes")
                .extracting(Command.PublishInstance::ttlMillis)
                .containsExactly(300_000L, 1_200_000L);
    }

    @Test
    void shouldDescribeItselfAsOthersReadItsDescription() throws InterruptedException {
        pauseAfterPublishing(this.instances::start);

        LockHolder own = this.instances.own();
        assertThat(this.published.take().instance()).as("what is published").isEqualTo(own);
        assertThat(own.startedAt().get(ChronoField.NANO_OF_SECOND) % 1_000_000)
                .as("nanoseconds of the start beyond the milliseconds that are stored")
                .isZero();
        assertThat(this.instances.of(acquisition(OWN))).as("this instance").isEqualTo(own);
    }
}
