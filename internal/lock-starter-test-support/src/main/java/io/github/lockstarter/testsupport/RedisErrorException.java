package io.github.lockstarter.testsupport;

/** An error that Redis answered; the message is Redis' own, its code first. */
public final class RedisErrorException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RedisErrorException(String message) {
        super(message);
    }
}
