package io.github.lockstarter.autoconfigure;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@AnalyzeClasses(packages = "io.github.lockstarter", importOptions = ArchitectureTest.ThisModule.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule autoConfigurationsArePublicAndFinal = classes()
            .that()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .bePublic()
            .andShould()
            .haveModifier(JavaModifier.FINAL);

    @ArchTest
    static final ArchRule otherConfigurationsArePackagePrivate =
            classes().that().areAnnotatedWith(Configuration.class).should().bePackagePrivate();

    @ArchTest
    static final ArchRule beanMethodsArePackagePrivate =
            methods().that().areAnnotatedWith(Bean.class).should().bePackagePrivate();

    @ArchTest
    static final ArchRule beansAreCalledLikeUs =
            methods().that().areAnnotatedWith(Bean.class).should().haveNameStartingWith("distributedLock");

    @ArchTest
    static final ArchRule postProcessorsAreStatic = methods()
            .that()
            .areAnnotatedWith(Bean.class)
            .and()
            .haveRawReturnType(DescribedPredicate.describe(
                    "bean post-processors", type -> type.isAssignableTo(BeanPostProcessor.class)))
            .should()
            .beStatic();

    @ArchTest
    static final ArchRule classConditionsStandOnClasses =
            noMethods().should().beAnnotatedWith(ConditionalOnClass.class);

    @ArchTest
    static final ArchRule propertiesAreRecords = classes()
            .that()
            .areAnnotatedWith(ConfigurationProperties.class)
            .should()
            .beRecords();

    /** A package of core in this module would see what core keeps to itself. */
    @ArchTest
    static final ArchRule everythingIsInPackagesOfOurOwn =
            classes().should().resideInAPackage("io.github.lockstarter.autoconfigure..");

    @ArchTest
    static final ArchRule onlyMetersAndObservationsKnowMicrometer = noClasses()
            .that()
            .areNotAssignableTo(DistributedLockMetricsAutoConfiguration.class)
            .and()
            .areNotAssignableTo(DistributedLockObservationAutoConfiguration.class)
            .and()
            .doNotHaveFullyQualifiedName(
                    DistributedLockObservationAutoConfiguration.TimedOnceConfiguration.class.getName())
            .and()
            .areNotAssignableTo(ObservationHandlers.class)
            .should()
            .dependOnClassesThat(resideInAPackage("io.micrometer.."));

    @ArchTest
    static final ArchRule noTypeThatMovedWithSpringBoot4 = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.springframework.boot.data.redis..",
                    "org.springframework.boot.autoconfigure.data.redis..",
                    "org.springframework.boot.micrometer..",
                    "org.springframework.boot.actuate.autoconfigure.metrics..",
                    "org.springframework.boot.env..");

    @ArchTest
    static final ArchRule onlyHealthKnowsItsTypesWhichMovedToo = noClasses()
            .that()
            .areNotAssignableTo(DistributedLockHealthAutoConfiguration.class)
            .and()
            .areNotAssignableTo(LockHealthIndicator.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.springframework.boot.health..",
                    "org.springframework.boot.actuate.health..",
                    "org.springframework.boot.actuate.autoconfigure.health..");

    static final class ThisModule implements ImportOption {

        private static final String CLASSES = DistributedLockAutoConfiguration.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();

        @Override
        public boolean includes(Location location) {
            return location.contains(CLASSES);
        }
    }
}
