package io.github.lockstarter.kotlintests.manual

import io.github.lockstarter.DistributedLock
import io.github.lockstarter.LeaseContext
import io.github.lockstarter.LockNotGrantedException
import io.github.lockstarter.LockRegistry
import io.github.lockstarter.LockRequest
import java.time.Duration
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.asContextElement
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext
import org.springframework.stereotype.Service

// The Kotlin code of the manual, word for word.

@Service
class Orders(private val repository: OrderRepository) {

    @DistributedLock(name = "order", key = "#orderId", waitTime = 2000)
    suspend fun settle(orderId: String): Receipt {
        delay(100)                                                // the lock is held while the function is suspended
        return repository.settle(orderId, LeaseContext.required().fencingToken())
    }

    @DistributedLock(name = "order", key = "#orderId")
    fun lines(orderId: String): Flow<Line> = repository.lines(orderId)   // held from the first value to the last

    @DistributedLock(name = "order", key = "#orderId", waitTime = 0, fallback = "busy")
    suspend fun status(orderId: String): String = repository.status(orderId)

    suspend fun busy(orderId: String, failure: LockNotGrantedException): String = "busy: ${failure.holder()}"
}

suspend fun close(registry: LockRegistry) {
    val request = LockRequest.of("till", "7").withWaitTime(Duration.ofSeconds(2))
    // A lease that is granted at the time of a cancellation would be lost with await() alone.
    val lease = withContext(NonCancellable) { registry.acquireAsync(request).await() }
    try {
        withContext(LeaseContext.threadLocal().asContextElement(lease)) { count() }
    } finally {
        withContext(NonCancellable) { lease.releaseAsync().await() }
    }
}

// What the code above takes for granted.

data class Receipt(val token: Long)

data class Line(val number: Int)

interface OrderRepository {

    suspend fun settle(orderId: String, token: Long): Receipt

    suspend fun status(orderId: String): String

    fun lines(orderId: String): Flow<Line>
}

var counted: String? = null

fun count() {
    counted = LeaseContext.required().name()
}
