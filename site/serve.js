// Serves the site that was built on loopback: node serve.js [port]
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { outputDirectory } from './pages.js'

const TYPES = {
    '.css': 'text/css',
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript',
    '.json': 'application/json',
    '.png': 'image/png',
    '.svg': 'image/svg+xml',
}

/** Starts a server of files; the address of the returned one has its port. */
export function serve(port = 0) {
    const base = (process.env.SITE_BASE || '').replace(/\/*$/, '/').replace(/^\/*/, '/')
    const server = http.createServer((request, response) => {
        const address = decodeURIComponent(new URL(request.url, 'http://127.0.0.1').pathname)
        const relative = path.posix.normalize(`/${address.startsWith(base) ? address.slice(base.length) : '404'}`)
        let file = path.join(outputDirectory, relative)
        if (relative.endsWith('/')) {
            file = path.join(file, 'index.html')
        }
        const found = fs.existsSync(file) && fs.statSync(file).isFile()
        const sent = found ? file : path.join(outputDirectory, '404.html')
        response.writeHead(found ? 200 : 404, {
            'Content-Type': TYPES[path.extname(sent)] ?? 'application/octet-stream',
        })
        fs.createReadStream(sent).pipe(response)
    })
    return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)))
}

if (import.meta.filename === process.argv[1]) {
    const server = await serve(Number(process.argv[2] ?? 4173))
    console.log(`http://127.0.0.1:${server.address().port}${process.env.SITE_BASE ?? '/'}`)
}
