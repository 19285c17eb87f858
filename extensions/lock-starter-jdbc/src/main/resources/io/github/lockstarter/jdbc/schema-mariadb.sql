-- name: key prefix and name of the lock in UTF-8; raised_at: microseconds since 1970 by the clock of this database
CREATE TABLE IF NOT EXISTS distributed_lock_fence (
  name VARBINARY(1024) NOT NULL PRIMARY KEY,
  token BIGINT NOT NULL,
  raised_at BIGINT NOT NULL
) ENGINE = InnoDB;
