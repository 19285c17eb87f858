package io.github.lockstarter.kotlintests

import io.github.lockstarter.LockRegistry
import io.github.lockstarter.kotlintests.manual.Line
import io.github.lockstarter.kotlintests.manual.OrderRepository
import io.github.lockstarter.kotlintests.manual.Receipt
import io.github.lockstarter.kotlintests.manual.close
import io.github.lockstarter.kotlintests.manual.counted
import io.github.lockstarter.testsupport.RedisCli
import io.github.lockstarter.testsupport.RedisServer
import io.github.lockstarter.testsupport.RedisTest
import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.stereotype.Component

/** The code of the manual works as it says. */
@RedisTest
@Timeout(120)
class ManualTest(private val redis: RedisServer, private val cli: RedisCli) {

    @Test
    fun shouldRunTheCodeOfTheManual() = runBlocking<Unit> {
        KotlinApplication(redis, io.github.lockstarter.kotlintests.manual.Orders::class.java, Repository::class.java).use {
            val orders = it.bean<io.github.lockstarter.kotlintests.manual.Orders>()
            assertThat(orders.settle("42").token).isPositive()
            assertThat(orders.lines("42").toList()).containsExactly(Line(1), Line(2))
            assertThat(orders.status("42")).isEqualTo("settled")

            close(it.bean<LockRegistry>())
            assertThat(counted).isEqualTo("till:7")
            assertThat(cli.exists("lock:{till:7}")).isFalse()
        }
    }

    @Test
    fun shouldBeThatOfTheManual() {
        val code = Files.readString(Path.of("src/test/kotlin/io/github/lockstarter/kotlintests/ManualSnippets.kt"))

        assertThat(snippets()).hasSizeGreaterThanOrEqualTo(2).allSatisfy { assertThat(code).contains(it) }
    }

    /** All fences of Kotlin, whatever page they are on. */
    private fun snippets(): List<String> {
        val fence = Regex("```kotlin\n(.*?)\n```", RegexOption.DOT_MATCHES_ALL)
        val pages = File("../../docs").walk() + File("../..").listFiles().orEmpty()
        return pages.filter { it.extension == "md" }
            .flatMap { page -> fence.findAll(page.readText()).map { it.groupValues[1] } }
            .toList()
    }

    @Component
    class Repository : OrderRepository {

        override suspend fun settle(orderId: String, token: Long) = Receipt(token)

        override suspend fun status(orderId: String) = "settled"

        override fun lines(orderId: String) = flowOf(Line(1), Line(2))
    }
}
