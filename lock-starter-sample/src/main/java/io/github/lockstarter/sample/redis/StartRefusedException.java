package io.github.lockstarter.sample.redis;

/** The service cannot start like this. */
class StartRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String remedy;

    StartRefusedException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    String remedy() {
        return remedy;
    }
}
