package io.github.lockstarter.docstests.fences;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Each fence has one of the languages that are checked; JSON from which nothing is left out is well-formed. */
public final class Languages implements ManualCheck {

    private static final Set<String> CHECKED =
            Set.of("java", "kotlin", "xml", "yaml", "properties", "sh", "lua", "text", "sql", "promql", "json");

    @Override
    public List<Problem> check(Manual manual) {
        List<Problem> problems = new ArrayList<>();
        for (Page page : manual.pages()) {
            for (Fence fence : page.fences()) {
                if (!CHECKED.contains(fence.language())) {
                    problems.add(Problem.at(page, fence.line(), "'" + fence.language() + "' is none of " + CHECKED));
                }
                if (fence.isOf("json") && !fence.text().contains("…")) {
                    parse(page, fence, problems);
                }
            }
        }
        return problems;
    }

    private static void parse(Page page, Fence fence, List<Problem> problems) {
        try {
            JsonMapper.builder().build().readTree(fence.text());
        } catch (JacksonException ex) {
            problems.add(Problem.at(page, fence.line(), ex.getOriginalMessage()));
        }
    }
}
