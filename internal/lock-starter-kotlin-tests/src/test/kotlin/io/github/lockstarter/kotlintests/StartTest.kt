package io.github.lockstarter.kotlintests

import io.github.lockstarter.DistributedLock
import io.github.lockstarter.InvalidLockDefinitionException
import io.github.lockstarter.LockFailureHandler
import io.github.lockstarter.LockNotGrantedException
import io.github.lockstarter.LockRegistry
import io.github.lockstarter.LockRequest
import io.github.lockstarter.OnLost
import io.github.lockstarter.OnNotGranted
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration
import java.util.concurrent.CompletableFuture
import java.util.function.Supplier
import kotlin.reflect.KClass
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.assertThrows
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import reactor.core.publisher.Mono

/** What is said at the start about Kotlin functions that cannot be locked. */
@Timeout(120)
class StartTest {

    private val application =
        ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration::class.java))
            .withPropertyValues("distributed-lock.store=memory")

    @Test
    fun shouldNameThePluginForFinalClasses() {
        assertThat(rejectionOf(Final::class))
            .contains("Final.settle(String)", "final", "kotlin-spring", "open")
            .doesNotContain("Continuation")
    }

    @Test
    fun shouldRejectInterruption() {
        assertThat(rejectionOf(Interrupted::class)).contains("Interrupted.settle()", "INTERRUPT")
        assertThat(rejectionOf(InterruptedFlow::class)).contains("InterruptedFlow.lines()", "INTERRUPT")
    }

    @Test
    fun shouldRejectToSkipWithoutAValue() {
        assertThat(rejectionOf(SkippedText::class)).contains("SkippedText.settle()", "String?", "fallback")
        assertThat(rejectionOf(SkippedNumber::class)).contains("SkippedNumber.settle()", "int")
        assertThat(rejectionOf(SkippedBlocking::class)).contains("SkippedBlocking.settle()", "String?")
        application.withBean(SkippedNothing::class.java).run { assertThat(it).hasNotFailed() }
    }

    @Test
    fun shouldRejectAFallbackOfAnotherKind() {
        assertThat(rejectionOf(OrdinaryFallback::class)).contains("fallback = \"busy\"", "suspend")
        assertThat(rejectionOf(SuspendingFallback::class)).contains("fallback = \"busy\"", "suspend")
        assertThat(rejectionOf(FallbackOfAnotherType::class)).contains("fallback = \"busy\"", "int", "String")
    }

    @Test
    fun shouldRejectWorkThatGoesOn() {
        assertThat(rejectionOf(SuspendedMono::class)).contains("SuspendedMono.settle()", "Mono")
        assertThat(rejectionOf(SuspendedFuture::class)).contains("SuspendedFuture.settle()", "CompletableFuture")
        assertThat(rejectionOf(ReturnsDeferred::class)).contains("ReturnsDeferred.settle()", "Deferred")
        assertThat(rejectionOf(ReturnsStateFlow::class)).contains("ReturnsStateFlow.states()", "StateFlow")
    }

    @Test
    fun shouldListParametersWithoutTheContinuation() {
        assertThat(rejectionOf(WrongKey::class)).contains("#orderId (#a0)").doesNotContain("a1", "completion", "Continuation")
        assertThat(rejectionOf(ContinuationKey::class)).contains("#a1", "#orderId (#a0)")
    }

    @Test
    fun shouldRejectToWeaveASuspendFunction() {
        val rejection = rejectionOf(Woven::class, "distributed-lock.mode=aspectj")

        assertThat(rejection).contains("Woven.settle()", "suspend", "distributed-lock.mode=proxy")
    }

    @Test
    fun shouldCheckTheAnswerOfTheFailureHandler() {
        application
            .withBean(Handled::class.java)
            .withBean(LockFailureHandler::class.java, Supplier { LockFailureHandler { _, _, arguments -> arguments[0] } })
            .run { context ->
                val handled = context.getBean(Handled::class.java)
                val registry = context.getBean(LockRegistry::class.java)
                registry.acquire(LockRequest.of("handled", "")).use {
                    runBlocking {
                        assertThat(handled.text("answer")).isEqualTo("answer")
                        assertThrows<IllegalStateException> { handled.number("answer") }
                    }
                }
            }
    }

    private fun rejectionOf(bean: KClass<*>, vararg properties: String): String {
        var message = ""
        application.withBean(bean.java).withPropertyValues(*properties).run { context ->
            assertThat(context).hasFailed()
            message = generateSequence(context.startupFailure) { it.cause }
                .filterIsInstance<InvalidLockDefinitionException>()
                .first()
                .message!!
        }
        return message
    }

    class Final {
        @DistributedLock suspend fun settle(id: String) = Unit.also { id.length }
    }

    open class Interrupted {
        @DistributedLock(onLost = OnLost.INTERRUPT) open suspend fun settle() = Unit
    }

    open class InterruptedFlow {
        @DistributedLock(onLost = OnLost.INTERRUPT) open fun lines(): Flow<String> = error("not called")
    }

    open class SkippedText {
        @DistributedLock(onNotGranted = OnNotGranted.SKIP) open suspend fun settle(): String = "text"
    }

    open class SkippedNumber {
        @DistributedLock(onNotGranted = OnNotGranted.SKIP) open suspend fun settle(): Int = 1
    }

    open class SkippedBlocking {
        @DistributedLock(onNotGranted = OnNotGranted.SKIP) open fun settle(): String = "text"
    }

    open class SkippedNothing {
        @DistributedLock(onNotGranted = OnNotGranted.SKIP) open fun unit() = Unit

        @DistributedLock(onNotGranted = OnNotGranted.SKIP) open fun text(): String? = null

        @DistributedLock(onNotGranted = OnNotGranted.SKIP) open fun lines(): Flow<String> = error("not called")

        @DistributedLock(onNotGranted = OnNotGranted.SKIP) open fun mono(): Mono<String> = error("not called")

        @DistributedLock(onNotGranted = OnNotGranted.SKIP) open fun future(): CompletableFuture<String> = error("not called")
    }

    open class OrdinaryFallback {
        @DistributedLock(fallback = "busy") open suspend fun settle(id: String): String = id

        fun busy(id: String): String = id
    }

    open class SuspendingFallback {
        @DistributedLock(fallback = "busy") open fun settle(id: String): String = id

        suspend fun busy(id: String, failure: LockNotGrantedException): String = id + failure.lockName()
    }

    open class FallbackOfAnotherType {
        @DistributedLock(fallback = "busy") open suspend fun settle(id: String): String = id

        suspend fun busy(id: String): Int = id.length
    }

    open class SuspendedMono {
        @DistributedLock open suspend fun settle(): Mono<String> = Mono.empty()
    }

    open class SuspendedFuture {
        @DistributedLock open suspend fun settle(): CompletableFuture<String> = CompletableFuture()
    }

    open class ReturnsDeferred {
        @DistributedLock open fun settle(): Deferred<String> = error("not called")
    }

    open class ReturnsStateFlow {
        @DistributedLock open fun states(): StateFlow<String> = error("not called")
    }

    open class WrongKey {
        @DistributedLock(key = "#oderId") open suspend fun settle(orderId: String) = Unit.also { orderId.length }
    }

    open class ContinuationKey {
        @DistributedLock(key = "#a1") open suspend fun settle(orderId: String) = Unit.also { orderId.length }
    }

    open class Woven {
        @DistributedLock open suspend fun settle() = Unit
    }

    open class Handled {
        @DistributedLock(name = "handled", waitTime = 0) open suspend fun text(id: String): String = "body $id"

        @DistributedLock(name = "handled", waitTime = 0) open suspend fun number(id: String): Int = id.length
    }
}
