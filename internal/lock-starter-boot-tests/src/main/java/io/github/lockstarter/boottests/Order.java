package io.github.lockstarter.boottests;

/**
 * What is locked, by a property of a property.
 *
 * @param customer whose
 * @param number which of them
 */
public record Order(Customer customer, int number) {

    /**
     * Who orders.
     *
     * @param id of the customer
     */
    public record Customer(String id) {}
}
