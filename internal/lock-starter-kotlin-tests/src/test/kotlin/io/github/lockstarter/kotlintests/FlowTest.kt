package io.github.lockstarter.kotlintests

import io.github.lockstarter.Lease
import io.github.lockstarter.LockNotGrantedException
import io.github.lockstarter.testsupport.RedisCli
import io.github.lockstarter.testsupport.RedisServer
import io.github.lockstarter.testsupport.RedisTest
import java.io.IOException
import kotlin.coroutines.coroutineContext
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.count
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

@RedisTest
class FlowTest(redis: RedisServer, private val cli: RedisCli) {

    private val application = KotlinApplication(redis, Orders::class.java)

    private val orders = application.bean<Orders>()

    @AfterEach
    fun close() = application.close()

    @Test
    fun shouldHoldTheLockForEachCollection() = test {
        val flow = orders.lines("42")
        assertThat(isLocked("order:42")).isFalse()

        repeat(2) {
            val locked = mutableListOf<Boolean>()
            flow.collect { locked += isLocked("order:42") }
            assertThat(locked).containsExactly(true, true, true)
            assertThat(isLocked("order:42")).isFalse()
        }
    }

    @Test
    fun shouldRunTheFlowNoFasterThanItsCollector() = test {
        val steps = mutableListOf<String>()

        orders.lines("42") { steps += "emit $it" }.collect { steps += "collect $it" }

        assertThat(steps).containsExactly("emit 1", "collect 1", "emit 2", "collect 2", "emit 3", "collect 3")
    }

    @Test
    fun shouldExcludeOtherCollectors() = test {
        orders.lines("42").collect {
            assertThrows<LockNotGrantedException> { orders.linesAtOnce() }
        }
        assertThat(orders.leasesOfFlow("42").count()).isEqualTo(2)
    }

    private suspend fun Orders.linesAtOnce() = leasesOfFlow("42").count()

    @Test
    fun shouldReleaseWhenTheCollectorHasEnough() = test {
        assertThat(orders.lines("42").first()).isEqualTo(1)

        awaitUntil { !isLocked("order:42") }
    }

    @Test
    fun shouldReleaseWhenTheCollectorIsCancelled() = test {
        val gate = Gate()
        val collector = launch { orders.lines("42") { gate.pass() }.collect {} }
        gate.entered.await()
        val waiting = launch { orders.lines("42").collect {} }

        waiting.cancelAndJoin()
        assertThat(isLocked("order:42")).isTrue()
        collector.cancelAndJoin()

        awaitUntil { !isLocked("order:42") }
    }

    @Test
    fun shouldThrowTheExceptionOfTheFlowAndOfTheCollector() = test {
        val ofFlow = runCatching { orders.failingFlow("42").collect {} }.exceptionOrNull()
        assertThat(ofFlow).isExactlyInstanceOf(IOException::class.java).hasMessage("flow 42")
        awaitUntil { !isLocked("order:42") }

        val failure = IOException("collector")
        val ofCollector = runCatching { orders.lines("42").collect { throw failure } }.exceptionOrNull()
        assertThat(ofCollector).isSameAs(failure)
        awaitUntil { !isLocked("order:42") }
    }

    @Test
    fun shouldHaveTheLeaseAndTheContextOfTheCollector() = test {
        val leases = orders.leasesOfFlow("42").toList()
        assertThat(leases).hasSize(2).doesNotContainNull()
        assertThat(leases.map { it?.name() }.toSet()).containsExactly("order:42")

        var name: String? = null
        launch(CoroutineName("collector")) {
            orders.lines("42") { name = coroutineContext[CoroutineName]?.name }.collect {}
        }.join()
        assertThat(name).isEqualTo("collector")
        var thread = ""
        orders.lines("42") { thread = Thread.currentThread().name }.flowOn(Dispatchers.IO).collect {}
        assertThat(thread).startsWith("DefaultDispatcher-worker")
    }

    @Test
    fun shouldSkipOrFallBack() = test {
        orders.settle("42") {
            assertThat(orders.skippedFlow("42").toList()).isEmpty()
            assertThat(orders.linesOrNone("42").toList()).containsExactly(-1)
        }
        assertThat(orders.skippedFlow("42").toList()).containsExactly(1)
    }

    @Test
    fun shouldHoldTheLockForTheFlowOfASuspendFunction() = test {
        val flow = orders.suspendedLines("42")
        assertThat(isLocked("order:42")).isFalse()

        assertThat(flow.toList()).containsExactly(1, 2, 3)
        assertThat(isLocked("order:42")).isFalse()
    }

    private fun isLocked(lock: String) = cli.exists("lock:{$lock}")

    private fun test(block: suspend CoroutineScope.() -> Unit) = runBlocking { withTimeout(30.seconds, block) }
}
