package io.github.lockstarter.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

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

    private static final DescribedPredicate<JavaClass> STATE_MACHINE = inEngine(
            "LocalLock|WaiterQueue|Waiter|Grant|Owner|Sent|Effect|Effects|GrantObserver|Refusal|Moment|Terms|Rules|Draws");

    /** The stores, and the model of one lock that the store in memory keeps. */
    private static final DescribedPredicate<JavaClass> STORE_IMPLEMENTATIONS = resideInAPackage(ROOT + ".store.redis..")
            .or(nameMatching("io\\.github\\.lockstarter\\.store\\.(InMemoryLockStore|LockTable|LockState)(\\$.*)?"));

    /** Matches classes of the engine by their simple names, a regular expression, with nested classes and arrays. */
    private static DescribedPredicate<JavaClass> inEngine(String names) {
        return nameMatching("(\\[+L)?io\\.github\\.lockstarter\\.engine\\.(" + names + ")(\\$[^;]*)?;?")
                .forSubtype();
    }

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
                    ROOT + ".metrics..",
                    ROOT + ".named..",
                    ROOT + ".store..");

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
    static final ArchRule keysShouldKnowTheApiAlone = noClasses()
            .that()
            .resideInAPackage(ROOT + ".key..")
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + ".*..").and(not(resideInAPackage(ROOT + ".key.."))));

    @ArchTest
    static final ArchRule keysShouldKeepTheirInsidesToThemselves = classes()
            .that()
            .resideInAPackage(ROOT + ".key..")
            .and()
            .areTopLevelClasses()
            .and(not(simpleName("StableText")
                    .or(simpleName("UnstableTextException"))
                    .or(simpleName("Expressions"))
                    .or(simpleName("KeyExpression"))
                    .or(simpleName("ConditionExpression"))
                    .or(simpleName("ExpressionSite"))
                    .or(simpleName("CallRoot"))))
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
    static final ArchRule storesShouldKnowTheApiAlone = noClasses()
            .that()
            .resideInAPackage(ROOT + ".store..")
            .should()
            .dependOnClassesThat(
                    resideInAPackage(ROOT + ".*..").and(not(resideInAnyPackage(ROOT + ".store..", ROOT + ".text.."))));

    /** Commands and replies belong to the interface of a store; the model of one lock does not. */
    @ArchTest
    static final ArchRule theEngineShouldKnowTheStoreByItsInterface = noClasses()
            .that()
            .resideInAPackage(ROOT + ".engine..")
            .should()
            .dependOnClassesThat(STORE_IMPLEMENTATIONS.or(resideInAnyPackage(ROOT + ".aop..", ROOT + ".metrics..")));

    /**
     * The state machine of a lock has no thread, no clock, no log and no I/O, so that a simulation can run it. It has the JDK's
     * collections, the commands and replies of a store, and values of the API.
     */
    @ArchTest
    static final ArchRule theStateMachineShouldBePure = classes()
            .that(STATE_MACHINE)
            .should()
            .onlyDependOnClassesThat(STATE_MACHINE
                    .or(resideInAnyPackage(
                            ROOT, "java.util", "java.util.function", "java.util.stream", "org.jspecify.."))
                    .or(resideInAPackage("java.lang..")
                            .and(not(nameMatching("java\\.lang\\.(Thread|System|Process).*"))))
                    .or(resideInAPackage(ROOT + ".store")
                            .and(not(STORE_IMPLEMENTATIONS))
                            .and(not(simpleName("LockStore")))));

    /** The engine reports through interfaces; what calls it is the registry's. */
    @ArchTest
    static final ArchRule theEngineShouldNotKnowTheRegistry = noClasses()
            .that(STATE_MACHINE.or(inEngine("Engine|Watchdog|TimingWheel|RunThreads")))
            .should()
            .dependOnClassesThat(
                    inEngine("Acquire\\w+|Acquisitions|Hold|Instances|Inventory|LeaseHandle|LeasingLockRegistry"
                            + "|OwnedLocks|Permits|Run|StoredLocks|ThreadHolds|ThreadOwnedLock"));

    /** The parts of a run get the collaborators that they use; nothing looks them up. OwnedLocks outlives the runs of its registry. */
    @ArchTest
    static final ArchRule onlyTheRegistryShouldKnowItsRun = classes()
            .that(inEngine("Run"))
            .should()
            .onlyHaveDependentClassesThat(inEngine("Run|LeasingLockRegistry|OwnedLocks"));

    @ArchTest
    static final ArchRule theEngineShouldKeepItsInsidesToItself = classes()
            .that()
            .resideInAPackage(ROOT + ".engine")
            .and()
            .areTopLevelClasses()
            .and(not(simpleName("AcquireObserver")
                    .or(simpleName("AcquisitionIds"))
                    .or(simpleName("HandOffSettings"))
                    .or(simpleName("LeaseClock"))
                    .or(simpleName("LeasingLockRegistry"))
                    .or(simpleName("LockSettings"))
                    .or(simpleName("MeterListener"))
                    .or(simpleName("RegistryStatistics"))
                    .or(simpleName("ReleaseMode"))))
            .should()
            .notBePublic();

    /** Woven methods call the aspect. */
    @ArchTest
    static final ArchRule theAspectShouldKeepItsInsidesToItself = classes()
            .that()
            .resideInAPackage(ROOT + ".aop")
            .and()
            .areTopLevelClasses()
            .and(not(simpleName("DistributedLockBeanPostProcessor")
                    .or(simpleName("DistributedLockAspect"))
                    .or(simpleName("LockNameListener"))))
            .should()
            .notBePublic();

    @ArchTest
    static final ArchRule theAspectShouldKnowNeitherEngineNorStores = noClasses()
            .that()
            .resideInAPackage(ROOT + ".aop..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ROOT + ".engine..", ROOT + ".store..", ROOT + ".metrics..");

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
            .and(not(simpleName("RedisLockStore").or(simpleName("RedisStoreSettings"))))
            .should()
            .notBePublic();

    @ArchTest
    static final ArchRule onlyTheRedisStoreShouldUseItsSubPackage = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".store.redis..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + ".store.redis.script..");

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
