package io.github.lockstarter.kotlintests

import io.github.lockstarter.DistributedLock
import io.github.lockstarter.DistributedSemaphore
import io.github.lockstarter.Lease
import io.github.lockstarter.LeaseContext
import io.github.lockstarter.LockNotGrantedException
import io.github.lockstarter.OnNotGranted
import java.io.IOException
import java.util.Collections
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.withContext
import org.springframework.stereotype.Service

@JvmInline
value class OrderId(val text: String)

data class Order(val id: String, val total: Int = 0)

/** Opened by the kotlin-spring plugin, as in an application. */
@Service
class Orders {

    private val running = AtomicInteger()

    val most = AtomicInteger()

    val skipped: MutableList<String> = Collections.synchronizedList(mutableListOf())

    /** Runs as long as the block, or longer. */
    @DistributedLock(name = "order", key = "#id", waitTime = 5000)
    suspend fun <T> settle(id: String, block: suspend () -> T): T {
        val now = running.incrementAndGet()
        most.accumulateAndGet(now, ::maxOf)
        try {
            delay(20)
            return block()
        } finally {
            running.decrementAndGet()
        }
    }

    @DistributedLock(name = "order", key = "#order.id + '-' + #a1", waitTime = 0)
    suspend fun named(order: Order, line: Int): Lease = LeaseContext.required()

    @DistributedLock(name = "order", key = "#order.total", waitTime = 0)
    suspend fun withDefaults(order: Order = Order("default", 7), times: Int = 2): Int = order.total * times

    @DistributedLock(name = "order", key = "#id", waitTime = 0)
    suspend fun withValueClass(id: OrderId): String = id.text + ":" + LeaseContext.required().name()

    @DistributedLock(waitTime = 0)
    suspend fun derived(id: OrderId): String = LeaseContext.required().name()

    @DistributedLock(key = "{#from, #to}", name = "account", waitTime = 0)
    suspend fun transfer(from: String, to: String, block: suspend () -> Unit) = block()

    @DistributedSemaphore(name = "export", permits = 2, waitTime = 5000)
    suspend fun export(block: suspend () -> Unit) {
        val now = running.incrementAndGet()
        most.accumulateAndGet(now, ::maxOf)
        try {
            block()
        } finally {
            running.decrementAndGet()
        }
    }

    @DistributedLock(name = "unit", waitTime = 0)
    suspend fun unit() {
        delay(1)
    }

    @DistributedLock(name = "null", waitTime = 0)
    suspend fun nothing(): String? {
        delay(1)
        return null
    }

    @DistributedLock(name = "order", key = "#id", waitTime = 0)
    suspend fun fail(id: String, failure: Exception) {
        delay(1)
        throw failure
    }

    @DistributedLock(name = "order", key = "#id", condition = "#locked", waitTime = 0)
    suspend fun perhaps(id: String, locked: Boolean): Lease? = LeaseContext.current().orElse(null)

    @DistributedLock(name = "order", key = "#id", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
    suspend fun skipped(id: String): String? = id

    @DistributedLock(name = "order", key = "#id", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
    suspend fun skippedUnit(id: String) {
        skipped += id
    }

    @DistributedLock(name = "order", key = "#id", waitTime = 0, fallback = "busy")
    suspend fun orBusy(id: String): String = id

    private suspend fun busy(id: String): String {
        delay(1)
        return "$id is busy"
    }

    @DistributedLock(name = "order", key = "#id", waitTime = 0, fallback = "busyWith")
    suspend fun orBusyWith(id: OrderId): String = id.text

    suspend fun busyWith(id: OrderId, failure: LockNotGrantedException): String = id.text + " of " + failure.lockName()

    /** The leases that are current after each step, and whether the steps ran in different threads. */
    @DistributedLock(name = "leases")
    suspend fun leases(): List<Lease?> = coroutineScope {
        val leases = mutableListOf(LeaseContext.current().orElse(null))
        delay(5)
        leases += LeaseContext.current().orElse(null)
        withContext(Dispatchers.IO) { leases += LeaseContext.current().orElse(null) }
        leases += async(Dispatchers.Default) { LeaseContext.current().orElse(null) }.await()
        leases += currentCoroutineContext()[ReactorContext]?.context?.get(Lease::class.java)
        leases
    }

    @DistributedLock(name = "order", key = "#id", waitTime = 5000)
    fun lines(id: String, block: suspend (Int) -> Unit = {}): Flow<Int> = flow {
        for (i in 1..3) {
            block(i)
            emit(i)
        }
    }

    @DistributedLock(name = "order", key = "#id", waitTime = 0)
    fun leasesOfFlow(id: String): Flow<Lease?> = flow {
        emit(LeaseContext.current().orElse(null))
        delay(1)
        emit(LeaseContext.current().orElse(null))
    }

    @DistributedLock(name = "order", key = "#id", waitTime = 0)
    fun failingFlow(id: String): Flow<Int> = flow {
        emit(1)
        throw IOException("flow $id")
    }

    @DistributedLock(name = "order", key = "#id", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
    fun skippedFlow(id: String): Flow<Int> = flowOf(1)

    @DistributedLock(name = "order", key = "#id", waitTime = 0, fallback = "noLines")
    fun linesOrNone(id: String): Flow<Int> = flowOf(1)

    fun noLines(id: String): Flow<Int> = flowOf(-1)

    @DistributedLock(name = "order", key = "#id", waitTime = 0)
    suspend fun suspendedLines(id: String): Flow<Int> {
        delay(1)
        return lines("$id-inner")
    }

    /** Not a suspend function: its thread holds the lock. */
    @DistributedLock(name = "order", key = "#id", waitTime = 0)
    fun blocking(id: String): String = LeaseContext.required().name()
}

/** Holds what it is given until it is told to let go. */
class Gate {

    val entered = CompletableDeferred<Unit>()

    val open = CompletableDeferred<Unit>()

    suspend fun pass() {
        entered.complete(Unit)
        open.await()
    }
}
