package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.Rule;

/**
 * What the documents of a library promise about a rule.
 *
 * @param rule the rule
 * @param quote the words of the document
 * @param source where they are
 */
record Promise(Rule rule, String quote, String source) {}
