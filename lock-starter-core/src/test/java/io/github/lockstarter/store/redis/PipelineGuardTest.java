package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.store.redis.ConnectedStore.acquire;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.redis.ConnectedStore.Way;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisTest;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.protocol.DecodeBufferPolicy;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** After an Error within the client, no reply is taken for the reply to another command. */
@RedisTest
@Timeout(120)
class PipelineGuardTest {

    /** Where the Error is thrown. */
    private enum Place {
        /** Before Lettuce has the bytes of a reply, as if there were no memory for a buffer. */
        READING,
        /** In Lettuce's decoder, when the first of several replies is complete. */
        DECODING,
        /** As above, and again when the connection is closed. */
        CLOSING,
        /** Between the steps in which Lettuce notes and writes a command. */
        WRITING
    }

    /** Over which connection the commands go. */
    private enum Route {
        PRIVATE,
        SHARED,
        /** As above, and the application has used the connection before. */
        SHARED_AND_OPEN
    }

    private final FaultyClient client = new FaultyClient();

    private final FaultProxy proxy;

    private final StringRedisTemplate redis;

    private final Map<String, CompletableFuture<Reply>> replies = new LinkedHashMap<>();

    PipelineGuardTest(FaultProxy proxy) {
        this.proxy = proxy;
        LettuceConnectionFactory other = new LettuceConnectionFactory(proxy.host(), proxy.port());
        other.afterPropertiesSet();
        this.redis = new StringRedisTemplate(other);
    }

    @AfterEach
    void close() throws Exception {
        ((LettuceConnectionFactory) this.redis.getRequiredConnectionFactory()).destroy();
        this.client.resources.shutdown(0, 5, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
    }

    static Stream<Arguments> faults() {
        return Stream.of(Route.values())
                .flatMap(route -> Stream.of(
                        arguments(route, Place.READING, new OutOfMemoryError("of the test")),
                        arguments(route, Place.DECODING, new OutOfMemoryError("of the test")),
                        arguments(route, Place.DECODING, new StackOverflowError("of the test")),
                        arguments(route, Place.DECODING, new NoClassDefFoundError("of the test")),
                        arguments(route, Place.CLOSING, new OutOfMemoryError("of the test")),
                        arguments(route, Place.WRITING, new OutOfMemoryError("of the test"))));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldTakeNoReplyForThatToAnotherCommand(Route route, Place place, Error error) {
        LettuceConnectionFactory factory = this.client.factory(this.proxy);
        if (route == Route.SHARED_AND_OPEN) {
            factory.start();
            assertThat(factory.getConnection().ping()).isEqualTo("PONG");
        }
        RedisStoreSettings settings =
                new RedisStoreSettings("lock", Duration.ofSeconds(10), route == Route.PRIVATE, Duration.ofSeconds(10));
        try (ConnectedStore store = new ConnectedStore("one", factory, settings).connected()) {
            store.granted("taken", "other");
            if (place == Place.WRITING) {
                this.client.arm(place, error);
                send(store, "first");
                soon().until(this.replies.get("first")::isDone);
                send(store, "taken");
            } else {
                this.proxy.stallReplies();
                for (String lock : new String[] {"first", "second", "taken"}) {
                    this.proxy.forgetCommands();
                    send(store, lock);
                    soon().until(() -> this.proxy.commandsSeen(Commands.with("lock:{" + lock + "}")) > 0);
                }
                this.client.arm(place, error);
                this.proxy.heal();
            }
            AtomicInteger more = new AtomicInteger();
            soon().until(() -> {
                send(store, "more" + more.incrementAndGet());
                return this.replies.get("taken").isDone();
            });

            assertThat(this.client.disarm(place))
                    .as("an Error that was not thrown")
                    .isNull();
            this.replies.forEach((lock, reply) -> assertThatItIsTrue(lock, reply));
            soon().ignoreExceptionsInstanceOf(LockStoreException.class)
                    .until(() -> store.execute(Way.SEND, acquire("last", "me")) instanceof Reply.Granted);
        }
    }

    private void send(ConnectedStore store, String lock) {
        Command.Acquire command = acquire(lock, "me-" + lock);
        this.replies.put(lock, store.store().send(command).toCompletableFuture());
    }

    private void assertThatItIsTrue(String lock, CompletableFuture<Reply> reply) {
        try {
            List<Object> stored = this.redis.opsForHash().multiGet("lock:{" + lock + '}', List.of("o", "f"));
            Reply received = ConnectedStore.get(reply);
            if (lock.equals("taken")) {
                assertThat(received)
                        .as(lock)
                        .isInstanceOfSatisfying(
                                Reply.Taken.class,
                                taken -> assertThat(taken.owner()).isEqualTo("other"));
            } else {
                assertThat(received)
                        .as(lock)
                        .isInstanceOfSatisfying(
                                Reply.Granted.class,
                                granted -> assertThat(stored)
                                        .containsExactly("me-" + lock, Long.toString(granted.token())));
            }
        } catch (LockStoreException ex) {
            assertThat(ex.isTransient()).as(lock).isTrue();
        }
    }

    /** An application's client that throws an Error once, of whose parts private connections have copies. */
    private static final class FaultyClient implements NettyCustomizer, DecodeBufferPolicy {

        private final Map<Place, AtomicReference<@Nullable Error>> armed = Map.of(
                Place.READING, new AtomicReference<>(),
                Place.DECODING, new AtomicReference<>(),
                Place.CLOSING, new AtomicReference<>(),
                Place.WRITING, new AtomicReference<>());

        private final ClientResources resources = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .nettyCustomizer(this)
                .build();

        LettuceConnectionFactory factory(FaultProxy proxy) {
            return new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration(proxy.host(), proxy.port()),
                    LettuceClientConfiguration.builder()
                            .clientResources(this.resources)
                            .clientOptions(ClientOptions.builder()
                                    .decodeBufferPolicy(this)
                                    .build())
                            .shutdownTimeout(Duration.ZERO)
                            .build());
        }

        void arm(Place place, Error error) {
            this.armed.get(place).set(error);
            if (place == Place.CLOSING) {
                arm(Place.DECODING, error);
            }
        }

        @Nullable
        Error disarm(Place place) {
            return this.armed.get(place).getAndSet(null);
        }

        private void throwIfArmed(Place place) {
            Error error = disarm(place);
            if (error != null) {
                throw error;
            }
        }

        @Override
        public void afterCommandDecoded(ByteBuf buffer) {
            throwIfArmed(Place.DECODING);
        }

        @Override
        public void afterChannelInitialized(Channel channel) {
            channel.pipeline().addFirst(new FaultyTransport());
            channel.pipeline().addLast(new FaultyWrites());
        }

        private final class FaultyTransport extends ChannelDuplexHandler {

            @Override
            public void channelRead(ChannelHandlerContext context, Object bytes) {
                Error error = disarm(Place.READING);
                if (error != null) {
                    context.fireExceptionCaught(error);
                }
                context.fireChannelRead(bytes);
            }

            @Override
            public void close(ChannelHandlerContext context, ChannelPromise promise) {
                throwIfArmed(Place.CLOSING);
                ChannelFuture unused = context.close(promise);
            }
        }

        private final class FaultyWrites extends ChannelOutboundHandlerAdapter {

            @Override
            public void write(ChannelHandlerContext context, Object command, ChannelPromise promise) {
                Error error = disarm(Place.WRITING);
                ChannelFuture unused =
                        context.write(command, error != null ? new WithoutListener(context, promise, error) : promise);
            }
        }

        /** Accepts no listener, as if there were no memory for it. */
        private static final class WithoutListener extends DefaultChannelPromise {

            private final ChannelPromise promise;

            private final Error error;

            WithoutListener(ChannelHandlerContext context, ChannelPromise promise, Error error) {
                super(context.channel(), context.executor());
                this.promise = promise;
                this.error = error;
            }

            @Override
            public ChannelPromise addListener(GenericFutureListener<? extends Future<? super Void>> listener) {
                throw this.error;
            }

            @Override
            public boolean tryFailure(Throwable cause) {
                return super.tryFailure(cause) && this.promise.tryFailure(cause);
            }
        }
    }
}
