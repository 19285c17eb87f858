package io.github.lockstarter.benchmarks.client;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/**
 * Reports writes to Redis and reads from it to an observer. The first handler of each connection, of every contender
 * alike.
 */
@Sharable
public final class Wire extends ChannelDuplexHandler {

    /** The only one: connections are opened before a measurement begins. */
    static final Wire INSTANCE = new Wire();

    private static volatile @Nullable Observer observer;

    private Wire() {}

    /** Called on the threads of connections. */
    public interface Observer {

        void written();

        void read();
    }

    /** Sets the observer; null removes it. */
    public static void observe(@Nullable Observer next) {
        observer = next;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        Observer present = observer;
        if (present != null) {
            present.written();
        }
        ChannelFuture unused = context.write(message, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Observer present = observer;
        if (present != null) {
            present.read();
        }
        context.fireChannelRead(message);
    }
}
