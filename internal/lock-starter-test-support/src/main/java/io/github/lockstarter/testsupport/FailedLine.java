package io.github.lockstarter.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Appends the statement that has failed to the message of an assertion, so that "expected true but was false" names the
 * fact. The statement is read from the sources of the tests of the module, whose folder is the working directory.
 * Registered for all tests.
 */
public final class FailedLine implements TestExecutionExceptionHandler {

    private static final Path SOURCES = Path.of("src", "test", "java");

    /** A statement is formatted to lines of 120 characters; a longer one is not needed to recognize it. */
    private static final int MAX_LINES = 6;

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        String statement = failure instanceof AssertionError
                ? Arrays.stream(failure.getStackTrace())
                        .flatMap(frame -> statement(frame).stream())
                        .findFirst()
                        .orElse(null)
                : null;
        if (statement == null) {
            throw failure;
        }
        AssertionError explained = new AssertionError(failure.getMessage() + "\nat: " + statement, failure);
        explained.setStackTrace(failure.getStackTrace());
        throw explained;
    }

    private static Optional<String> statement(StackTraceElement frame) {
        String type = frame.getClassName();
        int packageEnd = type.lastIndexOf('.');
        if (packageEnd < 0 || frame.getFileName() == null || frame.getLineNumber() < 1) {
            return Optional.empty();
        }
        Path file =
                SOURCES.resolve(type.substring(0, packageEnd).replace('.', '/')).resolve(frame.getFileName());
        if (!Files.isReadable(file)) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(file)) {
            List<String> from =
                    lines.skip(frame.getLineNumber() - 1L).limit(MAX_LINES).toList();
            StringBuilder statement = new StringBuilder();
            for (String line : from) {
                statement.append(line.strip());
                if (line.endsWith(";") || line.endsWith("{")) {
                    break;
                }
            }
            return Optional.of(statement.toString());
        } catch (IOException ex) {
            return Optional.empty();
        }
    }
}
