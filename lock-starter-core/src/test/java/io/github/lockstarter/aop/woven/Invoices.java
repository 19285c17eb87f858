package io.github.lockstarter.aop.woven;

import io.github.lockstarter.DistributedLock;
import org.springframework.beans.factory.InitializingBean;

/** An annotated class, whose public methods all have the lock, and which calls one of them during initialization. */
@DistributedLock(name = "invoices")
class Invoices implements InitializingBean {

    @Override
    public void afterPropertiesSet() {
        WovenWorker.print("prepared " + WovenWorker.keys());
    }

    public String print() {
        return WovenWorker.keys() + ", copied " + copy();
    }

    public String copy() {
        return WovenWorker.keys();
    }

    String draft() {
        return WovenWorker.keys();
    }

    String draftOfCopy() {
        return copy();
    }

    @Override
    public String toString() {
        return WovenWorker.keys();
    }
}
