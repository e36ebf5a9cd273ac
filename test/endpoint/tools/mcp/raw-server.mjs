/* A server without the SDK, for bytes that the SDK would not send: node raw-server.mjs BEHAVIOR_VERSION */

import { writeFileSync } from 'node:fs'
import { argv, env, exit, pid, stderr, stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline'

const behaviour = argv[2]
if (env.PID_FILE !== undefined) writeFileSync(env.PID_FILE, String(pid))
if (behaviour === 'stays') setInterval(() => {}, 1000)
const send = (message) => stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const tool = { name: 'any', inputSchema: { type: 'object' } }

/** Writes this again and again, as fast as it is read. */
function flood(line) {
  const part = `${line}\n`.repeat(Math.max(1, Math.floor(200_000 / line.length)))
  const more = () => stdout.write(part, (error) => error ?? setImmediate(more))
  more()
}

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
const foreign = '{"jsonrpc":"2.0","id":"foreign","result":{}}'

/** What floods send, of which nothing is read that comes back. */
const FLOODS = {
  pings: `${`${ping}\n`.repeat(100)}${foreign}`,
  'pings of large ids': JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(1_000_000), method: 'ping' }),
  'foreign answers': foreign,
  'empty objects': '{}',
}

const answers = {
  initialize: ({ id, params }) => {
    if (behaviour === 'pings before it greets') {
      lines.pause()
      return flood(FLOODS.pings)
    }
    if (behaviour === 'dies at once') exit(1)
    if (behaviour === 'never greets') return
    const { protocolVersion } = params
    const icons = behaviour === 'large greeting' ? Array.from({ length: 100_000 }, () => ({})) : []
    const serverInfo = { name: 'raw', version: '1', icons }
    send({ id, result: { protocolVersion, serverInfo, capabilities: { tools: {} } } })
  },
  'tools/list': ({ id, params }) => {
    if (behaviour === 'never lists') return
    if (behaviour === 'garbage list') return send({ id, result: { tools: 'none' } })
    if (behaviour === 'endless list') {
      const page = Number(params?.cursor ?? 0)
      return send({ id, result: { tools: [{ ...tool, name: `tool${page}` }], nextCursor: String(page + 1) } })
    }
    if (behaviour === 'heavy list') {
      const description = 'x'.repeat(100_000)
      const page = Number(params?.cursor ?? 0)
      return send({ id, result: { tools: [{ ...tool, name: `tool${page}`, description }], nextCursor: `${page + 1}` } })
    }
    if (behaviour === 'list of values') {
      const properties = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`p${at}`, {}]))
      return send({ id, result: { tools: [{ ...tool, inputSchema: { type: 'object', properties } }] } })
    }
    if (behaviour === 'large tool') {
      const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, {}]))
      return send({ id, result: { tools: [{ name: 'large', inputSchema: { type: 'object', properties } }, tool] } })
    }
    if (behaviour === 'many tools') {
      return send({ id, result: { tools: Array.from({ length: 5001 }, (_, at) => ({ ...tool, name: `tool${at}` })) } })
    }
    if (behaviour === 'broken tools') {
      const broken = [
        null,
        7,
        {},
        { name: 7 },
        { name: 'x'.repeat(300) },
        { name: 'a', inputSchema: { type: 'string' } },
      ]
      const odd = { name: 'odd', title: 7, description: 7, annotations: [], outputSchema: 7, icons: 'none' }
      return send({ id, result: { tools: [...broken, odd, tool, ...Array.from({ length: 20 }, () => null)] } })
    }
    if (behaviour === 'deep schema') {
      let inputSchema = {}
      for (let level = 0; level < 100; level++) inputSchema = { type: 'object', properties: { inside: inputSchema } }
      return send({ id, result: { tools: [{ name: 'deep', inputSchema }, tool] } })
    }
    send({ id, result: { tools: [tool] } })
  },
  'tools/call': ({ id }) => {
    if (behaviour === 'flood') {
      return flood('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}')
    }
    if (Object.hasOwn(FLOODS, behaviour)) {
      lines.pause()
      return flood(FLOODS[behaviour])
    }
    if (behaviour === 'many blocks') {
      return send({
        id,
        result: { content: [{ type: 'text', text: 'fine' }, ...Array.from({ length: 100_000 }, () => ({}))] },
      })
    }
    if (behaviour === 'many values') {
      return send({
        id,
        result: { content: [], structuredContent: { list: Array.from({ length: 300_000 }, () => 0) } },
      })
    }
    if (behaviour === 'repeats its token') {
      stderr.write(`starting with ${env.API_TOKEN} in ${env.FOLDER}\n`)
      return send({ id, error: { code: -32000, message: `bad token ${env.API_TOKEN} in ${env.FOLDER}` } })
    }
    if (behaviour === 'noisy') {
      stderr.write(`\u001b[2Jready\n\n${'x'.repeat(5000)}\r\n${'again\n'.repeat(1000)}`)
    }
    if (behaviour === 'deep result') {
      const [open, close] = ['{"a":'.repeat(50_000), '}'.repeat(50_000)]
      const result = `{"content":[],"structuredContent":${open}1${close}}`
      return stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`)
    }
    if (behaviour === 'no json') stdout.write('Segmentation fault\n{"jsonrpc":\n')
    if (behaviour === 'no result') return send({ id, result: 'yes' })
    if (behaviour === 'bad content') return send({ id, result: { content: [{ type: 'text' }] } })
    if (behaviour === 'strange content') {
      return send({ id, result: { content: [{ type: 'text', text: 'fine' }], isError: 'maybe' } })
    }
    if (behaviour === 'endless line') {
      // More than any reader may hold. It is finite, because the reader may have left.
      return stdout.write('x'.repeat(16 << 20))
    }
    send({ id, result: { content: [{ type: 'text', text: behaviour === 'stays' ? String(pid) : 'fine' }] } })
  },
}

const lines = createInterface({ input: stdin })
lines.on('line', (line) => {
  const message = JSON.parse(line)
  answers[message.method]?.(message)
})
