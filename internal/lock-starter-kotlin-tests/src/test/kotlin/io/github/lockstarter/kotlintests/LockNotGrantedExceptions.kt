package io.github.lockstarter.kotlintests

import io.github.lockstarter.LockNotGrantedException
import java.time.Duration

object LockNotGrantedExceptions {

    /** That of a lock which the function itself did not get. */
    fun other() = LockNotGrantedException("other", "other", Duration.ofSeconds(1), Duration.ofSeconds(1))
}
