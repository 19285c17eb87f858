package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaseTest {

    /** A default that throws, or does less than is asked for, would be noticed in production only. */
    @Test
    void shouldLeaveNothingOutThatAnImplementationHasToDecide() {
        List<String> defaults = Arrays.stream(Lease.class.getMethods())
                .filter(Method::isDefault)
                .map(method -> method.getName() + method.getParameterCount())
                .toList();

        assertThat(defaults)
                .as("call releaseAsync(Duration.ZERO) and release()")
                .containsExactlyInAnyOrder("releaseAsync0", "close0");
    }
}
