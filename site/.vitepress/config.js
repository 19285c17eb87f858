import { defineConfig } from 'vitepress'
import {
    apiModules,
    imageOf,
    outputDirectory,
    pageAt,
    pagesDirectory,
    resolve,
    sections,
    sourceOf,
    version,
    writePages,
    writeSources,
} from '../pages.js'
import { indexTerms, queryTerms } from '../search.js'

writePages()

/** The path below which the site is served, such as /lock-starter/. */
const base = (process.env.SITE_BASE || '').replace(/\/*$/, '/').replace(/^\/*/, '/')

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#3451b2" stroke-width="2">
<rect x="3" y="7" width="10" height="7" rx="1"/><path d="M5 7V5a3 3 0 0 1 6 0v2"/></svg>`

const TEXTS = {
    en: { source: 'Source of this page' },
    'zh-CN': { source: '本页源文件', notTranslated: '本页还没有中文版，以下是英文原文。' },
}

/** Returns the anchor that GitHub gives to a heading, to which the pages link. */
function anchor(heading) {
    return heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
        .replaceAll(' ', '-')
}

/** Adapts the pages of the repository to the site: their links and images, and the line above them. */
function adapted(md) {
    md.core.ruler.push('adapted', (state) => {
        const page = state.env.relativePath
        const each = (tokens) => tokens.forEach((token, i) => adapt(page, token, tokens[i + 1]))
        each(state.tokens)
        state.tokens.forEach((token) => each(token.children ?? []))
        const html = (content) => Object.assign(new state.Token('html_block', '', 0), { content })
        const { source, language, translated } = pageAt(page)
        const texts = TEXTS[language]
        const address = sourceOf(source).replace(/^\//, base)
        state.tokens.unshift(html(`<p class="source"><a href="${address}" target="_self">${texts.source}</a></p>\n`))
        if (!translated) {
            state.tokens.unshift(html(`<p class="not-translated">${texts.notTranslated}</p>\n<div lang="en">\n`))
            state.tokens.push(html('</div>\n'))
        }
    })
}

function adapt(page, token, next) {
    if (token.type === 'link_open' && !/^[a-z]+:/.test(token.attrGet('href'))) {
        const { href, page: isPage } = resolve(page, token.attrGet('href'))
        token.attrSet('href', href)
        if (!isPage && href.startsWith('/')) {
            // not a page that the generator's router knows
            token.attrSet('target', '_self')
        }
    } else if (token.type === 'image' && !/^[a-z]+:/.test(token.attrGet('src'))) {
        token.attrSet('src', imageOf(page, token.attrGet('src')))
    } else if (token.type === 'th_open' && next.content === '') {
        // an empty header names nothing
        token.tag = 'td'
        emptyHeaders.add(next)
    } else if (token.type === 'inline' && emptyHeaders.has(token)) {
        next.tag = 'td'
    } else if (token.type === 'code_block') {
        // scrolls if it is wide, as other code does
        token.type = 'fence'
    } else if (token.type === 'fence' && token.info === 'promql') {
        // has no grammar here
        token.info = 'text'
    }
}

const emptyHeaders = new WeakSet()

/**
 * Corrects the search of the default theme: its box is a button that contains all others, its options contain links, and keys have
 * labels without a role. Chinese words are highlighted as a whole, and not by the pairs that are found. Fails if a new version of
 * the theme has other texts.
 */
const correctedSearch = {
    name: 'corrected-search',
    enforce: 'pre',
    transform(code, id) {
        if (!id.endsWith('/VPLocalSearchBox.vue')) {
            return null
        }
        const replacements = [
            [/role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/, 'role="dialog" aria-modal="true"'],
            [/:id="'localsearch-item-' \+ index"\s+:aria-selected="[^"]*"\s+role="option"/, 'role="none"'],
            [
                /:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/,
                `:id="'localsearch-item-' + index" :aria-selected="selectedIndex === index" role="option"`,
            ],
            [/<kbd :aria-label=/g, '<kbd role="img" :aria-label='],
            [/\[\.\.\.terms\]/, '[...terms, ...(filterText.value.match(/\\p{Script=Han}{2,}/gu) ?? [])]'],
        ]
        return replacements.reduce((text, [old, replacement]) => {
            if (text.search(old) < 0) {
                throw new Error(`The search of the theme does not contain ${old}; see whether correctedSearch is still needed`)
            }
            return text.replace(old, replacement)
        }, code)
    },
}

function nav(texts, prefix) {
    const api = apiModules().map((module) => ({ text: module, link: `/api/${module}/index.html`, target: '_self' }))
    return [
        { text: texts.documentation, link: `${prefix}/docs/` },
        ...(api.length > 0 ? [{ text: 'Javadoc', items: api }] : []),
        {
            text: version,
            items: [
                { text: texts.changes, link: `${prefix}/CHANGELOG.html` },
                { text: texts.upgrading, link: `${prefix}/docs/reference/upgrading.html` },
                { text: texts.versions, link: `${prefix}/docs/reference/versions.html` },
            ],
        },
    ]
}

function sidebar(language, home, prefix) {
    return [{ items: [{ text: home, link: `${prefix}/` }] }, ...sections(language)]
}

export default defineConfig({
    srcDir: pagesDirectory,
    // Javadoc contains Markdown files
    srcExclude: ['public/**'],
    outDir: outputDirectory,
    cacheDir: './target/cache',
    base,
    title: 'lock-starter',
    description: 'Distributed locks on Redis for Spring Boot',
    head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
    // the addresses work on any server of files, and the texts of links do not depend on it
    cleanUrls: false,
    ignoreDeadLinks: [/^\/source\//],
    locales: {
        root: { label: 'English', lang: 'en' },
        'zh-CN': {
            label: '简体中文',
            lang: 'zh-CN',
            description: '基于 Redis 的 Spring Boot 分布式锁',
            themeConfig: {
                nav: nav({ documentation: '文档', changes: '变更记录', upgrading: '升级', versions: '支持的版本' }, '/zh-CN'),
                sidebar: sidebar('zh-CN', '介绍', '/zh-CN'),
                outline: { level: [2, 3], label: '本页目录' },
                docFooter: { prev: '上一页', next: '下一页' },
                darkModeSwitchLabel: '外观',
                lightModeSwitchTitle: '切换到浅色模式',
                darkModeSwitchTitle: '切换到深色模式',
                sidebarMenuLabel: '目录',
                returnToTopLabel: '回到顶部',
                langMenuLabel: '切换语言',
                skipToContentLabel: '跳到正文',
                notFound: {
                    title: '页面不存在',
                    quote: '请从目录或搜索中查找。',
                    linkLabel: '回到首页',
                    linkText: '回到首页',
                },
            },
        },
    },
    themeConfig: {
        nav: nav({ documentation: 'Documentation', changes: 'Changes', upgrading: 'Upgrading', versions: 'Supported versions' }, ''),
        sidebar: sidebar('en', 'Introduction', ''),
        outline: { level: [2, 3] },
        externalLinkIcon: false,
        notFound: { quote: 'Find the page in the menu, or search for it.' },
        search: {
            provider: 'local',
            options: {
                detailedView: true,
                miniSearch: {
                    options: { tokenize: indexTerms },
                    searchOptions: {
                        tokenize: queryTerms,
                        // pairs of Chinese characters are complete
                        fuzzy: (term) => (/^[a-z]{5,}$/.test(term) ? 0.2 : false),
                        // the last word may be unfinished
                        prefix: (term, i, terms) => i === terms.length - 1 && !/\p{Script=Han}/u.test(term),
                        boost: { title: 4, text: 2, titles: 1 },
                        boostTerm: (term) => (/[._-]/.test(term) ? 4 : 1),
                        // long sections, such as tables of properties, rank nearly as high as short ones
                        bm25: { k: 1.2, b: 0.05, d: 0.5 },
                        boostDocument: (address, term) => {
                            if (term.startsWith('distributed-lock.') && address.includes('/configuration.html')) {
                                return 3
                            }
                            // pages for users first
                            const development =
                                /\/(development|spec|internal|[A-Z]+)(\/|\.html)/
                            return development.test(address) ? 0.4 : 1
                        },
                    },
                },
                locales: {
                    'zh-CN': {
                        translations: {
                            button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
                            modal: {
                                displayDetails: '显示摘录',
                                resetButtonTitle: '清除',
                                backButtonTitle: '关闭搜索',
                                noResultsText: '没有找到：',
                                footer: {
                                    selectText: '打开',
                                    selectKeyAriaLabel: '回车',
                                    navigateText: '选择',
                                    navigateUpKeyAriaLabel: '上箭头',
                                    navigateDownKeyAriaLabel: '下箭头',
                                    closeText: '关闭',
                                    closeKeyAriaLabel: 'Esc',
                                },
                            },
                        },
                    },
                },
            },
        },
    },
    // the largest file is the index of the search, which is loaded when the search is opened
    vite: { plugins: [correctedSearch], build: { chunkSizeWarningLimit: 2000 } },
    markdown: {
        anchor: { slugify: anchor },
        theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
        config: adapted,
    },
    transformHead({ pageData }) {
        // search engines find the same text at its own address
        return pageAt(pageData.relativePath)?.translated === false ? [['meta', { name: 'robots', content: 'noindex' }]] : []
    },
    buildEnd() {
        writeSources(base)
    },
})
