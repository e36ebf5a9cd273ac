// An MCP server that floods its client, with an IPC channel: pings without end before the result of each call, and one of
// several lists of tools.
import { once } from 'node:events'
import { createServer } from 'node:http'

const PAGE = 'x'.repeat(9_000_000)
const PING = `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n\n`.repeat(100)
const LISTS = {
  one: () => ({ tools: [toolOf('any')] }),
  /** Without end. */
  pages: () => ({ tools: [{ ...toolOf('any'), description: PAGE }], nextCursor: 'more' }),
  tools: () => ({ tools: Array.from({ length: 5_000 }, (_, at) => toolOf(`tool_${at}`)) }),
  properties: () => ({ tools: [toolOf('any', propertiesOf(2_000))] }),
}
let list = LISTS.one

const toolOf = (name, properties = propertiesOf(2)) => ({ name, inputSchema: { type: 'object', properties } })
const propertiesOf = (count) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`property_${at}`, { type: 'string' }]))

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
  return method === 'tools/list' ? list() : {}
}

process.on('message', ({ options }) => {
  list = LISTS[options.list]
  process.send({})
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send({ url: `http://127.0.0.1:${server.address().port}/mcp` })
