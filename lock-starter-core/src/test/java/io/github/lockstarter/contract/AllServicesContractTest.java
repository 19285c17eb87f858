package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.testsupport.ServiceProfile;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** All contracts behind the proxy, with each profile on which locks work. */
@Tag("full")
@RedisTest
@ParameterizedClass
@MethodSource("profiles")
class AllServicesContractTest extends Contracts {

    /** Shorter than the waits of several contracts. */
    private static final Duration IDLE = Duration.ofMillis(500);

    private final ServiceProfile profile;

    private final RedisServer server;

    AllServicesContractTest(ServiceProfile profile, RedisServer server) {
        this.profile = profile;
        this.server = server;
    }

    static Stream<ServiceProfile> profiles() {
        return Stream.of(
                ServiceProfile.plain(),
                ServiceProfile.nothing(),
                ServiceProfile.noCounts(),
                ServiceProfile.crossslot(),
                ServiceProfile.huawei(),
                ServiceProfile.tair(),
                ServiceProfile.tairWithoutCheck(),
                ServiceProfile.elasticache(),
                ServiceProfile.serverless(),
                ServiceProfile.serverlessOfRedis(),
                ServiceProfile.noTime(),
                ServiceProfile.silent(IDLE),
                ServiceProfile.idleDrop(IDLE));
    }

    @Override
    public LockBackend newBackend() {
        return new RedisBackend(this.server, this.profile);
    }
}
