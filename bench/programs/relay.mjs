// A bare relay to another server, which reads and writes the bytes unchanged: node relay.mjs URL, with an IPC channel.
// It does the least that any server in front of an engine does.
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'

const [url] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

const server = createServer((incoming, response) => {
  const { method, headers } = incoming
  const forwarded = request(new URL(incoming.url, url), { agent, method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers)
    answer.pipe(response)
  })
  forwarded.on('error', () => response.destroy())
  incoming.pipe(forwarded)
})

server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.on('message', () => {})
process.send({ port: server.address().port })
