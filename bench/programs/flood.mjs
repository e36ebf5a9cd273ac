// An MCP server that floods its client, with an IPC channel: pings without end before the result of each call, and a list of
// tools without end, in pages of 10 MB.
import { once } from 'node:events'
import { createServer } from 'node:http'

const PAGE = 'x'.repeat(9_000_000)
const PING = `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n\n`.repeat(100)
let isListing = false

const server = createServer(async (incoming, outgoing) => {
  let text = ''
  for await (const part of incoming) text += part
  if (incoming.method !== 'POST') return void outgoing.writeHead(405).end()
  const { id, method } = JSON.parse(text)
  if (id === undefined || method === undefined) return void outgoing.writeHead(202).end()
  if (method === 'tools/call') {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    while (!outgoing.destroyed)
      if (!outgoing.write(PING)) await Promise.race([once(outgoing, 'drain'), once(outgoing, 'close')])
    return
  }
  outgoing.writeHead(200, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method) }))
}).on('clientError', () => {})

function resultOf(method) {
  if (method === 'initialize') {
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'flood', version: '1' } }
  }
  if (method !== 'tools/list') return {}
  const tool = { name: 'any', inputSchema: { type: 'object' } }
  return isListing ? { tools: [{ ...tool, description: PAGE }], nextCursor: 'more' } : { tools: [tool] }
}

process.on('message', ({ options }) => {
  isListing = options.isListing
  process.send({})
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send({ url: `http://127.0.0.1:${server.address().port}/mcp` })
