// What one owner's clients, model and MCP server cost another owner's stream, and the memory of the process.
import { expect } from './measure.mjs'
import { startProgram } from './start-program.mjs'

/** The longest turn of the thread that serves the other owner, in milliseconds of processor time. */
const TURN = 100
/** How many times what is counted the process may grow by, without its garbage. */
const GROWTH = 1.5
/** What is counted, at least: code, buffers of sockets and a fragmented heap are not, in bytes. */
const SPARE = 32 * 1_048_576
const ANN = 'ann'

/**
 * Each attack by a name: how often it repeats what its model does, full and in a smoke test, and what it does. Those with
 * `isCounted` run again, and what the process grows by is compared with what it counts.
 */
const ATTACKS = [
  {
    name: '500 readers of one byte a second',
    size: [2_000, 10],
    isCounted: true,
    async run({ load, port, size }) {
      await load.ask('hold', { port, count: size(500, 5), owner: ANN, isSlow: true, model: 'stored' })
      await pause(size(10_000, 300))
      return 'left'
    },
  },
  {
    name: '60 requests with large schemas and input, at once',
    size: [1, 1],
    isCounted: true,
    async run({ load, port, size }) {
      const letters = 'lorem ipsum '.repeat(size(20_000, 10))
      const properties = Object.fromEntries(Array.from({ length: size(400, 5) }, (_, at) => [`property_${at}`, SCHEMA]))
      const parameters = { type: 'object', properties, required: [], additionalProperties: false }
      const tools = Array.from({ length: 5 }, (_, at) => ({
        type: 'function',
        name: `f${at}`,
        strict: true,
        parameters,
      }))
      const fields = { model: 'strict', input: letters, tools, max_output_tokens: 16 }
      return (await load.ask('bodies', { port, count: size(60, 3), owner: ANN, fields })).statuses
    },
  },
  ...[
    ['a header of a million tokens', 'headers', [4_000, 4]],
    ['a call of a million tokens', 'calls', [3_000, 4]],
    ['100,000 items of one token', 'items', [100_000, 10]],
    ['a million tokens of 64 to 128 letters', 'letters', [200_000, 10]],
  ].map(([what, model, size]) => ({
    name: `a model that writes ${what}`,
    size,
    isCounted: true,
    async run({ load, port }) {
      const fields = { model, stream: true, tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }] }
      return (await load.ask('bodies', { port, count: 1, owner: ANN, fields })).statuses
    },
  })),
  {
    name: '16 streams with 20 log-probabilities a token',
    size: [500, 4],
    isCounted: true,
    async run({ load, port, size }) {
      const fields = { model: 'logprobs', top_logprobs: 20, include: ['message.output_text.logprobs'], stream: true }
      return (await load.ask('bodies', { port, count: size(16, 2), owner: ANN, fields })).statuses
    },
  },
  {
    name: '100 readers of one stored stream',
    size: [200, 4],
    isCounted: true,
    async run({ load, port, size }) {
      const about = { port, count: size(100, 5), owner: ANN, fields: { model: 'stored' } }
      return (await load.ask('follow', about)).statuses
    },
  },
  ...[
    {
      what: '99,999 messages, stored',
      fields: (size) => ({ store: true, input: dialogue(size(99_999, 9)) }),
    },
    {
      what: '20,000 function calls and their results',
      fields: (size) => ({ input: Array.from({ length: size(20_000, 3) }, (_, at) => callOf(at)).flat() }),
    },
    {
      what: '99,999 messages of Chat Completions',
      path: '/chat/completions',
      fields: (size) => ({ messages: dialogue(size(99_999, 9)) }),
    },
    {
      what: '20,000 calls of Chat Completions in one turn',
      path: '/chat/completions',
      fields: (size) => ({ messages: chatCalls(size(20_000, 3)) }),
    },
    {
      what: '99,999 blocks in one message of Messages',
      path: '/messages',
      fields: (size) => ({
        max_tokens: 16,
        messages: [{ role: 'user', content: Array.from({ length: size(99_999, 9) }, blockOf) }],
      }),
    },
  ].map(({ what, path, fields }) => ({
    name: `a request of ${what}`,
    size: [1, 1],
    isCounted: true,
    async run({ load, port, size }) {
      const body = { model: 'answer', ...fields(size) }
      return (await load.ask('bodies', { port, count: 1, owner: ANN, path, fields: body })).statuses
    },
  })),
  ...[
    { what: 'pings without end', model: 'mcp', isCounted: true },
    { what: 'lists in pages of 9 MB', list: 'pages', isCounted: true },
    { what: 'lists 5,000 tools', list: 'tools', count: 16, isCounted: true },
    { what: 'lists a tool of 2,000 properties', list: 'properties', count: 16 },
  ].map(({ what, model = 'answer', count = 4, ...attack }) => ({
    ...attack,
    name: `an MCP server that ${what}`,
    size: [1, 1],
    async run({ load, port, size }) {
      const tools = [{ type: 'mcp', server_label: 'flood', require_approval: 'never' }]
      const about = { port, count: size(count, 1), owner: ANN, fields: { model, tools } }
      return (await load.ask('bodies', about)).statuses
    },
  })),
]

const SCHEMA = {
  anyOf: [
    { type: 'string', pattern: '^[a-z]{1,20}-[0-9]+$' },
    { type: 'string', format: 'date-time' },
  ],
}
/** Messages of two roles in turns. */
const dialogue = (count) =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${at}.`,
  }))
const callOf = (at) => [
  { type: 'function_call', call_id: `call_${at}`, name: 'f', arguments: '{}' },
  { type: 'function_call_output', call_id: `call_${at}`, output: 'done' },
]
/** One turn with many calls, and their results. */
function chatCalls(count) {
  const ids = Array.from({ length: count }, (_, at) => `call_${at}`)
  const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }))
  const results = ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'done' }))
  return [{ role: 'user', content: 'Go on.' }, { role: 'assistant', content: null, tool_calls: calls }, ...results]
}
const blockOf = (_, at) => ({ type: 'text', text: `Block ${at}.` })
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** @returns the rows: of each attack its longest turn and, where it fills the memory, the growth of the process */
export async function attacksByKind({ size, isWanted }) {
  const memoryBytes = size(256, 64) * 1_048_576
  const rows = []
  const load = await startProgram('load')
  const flood = await startProgram('flood')
  const isSmoke = size(false, true)
  let server
  try {
    for (const attack of ATTACKS.filter(({ name }) => isWanted(name))) {
      for (const rowOf of attack.isCounted ? [turnRow, memoryRow] : [turnRow]) {
        // What one measurement leaves in memory is no other one's.
        if (server === undefined || !isSmoke) {
          server?.child.kill()
          server = await startProgram('attacked', String(memoryBytes), flood.url, String(size(2_000, 200)))
        }
        const programs = { load, flood, server, size }
        await prepare(attack, programs)
        rows.push(await rowOf(attack, programs))
        await load.ask('release')
      }
    }
    return rows
  } finally {
    for (const one of [load, flood, server]) one?.child.kill()
  }
}

/** Attacks with little, so that the measured code is loaded and compiled. */
async function prepare(attack, { load, flood, server, size }) {
  await flood.ask('set', { list: attack.list ?? 'one' })
  await server.ask('size', 4)
  await attack.run({ load, port: server.port, size: (_, tiny) => tiny })
  await load.ask('release')
  await server.ask('size', size(...attack.size))
}

async function turnRow(attack, { load, server, size }) {
  const { port } = server
  await load.ask('watch', { port, count: 1, owner: 'bob', model: 'steady' })
  await pause(size(1_000, 100))
  await load.ask('gap')
  await server.ask('longestOfThread')
  const started = performance.now()
  const answer = await attack.run({ load, port, size })
  const seconds = (performance.now() - started) / 1000
  const turn = await server.ask('longestOfThread')
  const { gap, open } = await load.ask('gap')
  expect(open >= 1, `${attack.name}: the other owner's stream has ended`)
  return {
    figure: attack.name,
    value: turn,
    unit: 'ms',
    atMost: TURN,
    note: `longest gap of the other owner's stream ${gap.toFixed(0)} ms; ${answer} in ${seconds.toFixed(1)} s`,
  }
}

/** The growth of the process beside that of what it counts, each at its most, while the attack runs again. */
async function memoryRow(attack, { load, server, size }) {
  const before = await server.ask('held')
  let [rss, counted] = [0, 0]
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const held = await server.ask('held')
      rss = Math.max(rss, held.rss - before.rss)
      counted = Math.max(counted, held.counted - before.counted)
      await pause(size(200, 50))
    }
  })()
  await attack.run({ load, port: server.port, size })
  isOver = true
  await watching
  return {
    figure: `${attack.name}: growth of RSS`,
    value: rss / Math.max(counted, SPARE),
    unit: 'of counted',
    atMost: GROWTH,
    note: `RSS ${(before.rss / 1e6).toFixed(0)} MB, and ${(rss / 1e6).toFixed(0)} more; counted ${(before.counted / 1e6).toFixed(0)} MB, and ${(counted / 1e6).toFixed(0)} more`,
  }
}
