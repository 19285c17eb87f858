package io.github.lockstarter.kotlintests

import io.github.lockstarter.LeaseContext
import io.github.lockstarter.LockNotGrantedException
import io.github.lockstarter.testsupport.RedisCli
import io.github.lockstarter.testsupport.RedisServer
import io.github.lockstarter.testsupport.RedisTest
import java.io.IOException
import java.util.concurrent.CancellationException
import kotlin.coroutines.coroutineContext
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

@RedisTest
class SuspendFunctionTest(redis: RedisServer, private val cli: RedisCli) {

    private val application = KotlinApplication(redis, Orders::class.java)

    private val other = KotlinApplication(redis, Orders::class.java)

    private val orders = application.bean<Orders>()

    @AfterEach
    fun close() {
        other.close()
        application.close()
    }

    @Test
    fun shouldHoldTheLockAcrossSuspensions() = test {
        val result = orders.settle("42") {
            delay(50)
            isLocked("order:42")
        }

        assertThat(result).isTrue()
        assertThat(isLocked("order:42")).isFalse()
    }

    @Test
    fun shouldExcludeOthersInThisAndInOtherInstances() = test {
        val both = listOf(orders, other.bean<Orders>())

        (1..8).map { i -> async(Dispatchers.Default) { both[i % 2].settle("42") { i } } }.awaitAll()

        assertThat(both.map { it.most.get() }).containsExactly(1, 1)
        val gate = Gate()
        val holder = launch { orders.settle("42") { gate.pass() } }
        gate.entered.await()
        assertThrows<LockNotGrantedException> { other.bean<Orders>().perhaps("42", true) }
        gate.open.complete(Unit)
        holder.join()
        assertThat(other.bean<Orders>().perhaps("42", true)).isNotNull()
    }

    @Test
    fun shouldReturnUnitAndNull() = test {
        orders.unit()

        assertThat(orders.nothing()).isNull()
        assertThat(isLocked("unit")).isFalse()
        assertThat(isLocked("null")).isFalse()
    }

    @Test
    fun shouldThrowTheExceptionOfTheFunction() = test {
        for (failure in listOf(IOException("checked"), IllegalStateException("unchecked"), LockNotGrantedExceptions.other())) {
            val thrown = runCatching { orders.fail("42", failure) }.exceptionOrNull()

            assertThat(thrown).isSameAs(failure)
            assertThat(isLocked("order:42")).isFalse()
        }
    }

    @Test
    fun shouldLeaveTheWaitingLineWhenCancelled() = test {
        val gate = Gate()
        val holder = launch { orders.settle("42") { gate.pass() } }
        gate.entered.await()
        val waiting = launch { other.bean<Orders>().settle("42") {} }
        awaitUntil { cli.hgetall("lock:{order:42}").containsKey("q") }

        waiting.cancelAndJoin()

        awaitUntil { !cli.hgetall("lock:{order:42}").containsKey("q") }
        gate.open.complete(Unit)
        holder.join()
        awaitUntil { !isLocked("order:42") }
        assertThat(waiting.isCancelled).isTrue()
    }

    @Test
    fun shouldReleaseWhenCancelled() = test {
        val gate = Gate()
        var cause: Throwable? = null
        val holder = launch {
            orders.settle("42") {
                try {
                    gate.pass()
                } catch (e: CancellationException) {
                    cause = e
                    throw e
                }
            }
        }
        gate.entered.await()

        holder.cancelAndJoin()

        awaitUntil { !isLocked("order:42") }
        awaitUntil { cause != null }
        assertThat(orders.settle("42") { "next" }).isEqualTo("next")
    }

    @Test
    fun shouldEvaluateKeysWithNamedParameters() = test {
        assertThat(orders.named(Order("42"), 3).name()).isEqualTo("order:42-3")
        assertThat(orders.withDefaults()).isEqualTo(14)
        assertThat(orders.withDefaults(Order("x", 5))).isEqualTo(10)
        assertThat(orders.withDefaults(times = 1)).isEqualTo(7)
    }

    @Test
    fun shouldAcceptValueClasses() = test {
        assertThat(orders.withValueClass(OrderId("42"))).isEqualTo("42:order:42")
        assertThat(orders.derived(OrderId("42"))).isEqualTo("Orders.derived")
    }

    @Test
    fun shouldHaveTheLeaseInTheCoroutine() = test {
        val leases = orders.leases()

        assertThat(leases).hasSize(5).doesNotContainNull()
        assertThat(leases.toSet()).hasSize(1)
        assertThat(leases[0]!!.name()).isEqualTo("leases")
        assertThat(LeaseContext.current()).isEmpty()
    }

    @Test
    fun shouldHaveTheLeaseOfTheInnermostFunction() = test {
        val names = orders.settle("outer") {
            val inner = orders.settle("inner") { LeaseContext.required().name() }
            val unlocked = orders.perhaps("42", false)?.name()
            listOf(inner, unlocked, orders.blocking("blocking"), LeaseContext.required().name())
        }

        assertThat(names).containsExactly("order:inner", "order:outer", "order:blocking", "order:outer")
    }

    @Test
    fun shouldRunInTheContextOfTheCaller() = test {
        val (name, thread) = async(CoroutineName("caller") + Dispatchers.IO) {
            orders.settle("42") { coroutineContext[CoroutineName]?.name to Thread.currentThread().name }
        }.await()

        assertThat(name).isEqualTo("caller")
        assertThat(thread).startsWith("DefaultDispatcher-worker")
    }

    @Test
    fun shouldDecideByTheConditionOfEachCall() = test {
        assertThat(orders.perhaps("42", false)).isNull()
        assertThat(orders.perhaps("42", true)?.name()).isEqualTo("order:42")
    }

    @Test
    fun shouldSkipOrFallBack() = test {
        val gate = Gate()
        val holder = launch { other.bean<Orders>().settle("42") { gate.pass() } }
        gate.entered.await()

        assertThat(orders.skipped("42")).isNull()
        orders.skippedUnit("42")
        assertThat(orders.skipped).isEmpty()
        assertThat(orders.orBusy("42")).isEqualTo("42 is busy")
        assertThat(orders.orBusyWith(OrderId("42"))).isEqualTo("42 of order:42")
        gate.open.complete(Unit)
        holder.join()
        assertThat(orders.skipped("42")).isEqualTo("42")
        assertThat(orders.orBusy("42")).isEqualTo("42")
    }

    @Test
    fun shouldAcquireSeveralLocks() = test {
        orders.transfer("a", "b") {
            assertThat(isLocked("account:a") && isLocked("account:b")).isTrue()
            assertThrows<LockNotGrantedException> { other.bean<Orders>().transfer("c", "b") {} }
        }

        assertThat(isLocked("account:a") || isLocked("account:b") || isLocked("account:c")).isFalse()
    }

    @Test
    fun shouldLimitByPermits() = test {
        val gate = Gate()
        val jobs = (1..4).map { launch { orders.export { gate.pass() } } }
        awaitUntil { orders.most.get() == 2 }
        gate.open.complete(Unit)
        jobs.forEach { it.join() }

        assertThat(orders.most.get()).isEqualTo(2)
    }

    /** A lock that is lost while the function runs. */
    @Test
    fun shouldReportALoss() = test {
        assertThrows<io.github.lockstarter.LockLostException> {
            orders.settle("42") {
                cli.command("DEL", "lock:{order:42}")
                "result"
            }
        }
    }

    private fun isLocked(lock: String) = cli.exists("lock:{$lock}")

    private fun test(block: suspend kotlinx.coroutines.CoroutineScope.() -> Unit) = runBlocking { withTimeout(30.seconds, block) }
}

suspend fun awaitUntil(condition: () -> Boolean) {
    while (!condition()) {
        delay(10)
    }
}
