package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import java.util.ArrayList;
import java.util.List;

/** Reads the inboxes of some instances, and tells what came into which, in the order of arrival. */
final class InboxReader {

    private static final String END = "the end";

    private final RedisCli listener;

    private final RedisCli redis;

    private final String someChannel;

    InboxReader(RedisCli listener, RedisCli redis, String... instances) {
        this.listener = listener;
        this.redis = redis;
        this.someChannel = LockScripts.INBOXES + instances[0];
        for (String instance : instances) {
            listener.command("SUBSCRIBE", LockScripts.INBOXES + instance);
        }
    }

    /** What came since the last call, as "instance &lt;- text". */
    List<String> messages() {
        // whatever was published before this comes first
        this.redis.command("PUBLISH", this.someChannel, END);
        List<String> messages = new ArrayList<>();
        while (true) {
            List<?> message = (List<?>) this.listener.read();
            assertThat(message).hasSize(3).first().isEqualTo("message");
            if (message.get(2).equals(END)) {
                return messages;
            }
            String channel = (String) message.get(1);
            messages.add(channel.substring(LockScripts.INBOXES.length()) + " <- " + message.get(2));
        }
    }

    /** As {@link #messages}, but only the inboxes that got one. */
    List<String> notified() {
        return messages().stream()
                .map(message -> message.substring(0, message.indexOf(" <- ")))
                .toList();
    }
}
