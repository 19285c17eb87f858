package io.github.lockstarter.docstests.shop;

import java.util.List;
import java.util.Optional;

/** The orders in the database. */
public interface OrderRepository {

    Optional<Order> findById(String id);

    List<Order> findOpen();

    Order save(Order order);

    /** Returns the number of rows that were written: none if a larger token has been seen. */
    int save(Order order, long fencingToken);

    void settle(String orderId, long fencingToken);
}
