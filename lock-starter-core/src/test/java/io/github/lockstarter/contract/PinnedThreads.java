package io.github.lockstarter.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Virtual threads that kept their carrier while they waited, from now on. */
final class PinnedThreads implements AutoCloseable {

    private static final String EVENT = "jdk.VirtualThreadPinned";

    private final Recording recording = new Recording();

    private PinnedThreads() {
        this.recording.enable(EVENT).withoutThreshold().withStackTrace();
        this.recording.start();
    }

    static PinnedThreads record() {
        return new PinnedThreads();
    }

    /** Those that were in code of the library. */
    List<String> inLibrary() throws IOException {
        this.recording.stop();
        Path file = Files.createTempFile("pinned", ".jfr");
        try {
            this.recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals(EVENT))
                    .filter(PinnedThreads::isInLibrary)
                    .map(RecordedEvent::toString)
                    .toList();
        } finally {
            Files.delete(file);
        }
    }

    private static boolean isInLibrary(RecordedEvent event) {
        return event.getStackTrace() != null
                && event.getStackTrace().getFrames().stream()
                        .map(frame -> frame.getMethod().getType().getName())
                        .anyMatch(type -> type.startsWith("io.github.lockstarter.")
                                && !type.startsWith("io.github.lockstarter.contract."));
    }

    @Override
    public void close() {
        this.recording.close();
    }
}
