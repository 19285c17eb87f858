package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** All contracts; a subclass for each store. */
abstract class Contracts implements BackendSource {

    @Nested
    class Lock extends LockContract {}

    @Nested
    class LockName extends LockNameContract {}

    @Nested
    class Acquire extends AcquireContract {}

    @Nested
    class Lease extends LeaseContract {}

    @Nested
    class Execute extends ExecuteContract {}

    @Nested
    class Listener extends ListenerContract {}

    @Nested
    class Lifecycle extends LifecycleContract {}

    @Nested
    class Readers extends ReadersContract {}

    @Nested
    class Permits extends PermitsContract {}

    @Nested
    class WaiterLimit extends WaiterLimitContract {}
}
