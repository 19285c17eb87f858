package io.github.lockstarter.jdbc;

import javax.sql.DataSource;

final class H2FenceFaultsTest extends FenceFaultsContract {

    @Override
    DataSource database() {
        return new H2FenceTest().database();
    }
}
