package io.github.lockstarter.docstests.shop;

import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockRegistry;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.client.RestClient;

/** Names that are known to all code of the manual; a page defines others in a comment that begins with "given". */
@SuppressWarnings("NullAway") // never run
public final class Given {

    public static final LockRegistry lockRegistry = null;

    public static final LockRegistry registry = null;

    public static final LockInventory lockInventory = null;

    public static final String orderId = "42";

    public static final Order order = null;

    public static final Orders orders = null;

    public static final OrderRepository repository = null;

    public static final JdbcClient jdbcClient = null;

    public static final JdbcTemplate jdbcTemplate = null;

    public static final TransactionTemplate transactionTemplate = null;

    public static final RestClient restClient = null;

    public static final ExecutorService executor = null;

    private Given() {}

    public static void settle(String orderId) {}

    public static void settle(String orderId, long fencingToken) {}

    public static void settle(Order order) {}

    public static long countOpen() {
        return 0;
    }

    public static long countOpen(String orderId) {
        return 0;
    }

    /** Stands for an ellipsis where a value is expected. */
    @SuppressWarnings("TypeParameterUnusedInFormals") // of the type that is expected
    public static <T> @Nullable T omitted() {
        return null;
    }
}
