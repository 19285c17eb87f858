package io.github.lockstarter.aop.woven;

import io.github.lockstarter.DistributedLock;
import org.springframework.beans.factory.InitializingBean;

/** An annotated class, whose public methods all have the lock, and which calls one of them during initialization. */
@DistributedLock(name = "invoices")
class Invoices implements InitializingBean {

    private final Keys keys;

    Invoices(Keys keys) {
        this.keys = keys;
    }

    @Override
    public void afterPropertiesSet() {
        this.keys.say("prepared " + this.keys);
    }

    public String print() {
        return this.keys + ", copied " + copy();
    }

    public String copy() {
        return this.keys.toString();
    }

    String draft() {
        return this.keys.toString();
    }

    String draftOfCopy() {
        return copy();
    }

    @Override
    public String toString() {
        return this.keys.toString();
    }
}
