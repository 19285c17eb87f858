// Checks the site that was built, in Chromium: links, anchors and requests, search, accessibility, widths, light and dark.
// Prints the problems, and exits with 1 if there are any. CHROMIUM names another program than those on the PATH.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { apiModules, outputDirectory, version } from './pages.js'
import { serve } from './serve.js'

/** What a reader looks for, and a page and section that must be among the first five results. */
const QUESTIONS = {
    '/': {
        watchdog: 'docs/reference/watchdog-renewal.html',
        'run a job on one instance only': 'docs/reference/transactions-and-order.html#scheduled-jobs',
        LockNotGrantedException: 'docs/reference/annotation-and-keys.html#handle-a-lock-that-is-not-granted',
        'fencing token': 'docs/reference/fencing.html',
        'stuck lock': 'docs/operations.html#a-lock-is-stuck',
        'test without redis': 'docs/reference/testing.html',
        'distributed-lock.watchdog.timeout': 'docs/reference/configuration.html',
    },
    '/zh-CN/': {
        看门狗: 'zh-CN/docs/reference/watchdog-renewal.html',
        定时任务只在一个实例上执行: 'zh-CN/docs/reference/transactions-and-order.html#定时任务',
        没抢到锁: 'zh-CN/docs/reference/annotation-and-keys.html#没抢到锁时的处理',
        防护令牌: 'zh-CN/docs/reference/fencing.html',
        限制并发数: 'zh-CN/docs/reference/readers-and-permits.html#限制并发数',
        不用Redis测试: 'zh-CN/docs/reference/testing.html',
        锁管理页面: 'zh-CN/docs/reference/locks-page.html',
        // has no Chinese page
        'stuck lock': 'zh-CN/docs/operations.html#a-lock-is-stuck',
    },
}
const WIDTHS = [1280, 390]

const base = (process.env.SITE_BASE || '').replace(/\/*$/, '/').replace(/^\/*/, '/')
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const problems = new Set()

function program() {
    const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']
    const files = process.env.PATH.split(path.delimiter).flatMap((directory) => names.map((name) => path.join(directory, name)))
    const found = process.env.CHROMIUM ?? files.find((file) => fs.existsSync(file))
    if (!found) {
        throw new Error(`None of ${names.join(', ')} is on the PATH; name the program of Chromium with CHROMIUM=/path/to/it`)
    }
    return found
}

function htmlFiles(directory = '') {
    return fs.readdirSync(path.join(outputDirectory, directory), { withFileTypes: true }).flatMap((entry) => {
        const file = path.posix.join(directory, entry.name)
        if (entry.isDirectory()) {
            // Javadoc checks its links itself
            return file === 'api' ? [] : htmlFiles(file)
        }
        return file.endsWith('.html') ? [file] : []
    })
}

/** Like Map.groupBy, which Node.js 20 does not have. */
function groups(values, keyOf) {
    const map = new Map()
    values.forEach((value) => map.set(keyOf(value), [...(map.get(keyOf(value)) ?? []), value]))
    return map
}

function isTranslated(file) {
    return !fs.readFileSync(path.join(outputDirectory, file), 'utf8').includes('class="not-translated"')
}

function unescape(text) {
    return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

/** Checks that each link, image, script and style exists, and the anchor of each link. */
function checkLinks(files) {
    const anchors = new Map()
    const anchorsOf = (file) => {
        if (!anchors.has(file)) {
            const html = fs.readFileSync(path.join(outputDirectory, file), 'utf8')
            anchors.set(file, new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => unescape(id))))
        }
        return anchors.get(file)
    }
    let links = 0
    for (const file of files) {
        const html = fs.readFileSync(path.join(outputDirectory, file), 'utf8')
        for (const [tag, attribute, value] of html.matchAll(/<[a-z]+\s[^>]*?\b(href|src)="([^"]*)"[^>]*>/g)) {
            links++
            const url = new URL(unescape(value), `http://site${base}${file}`)
            if (url.protocol === 'data:') {
                continue
            }
            if (url.hostname !== 'site') {
                if (attribute === 'src' || tag.startsWith('<link')) {
                    problems.add(`${file} loads ${url}`)
                }
                continue
            }
            const address = decodeURIComponent(url.pathname)
            const target = address.startsWith(base) ? address.slice(base.length).replace(/(^|\/)$/, '$1index.html') : ''
            if (target === '' || !fs.existsSync(path.join(outputDirectory, target))) {
                problems.add(`${file} links to ${value}, which does not exist`)
            } else if (url.hash && !anchorsOf(target).has(decodeURIComponent(url.hash.slice(1)))) {
                problems.add(`${file} links to ${value}, which has no such anchor`)
            }
        }
    }
    console.log(`${links} links of ${files.length} pages`)
}

async function violations(page, where, options = {}) {
    const { violations } = await page.evaluate((options) => globalThis.axe.run(document, options), options)
    for (const { id, nodes } of violations) {
        problems.add(`${where}: axe ${id} at ${nodes.slice(0, 3).map((node) => node.target.join(' '))}`)
    }
}

async function checkPage(page, file) {
    await page.setViewportSize({ width: WIDTHS[0], height: 900 })
    await page.goto(address + file, { waitUntil: 'load' })
    for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        for (const dark of [false, true]) {
            const where = `${file} (${width}, ${dark ? 'dark' : 'light'})`
            await page.evaluate((dark) => document.documentElement.classList.toggle('dark', dark), dark)
            await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finish())))
            await violations(page, where, dark ? { runOnly: ['color-contrast'] } : {})
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
            if (overflow > 0) {
                problems.add(`${where}: wider than the window by ${overflow} pixels`)
            }
        }
    }
}

async function checkSearch(page, home) {
    for (const [question, answer] of Object.entries(QUESTIONS[home])) {
        await page.goto(address + home.slice(1), { waitUntil: 'load' })
        // otherwise, the search begins with the results of the last question
        await page.evaluate(() => sessionStorage.clear())
        await page.click('.VPNavBarSearch button')
        await page.fill('.search-input', question)
        const results = page.locator('.VPLocalSearchBox .result')
        try {
            await results.first().waitFor({ timeout: 10_000 })
        } catch {
            problems.add(`${home}: nothing is found for "${question}"`)
            continue
        }
        const found = await results.evaluateAll((links) => links.map((link) => decodeURI(link.getAttribute('href'))))
        const rank = found.findIndex((link) => link.startsWith(base + answer))
        if (rank < 0 || rank > 4) {
            problems.add(`${home}: "${question}" finds ${answer} at ${rank + 1} of ${found.slice(0, 5).join(' ')}`)
            continue
        }
        await violations(page, `${home}: results of "${question}"`)
        await results.nth(rank).click()
        await page.waitForURL((url) => decodeURI(url.href).includes(answer))
        await page.locator('main h1').first().waitFor()
    }
}

/** Checks the switches of the navigation: language, light and dark, version and source. */
async function checkNavigation(page) {
    await page.setViewportSize({ width: WIDTHS[0], height: 900 })
    await page.goto(`${address}docs/reference/fencing.html`, { waitUntil: 'load' })
    if (!(await page.locator('.VPNavBar').innerText()).includes(version)) {
        problems.add(`The navigation does not show the version ${version}`)
    }
    await page.click('.VPNavBarAppearance .VPSwitchAppearance')
    if (!(await page.locator('html').evaluate((html) => html.classList.contains('dark')))) {
        problems.add('The switch does not select the dark colours')
    }
    await page.hover('.VPNavBarTranslations')
    await page.click('.VPNavBarTranslations a')
    await page.waitForURL(`${address}zh-CN/docs/reference/fencing.html`)
    try {
        await page.locator('.source a[href*="docs/zh-CN/reference/fencing.md"]').waitFor({ timeout: 10_000 })
    } catch {
        problems.add('A page in Chinese has no link to its source')
    }
    for (const module of apiModules()) {
        const response = await page.goto(`${address}api/${module}/index.html`)
        if (!response.ok()) {
            problems.add(`The Javadoc of ${module} has no index`)
        }
    }
}

const server = await serve()
const address = `http://127.0.0.1:${server.address().port}${base}`
const browser = await chromium.launch({ executablePath: program() })
try {
    const files = htmlFiles()
    checkLinks(files)
    const context = await browser.newContext({ colorScheme: 'light', serviceWorkers: 'block' })
    await context.addInitScript(axe)
    const open = async () => {
        const page = await context.newPage()
        page.on('console', (message) => {
            // Javadoc names no icon, so that the browser asks for one of the server
            if (['error', 'warning'].includes(message.type()) && !message.location().url.endsWith('/favicon.ico')) {
                problems.add(`${page.url().slice(address.length)}: ${message.text()}`)
            }
        })
        page.on('pageerror', (error) => problems.add(`${page.url().slice(address.length)}: ${error}`))
        page.on('request', (request) => {
            if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address)) {
                problems.add(`${page.url().slice(address.length)} requests ${request.url()}`)
            }
        })
        page.on('response', (response) => {
            if (response.status() >= 400) {
                problems.add(`${response.url().slice(address.length)} is answered with ${response.status()}`)
            }
        })
        return page
    }
    // of those that look alike, one: the files of the repository, and the English pages in the Chinese part
    const kinds = groups(files.filter((file) => file !== '404.html'), (file) => (file.startsWith('source/') ? 'source' : isTranslated(file) ? 'page' : 'english'))
    const shown = [...kinds.get('page'), kinds.get('english')[0], ...(kinds.get('source') ?? []).slice(0, 1)]
    const remaining = [...shown]
    await Promise.all(
        [1, 2].map(async () => {
            const page = await open()
            for (let file = remaining.shift(); file; file = remaining.shift()) {
                await checkPage(page, file)
            }
        }),
    )
    console.log(`${shown.length} pages at ${WIDTHS.join(' and ')} pixels, light and dark`)
    const page = await open()
    for (const home of Object.keys(QUESTIONS)) {
        await checkSearch(page, home)
        console.log(`${Object.keys(QUESTIONS[home]).length} questions at ${home}`)
    }
    await checkNavigation(page)
} finally {
    await browser.close()
    server.close()
}
problems.forEach((problem) => console.error(problem))
console.log(`${problems.size} problems`)
process.exitCode = problems.size > 0 ? 1 : 0
