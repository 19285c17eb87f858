package io.github.lockstarter.docstests.fences;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.docstests.project.Sources;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.DefaultHandler;

/** XML is well-formed, and artifacts of this project are modules, in the version that is released next. */
public final class XmlFences implements ManualCheck {

    private static final String GROUP = "io.github.lockstarter";

    private static final Pattern VERSION =
            Pattern.compile("<artifactId>lock-starter-bom</artifactId>\\s*<version>([^<]+)</version>");

    @Override
    public List<Problem> check(Manual manual) {
        List<Problem> problems = new ArrayList<>();
        for (Page page : manual.pages()) {
            for (Fence fence : page.fences("xml")) {
                try {
                    check(manual.root(), page, fence, problems);
                } catch (SAXException ex) {
                    problems.add(Problem.at(page, fence.pageLine(lineOf(ex)), String.valueOf(ex.getMessage())));
                }
            }
        }
        return problems;
    }

    private static void check(Path root, Page page, Fence fence, List<Problem> problems) throws SAXException {
        Set<String> modules = Modules.of(root);
        NodeList groups = parse(fence.text()).getElementsByTagName("groupId");
        for (int i = 0; i < groups.getLength(); i++) {
            Element artifact = (Element) groups.item(i).getParentNode();
            String name = text(artifact, "artifactId");
            boolean ours = groups.item(i).getTextContent().equals(GROUP);
            if (!ours && name.startsWith("lock-starter")) {
                problems.add(Problem.at(page, fence.pageLineOf(name), name + " is an artifact of " + GROUP));
            }
            if (ours) {
                if (!modules.contains(name)) {
                    problems.add(Problem.at(page, fence.pageLineOf(name), "there is no module " + name));
                }
                String version = text(artifact, "version");
                if (!version.isEmpty() && !version.equals(version(root))) {
                    problems.add(Problem.at(
                            page, fence.pageLineOf(version), "the version is " + version(root) + ", not " + version));
                }
            }
        }
    }

    private static int lineOf(SAXException problem) {
        return problem instanceof SAXParseException parse ? Math.max(0, parse.getLineNumber() - 1) : 0;
    }

    private static String version(Path root) {
        return VERSION.matcher(Sources.text(root.resolve("pom.xml")))
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow()
                .replace("-SNAPSHOT", "");
    }

    private static String text(Element artifact, String tag) {
        NodeList found = artifact.getElementsByTagName(tag);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent();
    }

    private static Document parse(String xml) throws SAXException {
        try {
            var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
            builder.setErrorHandler(new DefaultHandler());
            return builder.parse(new InputSource(new StringReader("<fence>" + xml + "</fence>")));
        } catch (IOException | ParserConfigurationException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
