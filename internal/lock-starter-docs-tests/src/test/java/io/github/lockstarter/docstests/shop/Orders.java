package io.github.lockstarter.docstests.shop;

/** The service of orders. */
public interface Orders {

    void settle(String orderId);

    void settle(Order order);

    void cancel(String orderId);

    Order find(String orderId);

    long countOpen();
}
