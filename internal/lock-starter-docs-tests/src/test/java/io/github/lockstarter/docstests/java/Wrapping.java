package io.github.lockstarter.docstests.java;

/** What the code of a fence is a part of. They are tried in this order. */
enum Wrapping {

    /** Types, methods and fields of a class. */
    MEMBERS("", ""),

    /** Statements of a method. */
    STATEMENTS("void snippet() throws Exception {", "}"),

    /** Annotations of a type. */
    ANNOTATIONS_OF_A_TYPE("", "class Annotated {}"),

    /** Annotations of a method. */
    ANNOTATIONS_OF_A_METHOD("", "void annotated() {}");

    private final String before;

    private final String after;

    Wrapping(String before, String after) {
        this.before = before;
        this.after = after;
    }

    String before() {
        return this.before;
    }

    String after() {
        return this.after;
    }
}
