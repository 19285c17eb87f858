// The pages of the site, and where a link on one of them leads. Each page is a Markdown file of the repository. The generator
// needs them in folders by language, so that it reads copies in target/pages, which are written at each start.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const site = path.dirname(fileURLToPath(import.meta.url))
export const root = path.dirname(site)
export const pagesDirectory = path.join(site, 'target/pages')
export const outputDirectory = path.join(site, 'target/site')
export const apiDirectory = path.join(site, 'target/api')

/** The address of the repository, without a slash at the end; if it is empty, the site contains the files that it links to. */
const repository = (process.env.SITE_REPOSITORY ?? '').replace(/\/+$/, '')
/** The commit, tag or branch from which the site is built. */
const ref = process.env.SITE_REF || 'main'

export const version = fs
    .readFileSync(path.join(root, 'extensions/lock-starter-bom/pom.xml'), 'utf8')
    .match(/^ {2}<version>(.*)<\/version>/m)[1]

const CHINESE = 'zh-CN'

/** From the path of a page below target/pages to {@code source}, a path in the repository, and {@code translated}. */
const pages = new Map()
/** From a path in the repository to the pages of it, by language. */
const pagesOf = new Map()
/** Files and directories of the repository that a page links to and that are no pages. */
const linkedSources = new Set()

function markdownFiles(directory, depth) {
    return fs.readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry) => {
        const file = path.posix.join(directory, entry.name)
        if (entry.isDirectory()) {
            return depth > 1 ? markdownFiles(file, depth - 1) : []
        }
        return file.endsWith('.md') ? [file] : []
    })
}

function sources() {
    return [
        ...markdownFiles('.', 1),
        ...markdownFiles('docs', 9),
        'lock-starter-sample/README.md',
        'spec/README.md',
        ...markdownFiles('internal/lock-starter-benchmarks', 1),
    ]
}

function add(source, language, page, translated = true) {
    pages.set(page, { source, language, translated })
    pagesOf.set(source, { ...pagesOf.get(source), [language]: page })
}

/** Writes the copies of all pages. Those without a Chinese version are shown in English, in the Chinese part as well. */
export function writePages() {
    pages.clear()
    pagesOf.clear()
    const english = []
    for (const source of sources()) {
        const index = (file) => file.replace(/(^|\/)README\.md$/, '$1index.md')
        if (source === `README.${CHINESE}.md`) {
            add(source, CHINESE, `${CHINESE}/index.md`)
        } else if (source.startsWith(`docs/${CHINESE}/`)) {
            add(source, CHINESE, `${CHINESE}/docs/${index(source.slice(`docs/${CHINESE}/`.length))}`)
        } else {
            add(source, 'en', index(source))
            english.push(source)
        }
    }
    for (const source of english) {
        const page = `${CHINESE}/${pagesOf.get(source).en}`
        if (!pages.has(page)) {
            add(source, CHINESE, page, false)
        }
    }
    fs.rmSync(pagesDirectory, { recursive: true, force: true })
    for (const [page, { source }] of pages) {
        copy(path.join(root, source), path.join(pagesDirectory, page))
    }
    if (fs.existsSync(apiDirectory)) {
        fs.cpSync(apiDirectory, path.join(pagesDirectory, 'public/api'), { recursive: true })
    }
}

function copy(from, to) {
    fs.mkdirSync(path.dirname(to), { recursive: true })
    fs.copyFileSync(from, to)
}

/** Returns the modules whose Javadoc is part of the site. */
export function apiModules() {
    return fs.existsSync(apiDirectory) ? fs.readdirSync(apiDirectory).sort() : []
}

/** Returns what is known about a page, by its path below target/pages. */
export function pageAt(page) {
    return pages.get(page)
}

function addressOf(page) {
    return '/' + page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')
}

/**
 * Returns where a link of a page leads, as {@code href} and {@code page}, whether it is a page of the site.
 * Throws if the file does not exist.
 */
export function resolve(page, link) {
    const { source, language } = pages.get(page)
    const [, file, hash] = link.match(/^([^#]*)(#.*)?$/)
    if (file === '') {
        return { href: link, page: true }
    }
    let target = path.posix.join(path.posix.dirname(source), decodeURI(file))
    if (!target.endsWith('.md') && fs.existsSync(path.join(root, target, 'README.md'))) {
        target = path.posix.join(target, 'README.md')
    }
    const candidates = pagesOf.get(target)
    if (candidates) {
        return { href: addressOf(candidates[language] ?? Object.values(candidates)[0]) + (hash ?? ''), page: true }
    }
    if (!fs.existsSync(path.join(root, target))) {
        throw new Error(`${source} links to ${link}, which does not exist`)
    }
    return { href: sourceOf(target), page: false }
}

/** Returns the address of a file of the repository as it is. */
export function sourceOf(file) {
    const plain = file.replace(/\/$/, '')
    if (repository) {
        const kind = fs.statSync(path.join(root, plain)).isDirectory() ? 'tree' : 'blob'
        return `${repository}/${kind}/${encodeURI(ref)}/${encodeURI(plain)}`
    }
    linkedSources.add(plain)
    return `/source/${encodeURI(plain)}.html`
}

/** Adds an image of the repository to the site, and returns its address. */
export function imageOf(page, link) {
    const target = path.posix.join(path.posix.dirname(pages.get(page).source), decodeURI(link))
    copy(path.join(root, target), path.join(pagesDirectory, 'public', target))
    return `/${target}`
}

/** Returns the sections of the index of all pages, with their links: the navigation of a language. */
export function sections(language) {
    const page = language === CHINESE ? `${CHINESE}/docs/index.md` : 'docs/index.md'
    const found = []
    for (const line of fs.readFileSync(path.join(root, pages.get(page).source), 'utf8').split('\n')) {
        const heading = line.match(/^## (.*)/)
        if (heading) {
            found.push({ text: heading[1], items: [] })
        }
        const cell = line.match(/^\| (\[.*?) \|/)
        for (const [, text, link] of cell ? cell[1].matchAll(/\[(.+?)\]\((.+?)\)/g) : []) {
            found.at(-1).items.push({ text, link: resolve(page, link).href })
        }
    }
    return found.filter((section) => section.items.length > 0)
}

/** Writes pages with the files of the repository that the pages link to, if there is no address of a repository. */
export function writeSources(base) {
    const written = new Set()
    const write = (file) => {
        if (written.has(file)) {
            return
        }
        written.add(file)
        const absolute = path.join(root, file)
        let content
        if (fs.statSync(absolute).isDirectory()) {
            const entries = fs.readdirSync(absolute).filter((name) => !name.startsWith('.') && name !== 'target')
            const links = entries.sort().map((name) => {
                write(path.posix.join(file, name))
                return `<li><a href="${base}source/${encodeURI(path.posix.join(file, name))}.html">${escape(name)}</a></li>`
            })
            content = `<ul>\n${links.join('\n')}\n</ul>`
        } else {
            content = `<pre tabindex="0">${escape(fs.readFileSync(absolute, 'utf8'))}</pre>`
        }
        const page = path.join(outputDirectory, 'source', `${file}.html`)
        fs.mkdirSync(path.dirname(page), { recursive: true })
        fs.writeFileSync(
            page,
            `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(file)}</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; }
body { margin: 1rem auto; padding: 0 1rem; max-width: 80rem; font: 1rem/1.5 sans-serif; }
h1 { font-size: 1.1rem; overflow-wrap: anywhere; }
pre { overflow-x: auto; font-size: 0.85rem; }
</style>
</head>
<body>
<main>
<p><a href="${base}">lock-starter ${escape(version)}</a></p>
<h1>${escape(file)}</h1>
${content}
</main>
</body>
</html>
`,
        )
    }
    linkedSources.forEach(write)
}

function escape(text) {
    return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
