package io.github.lockstarter.boottests;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockRegistry;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** A method under a lock and in a transaction. */
@Service
public class Ledger {

    private final JdbcTemplate jdbc;

    private final LockRegistry locks;

    Ledger(JdbcTemplate jdbc, LockRegistry locks) {
        this.jdbc = jdbc;
        this.locks = locks;
    }

    /** Writes an entry and, if asked, has its lock taken away before the commit. */
    @DistributedLock(name = "ledger")
    @Transactional
    public void book(String entry, boolean lose) {
        this.jdbc.update("insert into entry values (?)", entry);
        if (lose) {
            this.locks.getLock("ledger").forceUnlock();
            LeaseContext.required()
                    .lost()
                    .toCompletableFuture()
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
        }
    }

    /** How many of these were committed. */
    public int entries(String entry) {
        return Objects.requireNonNull(
                this.jdbc.queryForObject("select count(*) from entry where text = ?", Integer.class, entry));
    }
}
