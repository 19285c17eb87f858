package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.LockLog;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.group.ChannelGroup;
import io.netty.util.ReferenceCountUtil;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Closes a connection of Lettuce after an exception within its pipeline, and reads nothing more from it. Lettuce
 * assigns replies to commands by their order alone. After an {@link OutOfMemoryError}, for example, it may remove a
 * command from its list although the reply will follow, or leave a command in the list that was never written. Each
 * later reply would then reach another command, and a lock could be granted to two owners. A new connection begins with
 * an empty list.
 */
final class PipelineGuard extends ChannelInboundHandlerAdapter {

    /** Name of the field of {@link AbstractRedisClient} with its open channels, which has no getter. */
    static final String CHANNELS = "channels";

    private static final LockLog logger = LockLog.of(PipelineGuard.class);

    /** Lettuce's handler with the list of commands, which follows this one. */
    private final ChannelHandlerContext commands;

    /** Only the event loop uses this field. It is set first, because closing may fail for the same reason. */
    private boolean broken;

    private PipelineGuard(ChannelHandlerContext commands) {
        this.commands = commands;
    }

    /** Returns a customizer that guards each new channel, after the given one has changed it. */
    static NettyCustomizer after(NettyCustomizer given) {
        return new NettyCustomizer() {
            @Override
            public void afterBootstrapInitialized(Bootstrap bootstrap) {
                given.afterBootstrapInitialized(bootstrap);
            }

            @Override
            public void afterChannelInitialized(Channel channel) {
                given.afterChannelInitialized(channel);
                guard(channel);
            }
        };
    }

    /** Guards the channels of the factory's client, which is in use, and each one that it opens. */
    static void watch(RedisConnectionFactory factory) {
        AbstractRedisClient client = ((LettuceConnectionFactory) factory).getRequiredNativeClient();
        try {
            if (new DirectFieldAccessor(client).getPropertyValue(CHANNELS) instanceof ChannelGroup channels) {
                client.addListener(new Opened(channels));
                channels.forEach(PipelineGuard::guard);
            }
        } catch (BeansException ex) {
            logger.info("Cannot guard the application's connections to Redis against errors within Lettuce: " + ex);
        }
    }

    private static void guard(Channel channel) {
        ChannelHandlerContext commands = channel.pipeline().context(CommandHandler.class);
        if (commands != null && channel.pipeline().get(PipelineGuard.class) == null) {
            PipelineGuard guard = new PipelineGuard(commands);
            channel.pipeline()
                    .addBefore(commands.name(), null, guard)
                    .addAfter(commands.name(), null, guard.new Writes());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
        if (this.broken) {
            ReferenceCountUtil.release(bytes);
            closeBroken(context);
            return;
        }
        try {
            // Netty would report an exception of Lettuce's handler to that handler only.
            ((CommandHandler) this.commands.handler()).channelRead(this.commands, bytes);
        } catch (Throwable ex) {
            // The stack may have no room for the call of a method.
            this.broken = true;
            throw ex;
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        try {
            closeBroken(context);
        } finally {
            context.fireExceptionCaught(cause);
        }
    }

    private void closeBroken(ChannelHandlerContext context) {
        this.broken = true;
        ChannelFuture unused = context.close();
    }

    /**
     * Checks what Lettuce's handler has written. An {@link Exception} is no reason to close the connection: it rejects
     * a command before it is in the list, or removes it.
     */
    private final class Writes extends ChannelOutboundHandlerAdapter {

        @Override
        public void write(ChannelHandlerContext context, Object command, ChannelPromise promise) {
            try {
                ChannelFuture unused = context.write(command, promise);
            } catch (Throwable ex) {
                PipelineGuard.this.broken = true;
                throw ex;
            }
            Throwable failure = promise.cause();
            if (failure instanceof Error || (failure != null && failure.getCause() instanceof Error)) {
                closeBroken(context);
            }
        }
    }

    /** Guards the channels of a client whenever it has opened one. A client keeps one of several equal listeners. */
    private record Opened(ChannelGroup channels) implements RedisConnectionStateListener {

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> connection, @Nullable SocketAddress socketAddress) {
            this.channels.forEach(PipelineGuard::guard);
        }
    }
}
