package io.github.lockstarter.docstests.jobs;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The application of the jobs. Its locks come from the annotation of the tests. */
@SpringBootConfiguration(proxyBeanMethods = false)
@Import({ReportJob.class, AnnotatedReportJob.class, ReportStops.class})
class Application {

    @Bean
    Workers workers() {
        return lockName -> {};
    }
}
