package io.github.lockstarter.key;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Searches the text of a value, the components of records and the elements of collections for parts whose text differs
 * between JVMs. A component counts only if the text of its record contains its text: a record whose {@code toString}
 * prints its id only has a stable text, whatever its other components are. For one check; not thread-safe.
 */
final class PartsCheck {

    /** The values that contain the one being checked, which are not checked again inside of themselves. */
    private final List<Object> around = new ArrayList<>();

    /** Whether the text may contain an identity hash; otherwise no text of a part does. */
    private final boolean mayHaveHash;

    private PartsCheck(String text) {
        this.mayHaveHash = text.indexOf('@') >= 0;
    }

    /**
     * Returns the first part whose text differs between JVMs; null if there is none.
     *
     * @param text the text of the value
     * @param inside whether the value itself is part of a longer text
     */
    static @Nullable UnstablePart find(Object value, String text, boolean inside) {
        PartsCheck check = new PartsCheck(text);
        return inside || TextKind.of(value.getClass()) == TextKind.ENTRY ? check.inside(value) : check.ownText(value);
    }

    private @Nullable UnstablePart inside(@Nullable Object part) {
        if (part == null || part instanceof String || isAround(part)) {
            return null;
        }
        TextKind kind = TextKind.of(part.getClass());
        String reason = kind.reasonInside();
        if (reason != null) {
            return UnstablePart.whole(part, reason);
        }
        if (kind == TextKind.STABLE) {
            return null;
        }
        this.around.add(part);
        UnstablePart found = insideOf(part, kind);
        this.around.remove(this.around.size() - 1);
        return found;
    }

    private @Nullable UnstablePart insideOf(Object part, TextKind kind) {
        return switch (kind) {
            case ORDERED -> elements((Iterable<?>) part, "");
            case SORTED_MAP -> map((Map<?, ?>) part);
            case ENTRY -> entry((Map.Entry<?, ?>) part);
            case OPTIONAL -> part instanceof Optional<?> optional ? inside(optional.orElse(null)) : null;
            default -> ownText(part);
        };
    }

    private @Nullable UnstablePart elements(Iterable<?> elements, String name) {
        int index = 0;
        for (Object element : elements) {
            UnstablePart found = inside(element);
            if (found != null) {
                return found.at(name + '[' + index + ']');
            }
            index++;
        }
        return null;
    }

    private @Nullable UnstablePart map(Map<?, ?> map) {
        UnstablePart found = elements(map.keySet(), ".keys");
        return found != null ? found : elements(map.values(), ".values");
    }

    private @Nullable UnstablePart entry(Map.Entry<?, ?> entry) {
        UnstablePart found = inside(entry.getKey());
        if (found != null) {
            return found.at(".key");
        }
        found = inside(entry.getValue());
        return found != null ? found.at(".value") : null;
    }

    private @Nullable UnstablePart ownText(Object value) {
        List<RecordComponentValue> components = RecordComponentValue.of(value);
        for (RecordComponentValue component : components) {
            UnstablePart found = inside(component.value());
            if (found != null && value.toString().contains(String.valueOf(component.value()))) {
                return found.at('.' + component.name());
            }
        }
        return this.mayHaveHash ? hash(value, components) : null;
    }

    private static @Nullable UnstablePart hash(Object value, List<RecordComponentValue> components) {
        String text = String.valueOf(value);
        String own = '@' + Integer.toHexString(System.identityHashCode(value));
        String rest = text;
        for (RecordComponentValue component : components) {
            String checked = String.valueOf(component.value());
            // A component may be an address such as user@cafe, which only looks like a hash.
            rest = checked.indexOf('@') >= 0 ? rest.replace(checked, "") : rest;
        }
        String found = rest.contains(own) ? own : IdentityHash.firstIn(rest);
        return found != null ? UnstablePart.whole(value, TextKind.containing(found)) : null;
    }

    private boolean isAround(Object part) {
        for (Object outer : this.around) {
            if (outer == part) {
                return true;
            }
        }
        return false;
    }
}
