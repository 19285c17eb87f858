package io.github.lockstarter.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.LocationProvider;
import com.tngtech.archunit.lang.ArchRule;
import io.github.lockstarter.LockRegistry;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;

/** The permitted dependencies between the packages of core, as in ARCHITECTURE.md. */
@AnalyzeClasses(locations = ArchitectureTest.MainCode.class)
class ArchitectureTest {

    /** The module's own classes: neither its tests nor what helps them. */
    static final class MainCode implements LocationProvider {
        @Override
        public Set<Location> get(Class<?> testClass) {
            return Set.of(Location.of(
                    LockRegistry.class.getProtectionDomain().getCodeSource().getLocation()));
        }
    }

    private static final String ROOT = "io.github.lockstarter";

    @ArchTest
    static final ArchRule coreShouldNotKnowBoot =
            noClasses().should().dependOnClassesThat().resideInAPackage("org.springframework.boot..");

    @ArchTest
    static final ArchRule onlyMetricsShouldKnowMicrometer = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".metrics..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.micrometer..");

    @ArchTest
    static final ArchRule onlyTheRedisStoreShouldKnowRedis = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".store.redis..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.data..", "io.lettuce..", "io.netty..", "redis..");

    @ArchTest
    static final ArchRule packagesShouldHaveNoCycles =
            slices().matching("io.github.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule theApiShouldKnowNoneOfTheOthers = noClasses()
            .that()
            .resideInAPackage(ROOT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    ROOT + ".aop..",
                    ROOT + ".engine..",
                    ROOT + ".key..",
                    ROOT + ".lease..",
                    ROOT + ".named..",
                    ROOT + ".store..",
                    ROOT + ".metrics..");

    /** Annotated methods and the registry use them alike. */
    @ArchTest
    static final ArchRule settingsByNameShouldKnowTheApiAlone = noClasses()
            .that()
            .resideInAPackage(ROOT + ".named..")
            .should()
            .dependOnClassesThat(
                    resideInAPackage(ROOT + ".*..").and(not(resideInAnyPackage(ROOT + ".named..", ROOT + ".text.."))));

    /** Annotated methods and the adapters use it alike. */
    @ArchTest
    static final ArchRule textsOfKeysShouldKnowNothingOfLocks = noClasses()
            .that()
            .resideInAPackage(ROOT + ".key..")
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + "..").and(not(resideInAPackage(ROOT + ".key.."))));

    @ArchTest
    static final ArchRule textsOfKeysShouldKeepTheirInsidesToThemselves = classes()
            .that()
            .resideInAPackage(ROOT + ".key..")
            .and()
            .areTopLevelClasses()
            .and(not(simpleName("StableText").or(simpleName("UnstableTextException"))))
            .should()
            .notBePublic();

    @ArchTest
    static final ArchRule textsOfMessagesShouldKnowNothingOfLocks = noClasses()
            .that()
            .resideInAPackage(ROOT + ".text..")
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + "..").and(not(resideInAPackage(ROOT + ".text.."))));

    /** Its lines are printable, whatever is in them. MessageRulesTest holds the other modules to it. */
    @ArchTest
    static final ArchRule onlyLockLogShouldLog = noClasses()
            .that()
            .doNotHaveSimpleName("LockLog")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.commons.logging..", "org.slf4j..", "java.util.logging..");

    @ArchTest
    static final ArchRule leasesShouldKnowTheStoreByItsInterface = noClasses()
            .that()
            .resideInAPackage(ROOT + ".lease..")
            .should()
            .dependOnClassesThat(simpleName("InMemoryLockStore")
                    .or(resideInAnyPackage(ROOT + ".store.redis..", ROOT + ".aop..", ROOT + ".metrics..")));

    @ArchTest
    static final ArchRule storesShouldKnowTheApiAlone = noClasses()
            .that()
            .resideInAPackage(ROOT + ".store..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ROOT + ".engine..", ROOT + ".lease..", ROOT + ".aop..", ROOT + ".metrics..");

    @ArchTest
    static final ArchRule theEngineShouldKnowTheStoreByItsInterface = noClasses()
            .that()
            .resideInAPackage(ROOT + ".engine..")
            .should()
            .dependOnClassesThat(simpleName("MemoryStore")
                    .or(resideInAnyPackage(ROOT + ".store.redis..", ROOT + ".aop..", ROOT + ".metrics..")));

    /** The state machine of a lock has no thread, no clock and no I/O, so that a simulation can run it. */
    @ArchTest
    static final ArchRule theStateMachineShouldBePure = noClasses()
            .that()
            .haveNameMatching("io\\.github\\.lockstarter\\.engine\\.(LocalLock.*|WaiterQueue|Grant|Moment|Terms|Rules)")
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("java.util.concurrent..", "java.time..", "org.springframework..", "org.slf4j..")
                            .or(simpleName("Thread"))
                            .or(simpleName("System")));

    /** The way of a lock; a lower package reports upwards through interfaces that it declares. */
    @ArchTest
    static final ArchRule leasesShouldDependInOneDirection = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage(ROOT + ".lease..")
            .layer("registry")
            .definedBy(ROOT + ".lease")
            .layer("acquire")
            .definedBy(ROOT + ".lease.acquire")
            .layer("release")
            .definedBy(ROOT + ".lease.release")
            .layer("holder")
            .definedBy(ROOT + ".lease.holder")
            .layer("queue")
            .definedBy(ROOT + ".lease.queue")
            .layer("grant")
            .definedBy(ROOT + ".lease.grant")
            .layer("event")
            .definedBy(ROOT + ".lease.event")
            .layer("settings")
            .definedBy(ROOT + ".lease.settings")
            .layer("support")
            .definedBy(ROOT + ".lease.support")
            .whereLayer("registry")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("acquire")
            .mayOnlyBeAccessedByLayers("registry")
            .whereLayer("release")
            .mayOnlyBeAccessedByLayers("registry", "acquire")
            .whereLayer("holder")
            .mayOnlyBeAccessedByLayers("registry", "acquire")
            .whereLayer("queue")
            .mayOnlyBeAccessedByLayers("registry", "acquire", "release")
            .whereLayer("grant")
            .mayOnlyBeAccessedByLayers("registry", "acquire", "release")
            .whereLayer("event")
            .mayOnlyBeAccessedByLayers("registry", "grant")
            .whereLayer("settings")
            .mayOnlyBeAccessedByLayers("registry", "acquire", "release", "grant")
            .whereLayer("support")
            .mayOnlyBeAccessedByLayers("registry", "acquire", "release", "holder", "queue", "grant", "event");

    /** Parts get the collaborators that they use; nothing looks them up. */
    @ArchTest
    static final ArchRule onlyTheRegistryShouldKnowItsRun = classes()
            .that()
            .haveSimpleName("RegistryRun")
            .should()
            .onlyHaveDependentClassesThat()
            .haveNameMatching(".*\\.lease\\.(RegistryRun|LeasingLockRegistry)(\\$.*)?");

    /** The sub-packages are internal, see package-info: they share classes among themselves. */
    @ArchTest
    static final ArchRule theAspectShouldKeepItsInsidesToItself = classes()
            .that()
            .resideInAPackage(ROOT + ".aop")
            .and()
            .areTopLevelClasses()
            .and(not(simpleName("DistributedLockBeanPostProcessor").or(simpleName("LockNameListener"))))
            .should()
            .notBePublic();

    /** A layer is accessed by those above it; each of them may use the API and what is internal to all of core. */
    @ArchTest
    static final ArchRule thePackagesOfTheAspectShouldPointOneWay = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("aop")
            .definedBy(ROOT + ".aop")
            .layer("weave")
            .definedBy(ROOT + ".aop.weave")
            .layer("call")
            .definedBy(ROOT + ".aop.call")
            .layer("metadata")
            .definedBy(ROOT + ".aop.metadata")
            .layer("key")
            .definedBy(ROOT + ".aop.key")
            .whereLayer("aop")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("weave")
            .mayOnlyBeAccessedByLayers("aop")
            .whereLayer("call")
            .mayOnlyBeAccessedByLayers("aop", "weave")
            .whereLayer("metadata")
            .mayOnlyBeAccessedByLayers("aop", "weave", "call");

    @ArchTest
    static final ArchRule theAspectShouldKnowNeitherLeasesNorStores = noClasses()
            .that()
            .resideInAPackage(ROOT + ".aop..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ROOT + ".lease..", ROOT + ".store..", ROOT + ".metrics..");

    @ArchTest
    static final ArchRule metricsShouldKeepTheirInsidesToThemselves = classes()
            .that()
            .resideInAPackage(ROOT + ".metrics..")
            .and()
            .areTopLevelClasses()
            .and(not(simpleName("MicrometerLockListener")
                    .or(simpleName("LockGauges"))
                    .or(simpleName("AcquisitionObservations"))
                    .or(simpleName("AcquisitionsAreTimed"))
                    .or(simpleName("LockAcquisitionConvention"))
                    .or(simpleName("LockAcquisitionContext"))
                    .or(simpleName("LockObservation"))))
            .should()
            .notBePublic();

    @ArchTest
    static final ArchRule theRedisStoreShouldKeepItsInsidesToItself = classes()
            .that()
            .resideInAPackage(ROOT + ".store.redis")
            .and()
            .areTopLevelClasses()
            .and(not(simpleName("RedisLockStore")
                    .or(simpleName("RedisCommandStore"))
                    .or(simpleName("RedisStoreSettings"))))
            .should()
            .notBePublic();

    @ArchTest
    static final ArchRule onlyTheRedisStoreShouldUseItsSubPackages = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".store.redis..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    ROOT + ".store.redis.connection..", ROOT + ".store.redis.error..", ROOT + ".store.redis.script..");

    @ArchTest
    static final ArchRule nothingShouldSleep = noClasses()
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Thread.class, "sleep", long.class, int.class)
            .orShould()
            .callMethod(TimeUnit.class, "sleep", long.class);

    /** A virtual thread that waits in one holds on to its carrier. */
    @ArchTest
    static final ArchRule nothingShouldBeSynchronized = methods().should().notHaveModifier(JavaModifier.SYNCHRONIZED);

    @ArchTest
    static final ArchRule nothingShouldPrint =
            noClasses().should().accessField(System.class, "out").orShould().accessField(System.class, "err");

    @ArchTest
    static final ArchRule packagesShouldBeNullMarked =
            classes().that().haveSimpleName("package-info").should().beAnnotatedWith(NullMarked.class);
}
