package io.github.lockstarter.kotlintests

import io.github.lockstarter.testsupport.RedisServer
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Configuration

/** A Spring Boot application of its own: one instance, as it runs in production. */
class KotlinApplication(redis: RedisServer, vararg beans: Class<*>, properties: List<String> = emptyList()) : AutoCloseable {

    private val context: ConfigurableApplicationContext =
        SpringApplicationBuilder(Settings::class.java, *beans)
            .properties("spring.data.redis.port=${redis.port()}", "spring.main.banner-mode=off", *properties.toTypedArray())
            .run()

    fun <T : Any> bean(type: Class<T>): T = context.getBean(type)

    inline fun <reified T : Any> bean(): T = bean(T::class.java)

    override fun close() = context.close()

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    class Settings
}
