package io.github.lockstarter.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.LocationProvider;
import com.tngtech.archunit.lang.ArchRule;
import io.github.lockstarter.LockRegistry;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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

    /** The stores, and the model of one lock that the store in memory keeps. */
    private static final DescribedPredicate<JavaClass> STORE_IMPLEMENTATIONS = resideInAPackage(ROOT + ".store.redis..")
            .or(nameMatching("io\\.github\\.lockstarter\\.store\\.(InMemoryLockStore|LockTable|LockState)(\\$.*)?"));

    /** The package has these public top-level classes, a regular expression, and no others. */
    private static ArchRule onlyPublic(String ofPackage, String names) {
        return classes()
                .that()
                .resideInAPackage(ROOT + ofPackage)
                .and()
                .areTopLevelClasses()
                .and(not(nameMatching(".*\\.(" + names + ")")))
                .should()
                .notBePublic();
    }

    /** No other package depends on those. */
    private static ArchRule onlyIn(String ofPackage, String... targets) {
        return noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ofPackage)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(targets);
    }

    private static ArchRule notIn(String packages, String... targets) {
        return noClasses()
                .that()
                .resideInAPackage(packages)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(targets);
    }

    /** Besides the API, the package depends on these of core. */
    private static ArchRule knowsOnly(String ofPackage, String... packages) {
        String[] allowed = Stream.of(packages).map(each -> ROOT + each).toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(ROOT + ofPackage)
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + ".*..").and(not(resideInAnyPackage(allowed))));
    }

    @ArchTest
    static final ArchRule coreShouldNotKnowBoot =
            noClasses().should().dependOnClassesThat().resideInAPackage("org.springframework.boot..");

    @ArchTest
    static final ArchRule onlyMetricsShouldKnowMicrometer = onlyIn(".metrics..", "io.micrometer..");

    @ArchTest
    static final ArchRule onlyTheRedisStoreShouldKnowRedis =
            onlyIn(".store.redis..", "org.springframework.data..", "io.lettuce..", "io.netty..", "redis..");

    @ArchTest
    static final ArchRule theApiShouldKnowNoneOfTheOthers = notIn(
            ROOT,
            ROOT + ".aop..",
            ROOT + ".engine..",
            ROOT + ".key..",
            ROOT + ".lock..",
            ROOT + ".metrics..",
            ROOT + ".named..",
            ROOT + ".registry..",
            ROOT + ".store..");

    /** Annotated methods and the registry use them alike. */
    @ArchTest
    static final ArchRule settingsByNameShouldKnowTheApiAlone = knowsOnly(".named..", ".named..", ".text..");

    /** Annotated methods and the adapters use it alike. */
    @ArchTest
    static final ArchRule keysShouldKnowTheApiAlone = knowsOnly(".key..", ".key..");

    @ArchTest
    static final ArchRule keysShouldKeepTheirInsidesToThemselves = onlyPublic(
            ".key..",
            "StableText|UnstableTextException|Expressions|CallExpression|DeferredTypes|ExpressionSite|CallRoot");

    @ArchTest
    static final ArchRule textsOfMessagesShouldKnowNothingOfLocks = noClasses()
            .that()
            .resideInAPackage(ROOT + ".text..")
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + "..").and(not(resideInAPackage(ROOT + ".text.."))));

    @ArchTest
    static final ArchRule storesShouldKnowTheApiAlone = knowsOnly(".store..", ".store..", ".text..");

    /** Commands and replies belong to the interface of a store; the model of one lock does not. */
    @ArchTest
    static final ArchRule locksShouldKnowTheStoreByItsInterface = noClasses()
            .that()
            .resideInAnyPackage(ROOT + ".lock..", ROOT + ".engine..", ROOT + ".registry..")
            .should()
            .dependOnClassesThat(STORE_IMPLEMENTATIONS.or(resideInAnyPackage(ROOT + ".aop..", ROOT + ".metrics..")));

    /**
     * The state machine of a lock has no thread, no clock, no log and no I/O, so that a simulation can run it. It has
     * the JDK's collections, the commands and replies of a store, and values of the API.
     */
    @ArchTest
    static final ArchRule theStateMachineShouldBePure = classes()
            .that()
            .resideInAPackage(ROOT + ".lock..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                            ROOT,
                            ROOT + ".lock",
                            "java.util",
                            "java.util.function",
                            "java.util.stream",
                            "org.jspecify..")
                    .or(nameMatching("java\\.util\\.concurrent\\.ConcurrentLinkedQueue"))
                    .or(resideInAPackage("java.lang..")
                            .and(not(nameMatching("java\\.lang\\.(Thread|System|Process).*"))))
                    .or(resideInAPackage(ROOT + ".store")
                            .and(not(STORE_IMPLEMENTATIONS))
                            .and(not(simpleName("LockStore")))));

    /** The engine reports through interfaces; what calls it is the registry's. */
    @ArchTest
    static final ArchRule theEngineShouldKnowLocksAndStores =
            knowsOnly(".engine..", ".engine..", ".lock..", ".store..", ".text..");

    @ArchTest
    static final ArchRule onlyTheRegistryShouldKnowTheEngineAndItsLocks = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + ".lock..", ROOT + ".engine..", ROOT + ".registry..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ROOT + ".lock..", ROOT + ".engine..");

    /**
     * The parts of a run get the collaborators that they use; nothing looks them up. OwnedLocks outlives the runs of
     * its registry.
     */
    @ArchTest
    static final ArchRule onlyTheRegistryShouldKnowItsRun = classes()
            .that(nameMatching(ROOT.replace(".", "\\.") + "\\.registry\\.Run"))
            .should()
            .onlyHaveDependentClassesThat(nameMatching(".*\\.registry\\.(Run|LeasingLockRegistry|OwnedLocks)(\\$.*)?"));

    @ArchTest
    static final ArchRule theRegistryShouldKeepItsInsidesToItself = onlyPublic(
            ".registry",
            "AcquireObserver|Attempt(s|ingRegistry)|GrantFence|HandOffSettings|LeasingLockRegistry|LockSequence|LockSettings"
                    + "|MeterListener|RegistryStatistics|ReleaseMode");

    /** Woven methods call the aspect, and extensions guard methods by the same rules. */
    @ArchTest
    static final ArchRule theAspectShouldKeepItsInsidesToItself = onlyPublic(
            ".aop",
            "DistributedLockBeanPostProcessor|DistributedLockAspect|LockNameListener"
                    + "|GuardedMethod|GuardingBeanPostProcessor|LockSite|ResultKind");

    /** It acquires through the API. Several locks of one call have one order, whoever acquires them. */
    @ArchTest
    static final ArchRule theAspectShouldKnowNeitherRegistryNorStores = noClasses()
            .that()
            .resideInAPackage(ROOT + ".aop..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(ROOT + ".registry..", ROOT + ".store..", ROOT + ".metrics..")
                    .and(not(simpleName("LockSequence"))));

    @ArchTest
    static final ArchRule metricsShouldKeepTheirInsidesToThemselves = onlyPublic(
            ".metrics..",
            "MicrometerLockListener|LockGauges|AcquisitionObservations|AcquisitionsAreTimed|LockAcquisitionConvention"
                    + "|LockAcquisitionContext|LockObservation");

    @ArchTest
    static final ArchRule theRedisStoreShouldKeepItsInsidesToItself =
            onlyPublic(".store.redis", "RedisLockStore|RedisStoreSettings");

    @ArchTest
    static final ArchRule onlyTheRedisStoreShouldUseItsSubPackage =
            onlyIn(".store.redis..", ROOT + ".store.redis.script..");

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
