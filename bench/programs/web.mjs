// A SearXNG instance and a page of 100 kB on this machine, in a process of its own: its time is nobody's.
import { createServer } from 'node:http'

const results = Array.from({ length: 10 }, (_, at) => ({
  title: `Otters ${at}`,
  url: `http://localhost/otters/${at}`,
  content: 'Otters hold hands while they sleep, so that they do not drift apart. '.repeat(3),
}))
const paragraphs = Array.from(
  { length: 500 },
  (_, at) =>
    `<p class="text">Otters <a href="/hands/${at}">hold <b>hands</b></a> while they sleep, so that they do not ` +
    `drift apart &amp; wake up alone. This is said ${at} times, and each time it is true.</p>\n`,
)
const page = `<!doctype html><html><head><title>Otters</title></head><body>${paragraphs.join('')}</body></html>`
const answers = {
  '/search': ['application/json', JSON.stringify({ results })],
  '/page': ['text/html; charset=utf-8', page],
}

const server = createServer((request, response) => {
  const [type, body] = answers[request.url.split('?')[0]] ?? ['text/plain', '']
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())
