/* A server without the SDK, for bytes that the SDK would not send: node raw-server.mjs BEHAVIOUR */

import { writeFileSync } from 'node:fs'
import { argv, env, exit, pid, stderr, stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline'

const behaviour = argv[2]
if (env.PID_FILE !== undefined) writeFileSync(env.PID_FILE, String(pid))
if (behaviour === 'stays') setInterval(() => {}, 1000)
const send = (message) => stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const tool = { name: 'any', inputSchema: { type: 'object' } }

const answers = {
  initialize: ({ id, params }) => {
    if (behaviour === 'dies at once') exit(1)
    if (behaviour === 'never greets') return
    const { protocolVersion } = params
    const serverInfo = { name: 'raw', version: '1' }
    send({ id, result: { protocolVersion, serverInfo, capabilities: { tools: {} } } })
  },
  'tools/list': ({ id, params }) => {
    if (behaviour === 'never lists') return
    if (behaviour === 'garbage list') return send({ id, result: { tools: 'none' } })
    if (behaviour === 'endless list') {
      const page = Number(params?.cursor ?? 0)
      return send({ id, result: { tools: [{ ...tool, name: `tool${page}` }], nextCursor: String(page + 1) } })
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
      const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }
      const part = `${JSON.stringify(note)}\n`.repeat(2000)
      const more = () => stdout.write(part, (error) => error ?? setImmediate(more))
      return more()
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

createInterface({ input: stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  answers[message.method]?.(message)
})
