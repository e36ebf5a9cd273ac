/* A real MCP server of the official SDK with tools that misbehave. Run as a program, it speaks on stdin and stdout. */

import { argv } from 'node:process'
import { ProtocolError, Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const PAGE = 100

const text = (said) => ({ content: [{ type: 'text', text: said }] })
const schema = { type: 'object', properties: { text: { type: 'string' } } }

/** Tools that declare the form of their results, by name: what each answers, and the schema that it declares. */
const DECLARING = {
  kept: [
    { ...text('21 degrees'), structuredContent: { degrees: 21 } },
    { properties: { degrees: { type: 'number' } } },
  ],
  contradicted: [
    { content: [], structuredContent: { degrees: 21 } },
    { properties: { degrees: { type: 'string' } }, required: ['city'] },
  ],
  omitted: [text('only text'), { properties: { degrees: { type: 'number' } }, required: ['degrees'] }],
  invalid: [{ ...text('fine'), structuredContent: {} }, { properties: { city: { type: 'string', pattern: '(' } } }],
  // Half a million steps, before the pattern fails. Each further letter doubles them.
  backtracking: [
    { ...text('slow'), structuredContent: { letters: `${'a'.repeat(18)}!` } },
    { properties: { letters: { type: 'string', pattern: '^(a+)+$' } } },
  ],
}

/** The state: `tools` by name, and `seen`, the recorded events. */
export function fixtureServer({ extra = 0, declaring = 0, die = () => process.exit(1) } = {}) {
  const seen = []
  const watchers = []
  const see = (event) => {
    seen.push(event)
    for (const watcher of watchers.splice(0)) watcher()
  }
  const tools = {
    echo: ({ text: said }) => text(String(said)),
    arguments: (args) => text(JSON.stringify(args)),
    environment: ({ name }) => text(String(process.env[name])),
    pid: () => text(String(process.pid)),
    silent: () => ({ content: [] }),
    structured: () => ({ content: [], structuredContent: { degrees: 21 } }),
    both: () => ({ ...text('21 degrees'), structuredContent: { degrees: 21 } }),
    media: () => ({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', data: 'AAECAw==', mimeType: 'image/png' },
        { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'what a.txt says', mimeType: 'text/plain' } },
        { type: 'resource', resource: { uri: 'file:///b.bin', blob: 'AAA=', mimeType: 'application/octet-stream' } },
        { type: 'resource_link', uri: 'file:///c.md', name: 'c', description: 'notes', mimeType: 'text/markdown' },
      ],
    }),
    fails: () => ({ ...text('no such city'), isError: true }),
    refuses: () => {
      throw new ProtocolError(-31999, 'the city is closed')
    },
    garbage: () => ({ garbage: 1 }),
    big: ({ bytes }) => text('x'.repeat(bytes)),
    hangs: (_, ctx) => {
      see('hangs')
      return new Promise((_, reject) => {
        ctx.mcpReq.signal.addEventListener('abort', () => {
          see('cancelled')
          reject(new Error('cancelled'))
        })
      })
    },
    dies: () => {
      die()
      return new Promise(() => {})
    },
    diesHalfway: async (_, ctx) => {
      await ctx.mcpReq.send({ method: 'ping' })
      die()
      return new Promise(() => {})
    },
    progresses: async (_, ctx) => {
      const { progressToken } = ctx.mcpReq._meta
      for (const progress of [1, 2]) {
        const params = { progressToken, progress, total: 2, message: `step ${progress}` }
        await ctx.mcpReq.notify({ method: 'notifications/progress', params })
      }
      // The SDK forgets the handler of progress with the answer, even of progress that came before it.
      await ctx.mcpReq.send({ method: 'ping' })
      return text('done')
    },
    progressesForEver: async (_, ctx) => {
      const { progressToken } = ctx.mcpReq._meta
      for (let progress = 1; !ctx.mcpReq.signal.aborted; progress++) {
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } })
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
    grows: async (_, ctx) => {
      tools.late = () => text('late')
      await ctx.mcpReq.notify({ method: 'notifications/tools/list_changed' })
      return text('grown')
    },
  }
  const readOnly = ['echo', 'pid']
  const outputs = new Map()
  if (declaring > 0) {
    for (const [name, [answer, outputSchema]] of Object.entries(DECLARING)) {
      tools[name] = () => answer
      outputs.set(name, { type: 'object', ...outputSchema })
    }
  }
  for (let number = 0; number < declaring; number++) {
    tools[`declaring${number}`] = () => text(`declared ${number}`)
    outputs.set(`declaring${number}`, { type: 'object', properties: { [`field${number}`]: { type: 'string' } } })
  }
  for (let number = 0; number < extra; number++) tools[`extra${number}`] = () => text('')

  const server = new Server({ name: 'fixture', version: '1' }, { capabilities: { tools: { listChanged: true } } })
  server.setRequestHandler('tools/list', ({ params }) => {
    see('list')
    const from = Number(params?.cursor ?? 0)
    const names = Object.keys(tools)
    const listed = names.slice(from, from + PAGE).map((name) => ({
      name,
      description: `says ${name}`,
      inputSchema: schema,
      ...(readOnly.includes(name) && { annotations: { readOnlyHint: true } }),
      ...(outputs.has(name) && { outputSchema: outputs.get(name) }),
    }))
    return { tools: listed, ...(from + PAGE < names.length && { nextCursor: String(from + PAGE) }) }
  })
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args } }, ctx) => {
    if (!Object.hasOwn(tools, name)) throw new ProtocolError(-32602, `Unknown tool: ${name}`)
    see(`call ${name}`)
    return tools[name](args, ctx)
  })
  return {
    server,
    seen,
    /** Resolves once the server has seen this. */
    async until(event) {
      while (!seen.includes(event)) await new Promise((resolve) => watchers.push(resolve))
    },
  }
}

if (argv[2] === 'stdio') {
  const [extra, declaring] = argv.slice(3).map(Number)
  await fixtureServer({ extra, declaring }).server.connect(new StdioServerTransport())
}
