package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.testsupport.ServiceProfile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Short contracts behind the proxy, with the profiles that cost each build little; {@link AllServicesContractTest} has
 * the rest.
 */
@RedisTest
@ParameterizedClass
@MethodSource("profiles")
class ServiceContractTest implements BackendSource {

    private final ServiceProfile profile;

    private final RedisServer server;

    ServiceContractTest(ServiceProfile profile, RedisServer server) {
        this.profile = profile;
        this.server = server;
    }

    static Stream<ServiceProfile> profiles() {
        return Stream.of(ServiceProfile.tair(), ServiceProfile.nothing(), ServiceProfile.noCounts());
    }

    @Override
    public LockBackend newBackend() {
        return new RedisBackend(this.server, this.profile);
    }

    @Nested
    class LockName extends LockNameContract {}

    @Nested
    class Permits extends PermitsContract {}
}
