package io.github.lockstarter.leader;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

/** Registers the guarded methods for reflection: a native image would not find their annotations, and run them. */
final class LeaderHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        LeaderSite site = LeaderSite.of(bean.getBeanClass());
        return site.methods().isEmpty()
                ? null
                : (generation, code) -> site.methods()
                        .keySet()
                        .forEach(method -> generation
                                .getRuntimeHints()
                                .reflection()
                                .registerMethod(method, ExecutableMode.INVOKE));
    }
}
