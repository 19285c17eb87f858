package io.github.lockstarter.aop.key;

import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.support.StandardTypeConverter;

/** Makes {@code 'order:' + #order} as strict as {@code #order}: joined parts go through {@link KeyText} as well. */
final class KeyConverter implements TypeConverter {

    private final TypeConverter delegate = new StandardTypeConverter();

    @Override
    public boolean canConvert(@Nullable TypeDescriptor sourceType, TypeDescriptor targetType) {
        return targetType.getType() == String.class || this.delegate.canConvert(sourceType, targetType);
    }

    @Override
    public @Nullable Object convertValue(
            @Nullable Object value, @Nullable TypeDescriptor sourceType, TypeDescriptor targetType) {
        return value != null && targetType.getType() == String.class
                ? KeyText.ofPart(value)
                : this.delegate.convertValue(value, sourceType, targetType);
    }
}
