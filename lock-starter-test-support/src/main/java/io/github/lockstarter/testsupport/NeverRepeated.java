package io.github.lockstarter.testsupport;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks tests that look for violations of a guarantee, such as two owners of a lock. The build repeats a failed test once,
 * because a test that awaits something with a time limit can fail on a machine that is too busy. A violation that was seen
 * once is a defect, however, and does not go away with a repetition: the repetition of such a test fails as well.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(NeverRepeatedExtension.class)
public @interface NeverRepeated {}
