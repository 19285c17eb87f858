package io.github.lockstarter.sample.live;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import org.springframework.context.annotation.Conditional;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Pauses or kills this process, as a long garbage collection, a suspended virtual machine or a crash would. A process cannot
 * continue itself, so a small shell does it.
 */
@RestController
@Conditional(LoopbackOnly.class)
class ProcessControls {

    private static final int LONGEST_PAUSE = 60;

    /** Lets the response get to the page first. */
    private static final String SOON = "sleep 0.2; ";

    @PostMapping("/live/pause")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void pause(@RequestParam(defaultValue = "10") int seconds) {
        if (seconds < 1 || seconds > LONGEST_PAUSE) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "A pause lasts between 1 and " + LONGEST_PAUSE + " seconds");
        }
        shell("kill -STOP $0; sleep " + seconds + "; kill -CONT $0");
    }

    @PostMapping("/live/kill")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void kill() {
        shell("kill -KILL $0");
    }

    private static void shell(String commands) {
        String pid = Long.toString(ProcessHandle.current().pid());
        try {
            new ProcessBuilder("sh", "-c", SOON + commands, pid)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new ResponseStatusException(
                    HttpStatus.NOT_IMPLEMENTED, "This system has no shell that stops processes", e);
        }
    }
}
