package com.example.consumer;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The first lock of the README, on a real Redis. Fails, and so exits with 1, if the lock does not do what it says. */
@SpringBootApplication
public class FirstLock {

    public static void main(String[] args) {
        try (var context = SpringApplication.run(FirstLock.class, args)) {
            Orders orders = context.getBean(Orders.class);
            CompletableFuture<Long> other = CompletableFuture.supplyAsync(() -> orders.settle("4711"));
            long first = orders.settle("4711");
            long second = other.join();
            check(first != second, "Two calls had the token " + first);

            LockRequest request = LockRequest.of("order", "4711").withWaitTime(Duration.ofSeconds(2));
            long third = context.getBean(LockRegistry.class).execute(request, lease -> lease.fencingToken());
            check(third > Math.max(first, second), "The token " + third + " is not the largest");
            System.out.println("Tokens " + Math.min(first, second) + ", " + Math.max(first, second) + ", " + third);
        }
    }

    @Bean
    Orders orders(StringRedisTemplate redis) {
        return new Orders(redis);
    }

    private static void check(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalStateException(problem);
        }
    }

    static class Orders {

        private final StringRedisTemplate redis;

        private final AtomicInteger inside = new AtomicInteger();

        Orders(StringRedisTemplate redis) {
            this.redis = redis;
        }

        @DistributedLock(name = "order", key = "#orderId", waitTime = 5000)
        public long settle(String orderId) {
            check(this.inside.incrementAndGet() == 1, "Two calls are in the method");
            try {
                Set<String> keys = this.redis.keys("lock:*order:" + orderId + "*");
                check(keys != null && !keys.isEmpty(), "Redis has no key of the lock");
                return LeaseContext.required().fencingToken();
            } finally {
                this.inside.decrementAndGet();
            }
        }
    }
}
