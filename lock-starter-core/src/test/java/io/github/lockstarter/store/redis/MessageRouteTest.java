package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.testsupport.LogCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The mode of messages follows the probes of this instance: worse after two of them, better after one. */
class MessageRouteTest {

    private static final String WORDS = "ERR publish is not allowed";

    private final MessageRoute route = new MessageRoute(MessageMode.AUTO, "redis at home");

    @Test
    void shouldPublishByScriptUntilAProbeShowsAnotherMode() {
        assertThat(this.route.isByScript).isTrue();
        assertThat(this.route.status().mode()).isEqualTo("script");
        assertThat(this.route.status().reason()).isEmpty();
        assertThat(this.route.isKnown).as("known before a probe").isFalse();
    }

    @Test
    void shouldBecomeWorseAfterTwoProbesInARow() {
        assertThat(this.route.probed(MessageMode.CLIENT, WORDS))
                .as("probes again soon")
                .isTrue();
        assertThat(this.route.mode).isEqualTo(MessageMode.SCRIPT);

        assertThat(this.route.probed(MessageMode.SCRIPT, "")).isFalse();
        boolean unused = this.route.probed(MessageMode.CLIENT, WORDS);
        assertThat(this.route.mode).as("one failure after a success").isEqualTo(MessageMode.SCRIPT);

        assertThat(this.route.probed(MessageMode.CLIENT, WORDS)).isFalse();
        assertThat(this.route.mode).isEqualTo(MessageMode.CLIENT);
        assertThat(this.route.isByScript).isFalse();
        assertThat(this.route.status().reason()).isEqualTo(WORDS);
    }

    @Test
    void shouldBecomeBetterAfterOneProbe() {
        this.route.refused(WORDS);
        boolean unused = this.route.probed(MessageMode.POLLING, WORDS);
        unused = this.route.probed(MessageMode.POLLING, WORDS);
        assertThat(this.route.mode).isEqualTo(MessageMode.POLLING);

        unused = this.route.probed(MessageMode.CLIENT, WORDS);
        assertThat(this.route.mode).isEqualTo(MessageMode.CLIENT);

        unused = this.route.probed(MessageMode.SCRIPT, "");
        assertThat(this.route.isByScript).isTrue();
        assertThat(this.route.status().reason()).isEmpty();
    }

    @Test
    void shouldLogOneLineForEachChangeWithTheWordsOfTheServer() {
        try (LogCapture log = new LogCapture(MessageRoute.class, Level.INFO)) {
            this.route.refused(WORDS);
            this.route.refused(WORDS);
            assertThat(log.all()).singleElement().asString().contains(WORDS, "redis at home", "one round trip more");

            boolean unused = this.route.probed(MessageMode.POLLING, "nothing came");
            unused = this.route.probed(MessageMode.POLLING, "nothing came");
            unused = this.route.probed(MessageMode.POLLING, "nothing came");
            assertThat(log.all()).hasSize(2).last().asString().contains("nothing came", "poll");
        }
    }

    @Test
    void shouldKeepAModeOfTheConfigurationAndReportThatItDoesNotWork() {
        MessageRoute fixed = new MessageRoute(MessageMode.SCRIPT, "redis at home");
        try (LogCapture log = new LogCapture(MessageRoute.class, Level.INFO)) {
            fixed.started();
            assertThat(log.all()).isEmpty();
            for (int i = 0; i < 4; i++) {
                boolean unused = fixed.probed(MessageMode.CLIENT, WORDS);
            }
            assertThat(fixed.isByScript).isTrue();
            assertThat(fixed.status().mode()).as("mode that is shown").isEqualTo("polling");
            assertThat(log.all()).singleElement().asString().contains("distributed-lock.redis.messages=script", WORDS);
        }
    }

    /** Otherwise the server would refuse each text. */
    @Test
    void shouldNotPublishByScriptWhereThatIsRefused() {
        MessageRoute fixed = new MessageRoute(MessageMode.SCRIPT, "redis at home");
        fixed.started();

        fixed.refused(WORDS);

        assertThat(fixed.isByScript).as("scripts publish").isFalse();
        assertThat(fixed.status().mode()).as("mode that is shown").isEqualTo("polling");
        boolean unused = fixed.probed(MessageMode.SCRIPT, "");
        assertThat(fixed.isByScript).as("scripts publish after a probe").isTrue();
        assertThat(fixed.status().mode()).as("mode that is shown").isEqualTo("script");
    }

    @Test
    void shouldLogThatWaitersPollByConfiguration() {
        MessageRoute fixed = new MessageRoute(MessageMode.POLLING, "redis at home");
        try (LogCapture log = new LogCapture(MessageRoute.class, Level.INFO)) {
            fixed.started();
            assertThat(log.all()).singleElement().asString().contains("distributed-lock.redis.messages=polling");
            assertThat(log.events().get(0).getLevel()).isEqualTo(Level.INFO);
        }
        assertThat(fixed.status().reason()).isEqualTo("distributed-lock.redis.messages=polling");
        assertThat(fixed.status().isConfigured()).as("chosen").isTrue();
    }

    @Test
    void shouldBoundWhatIsUnderWayAndCountWhatWasDropped() {
        this.route.refused(WORDS);
        List<CompletableFuture<Long>> open = new ArrayList<>();
        for (int i = 0; i < MessageRoute.MAX_IN_FLIGHT + 5; i++) {
            this.route.publish(() -> {
                CompletableFuture<Long> sent = new CompletableFuture<>();
                open.add(sent);
                return sent;
            });
        }
        assertThat(open).hasSize(MessageRoute.MAX_IN_FLIGHT);
        assertThat(this.route.status().dropped()).isEqualTo(5);

        open.get(0).complete(1L);
        open.get(1).completeExceptionally(new IllegalStateException("gone"));
        this.route.publish(() -> {
            throw new IllegalStateException("no connection");
        });
        assertThat(this.route.status().dropped()).isEqualTo(7);

        int before = open.size();
        for (int i = 0; i < 3; i++) {
            this.route.publish(() -> {
                open.add(new CompletableFuture<>());
                return open.get(open.size() - 1);
            });
        }
        assertThat(open).as("two places are free").hasSize(before + 2);
    }

    /** The script has returned its messages before a probe has shown that scripts may publish. */
    @Test
    void shouldPublishAMessageAlsoIfScriptsPublishAgain() {
        List<String> published = new ArrayList<>();
        this.route.refused(WORDS);
        boolean unused = this.route.probed(MessageMode.SCRIPT, "");

        this.route.publish(() -> {
            published.add("message");
            return CompletableFuture.completedFuture(1L);
        });

        assertThat(published).hasSize(1);
        assertThat(this.route.status().dropped()).isZero();
    }

    /** The configuration permits scripts only to publish, and the server does not. */
    @Test
    void shouldCountAMessageThatTheClientMayNotPublish() {
        MessageRoute fixed = new MessageRoute(MessageMode.SCRIPT, "redis at home");
        fixed.refused(WORDS);

        fixed.publish(() -> {
            throw new AssertionError("published");
        });

        assertThat(fixed.status().dropped()).isEqualTo(1);
        assertThat(fixed.status().isConfigured()).as("chosen").isFalse();
    }

    @Test
    void shouldPublishNothingIfWaitersPoll() {
        MessageRoute polling = new MessageRoute(MessageMode.POLLING, "redis at home");
        polling.publish(() -> {
            throw new AssertionError("mode polling");
        });
        assertThat(polling.status().dropped()).isZero();
    }
}
