package io.github.lockstarter.leader;

import static io.github.lockstarter.leader.Instance.eventually;

import io.github.lockstarter.LeaseContext;
import org.springframework.aot.AotDetector;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The application of {@link LeaderAotTest}, which generates code in its name: a nested class would get another one. */
@Configuration(proxyBeanMethods = false)
@Import(Instance.SmallApplication.class)
class LeaderAotApplication {

    @Bean
    Jobs jobs() {
        return new Jobs();
    }

    @Bean
    LeaderOnlyTest.Worker worker() {
        return new LeaderOnlyTest.Worker();
    }

    public static void main(String[] arguments) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(LeaderAotApplication.class)
                .web(WebApplicationType.NONE)
                .run(arguments)) {
            Jobs jobs = context.getBean(Jobs.class);
            LeaderOnlyTest.Worker worker = context.getBean(LeaderOnlyTest.Worker.class);
            String before = jobs.poll() + ", " + (worker.isRunning() ? "running" : "stopped");
            context.getBean(LeaderElection.class).start("feed");
            eventually().until(() -> jobs.poll() != null && worker.isRunning());
            System.out.println("before: " + before + "; after: " + jobs.poll() + ", running; "
                    + context.getBean(LeaderElections.class)
                            .settings("feed")
                            .watchdogTimeout()
                            .toSeconds()
                    + " s, generated " + AotDetector.useGeneratedArtifacts());
        }
    }

    static class Jobs {

        @LeaderOnly("feed")
        String poll() {
            return LeaseContext.required().isHeld() ? "the lease" : "no lease";
        }
    }
}
