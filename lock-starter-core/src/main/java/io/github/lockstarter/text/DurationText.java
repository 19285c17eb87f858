package io.github.lockstarter.text;

import java.time.Duration;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Formats durations as they are written in configuration files. */
public final class DurationText {

    private DurationText() {}

    /** Returns the duration with its units, such as {@code 1s500ms}; {@code 0} for zero. */
    public static String of(Duration time) {
        return time.isZero() ? "0" : DurationFormatterUtils.print(time, DurationFormat.Style.COMPOSITE);
    }
}
