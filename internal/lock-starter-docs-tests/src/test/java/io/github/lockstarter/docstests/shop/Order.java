package io.github.lockstarter.docstests.shop;

import java.math.BigDecimal;

/** An order of the shop. */
public record Order(String id, BigDecimal total, String status) {}
