package io.github.lockstarter.sample.live;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Set;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if this service listens on the loopback interface only: visitors from elsewhere may not stop it or take its locks. */
class LoopbackOnly implements Condition {

    /** Names under which a browser on this machine asks for a page; other names come from other sites. */
    static final Set<String> HOSTS = Set.of("127.0.0.1", "localhost", "[::1]");

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        String address = context.getEnvironment().getProperty("server.address");
        if (address == null) {
            return false;
        }
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
