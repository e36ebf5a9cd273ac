import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TokenEngine, tokenStream } from '../../src/engine/index.js'
import type { Tool } from '../../src/tools/tool.js'
import { RUNS } from '../support/runs.js'
import { encodeHarmony, encodeText, m } from '../support/tokens.js'
import { type Endpoint, endpoint } from './endpoint.js'

/** An engine that writes one turn after the other, whoever asks, and remembers what it was given. */
function writing(turns: readonly (readonly number[])[]): TokenEngine & { readonly contexts: number[][] } {
  const contexts: number[][] = []
  return {
    contexts,
    generate(prompt, { signal } = {}) {
      const tokens = turns[contexts.length] ?? encodeHarmony('<|channel|>final<|message|>Over.<|return|>')
      contexts.push([...prompt])
      return tokenStream(async function* () {
        yield* tokens
        return { reason: 'stop' as const }
      }, signal)
    },
    health: async () => {},
  }
}

/** What a hosted tool answers: words that are in no item of a search. */
const tool: Tool = {
  answers: (call) => call.type !== ('function_call' as never),
  run: async (call) =>
    call.type === 'web_search_call'
      ? ({ output: 'L0: What the page says', sources: [] } as never)
      : ({ output: `found ${call.id.length}` } as never),
}

const TOOLS = [
  { type: 'function', name: 'look', parameters: { type: 'object' }, strict: false },
  { type: 'custom', name: 'patch' },
  { type: 'mcp', server_label: 'docs', require_approval: 'never' },
  { type: 'web_search' },
  { type: 'code_interpreter', container: { type: 'auto' } },
]

type Item = Record<string, unknown> & { type: string }

/** What a client sends after each response: outputs for its calls, or a word of the user's. */
function answers(output: readonly Item[]): Item[] {
  const calls = output.filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
  if (calls.length === 0) return [{ type: 'message', role: 'user', content: 'Go on.' }]
  return calls.map(({ type, call_id }) => ({ type: `${type}_output`, call_id, output: 'dry' }))
}

async function respondTo(app: Endpoint, body: object): Promise<{ id: string; output: Item[] }> {
  const { status, body: response } = await app.create({ tools: TOOLS, ...body })
  expect([status, response.status, response.error]).toEqual([200, 'completed', null])
  return response
}

const user: Item = { type: 'message', role: 'user', content: 'Look.' }
const ENDS = { tools: [tool], clock: () => 1_767_225_600 }

/** The contexts of a conversation whose responses are stored, and which goes on by their ids. */
async function stored(turns: readonly (readonly number[])[], rounds: number): Promise<number[][]> {
  const engine = writing(turns)
  const app = endpoint(engine, ENDS)
  let input = [user]
  let previous: string | undefined
  for (let round = 0; round < rounds; round++) {
    const { id, output } = await respondTo(app, { input, ...(previous && { previous_response_id: previous }) })
    previous = id
    input = answers(output)
  }
  return engine.contexts
}

/** Those of one that nobody keeps: the client sends all of it again, as it came. */
async function stateless(
  turns: readonly (readonly number[])[],
  rounds: number,
  change: (item: Item) => Item = (item) => item,
): Promise<{ contexts: number[][]; outputs: Item[][] }> {
  const engine = writing(turns)
  const app = endpoint(engine, ENDS)
  let input = [user]
  const outputs: Item[][] = []
  for (let round = 0; round < rounds; round++) {
    const { output } = await respondTo(app, { input, store: false, include: ['reasoning.encrypted_content'] })
    outputs.push(output)
    input = [...input, ...output.map(change), ...answers(output)]
  }
  return { contexts: engine.contexts, outputs }
}

/** Text as a model may sample it: in pieces that the tokenizer would not make of it. */
const sampledText = (text: string): fc.Arbitrary<number[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(encodeText(text)) },
    {
      weight: 1,
      arbitrary: fc
        .uniqueArray(fc.nat(text.length), { maxLength: 3 })
        .map((cuts) => [0, ...cuts.sort((a, b) => a - b), text.length])
        .map((cuts) => cuts.slice(1).flatMap((cut, at) => encodeText(text.slice(cuts[at], cut)))),
    },
  )

const words = fc.constantFrom('Hm.', 'Rain is likely.', 'Let me look', ' ', 'a b')
const bodies = fc.constantFrom('{}', '{"city":"Rome"}', '{ "q" : 1 }', 'print(1)', '{"query":"otters"}')
const recipients = fc.constantFrom(
  'functions.look',
  'look',
  'functions.patch',
  'docs.search',
  'python',
  'browser.search',
)
const types = fc.constantFrom('', ' json', ' code', ' <|constrain|>json', '<|constrain|>json')

/** A message from behind `<|start|>assistant` on, without its end. */
const said = (channel: string): fc.Arbitrary<number[]> =>
  words.chain(sampledText).map((text) => [...encodeHarmony(`<|channel|>${channel}<|message|>`), ...text])

const call: fc.Arbitrary<number[]> = fc
  .tuple(fc.boolean(), fc.constantFrom('commentary', 'analysis'), recipients, types, bodies.chain(sampledText))
  .map(([isFirst, channel, to, type, body]) => {
    const header = isFirst ? ` to=${to}<|channel|>${channel}${type}` : `<|channel|>${channel} to=${to}${type}`
    return [...encodeHarmony(`${header}<|message|>`), ...body]
  })

const START = [m.start, ...encodeText('assistant')]
const joined = (messages: readonly number[][], end: number): number[] => [
  ...messages.flatMap((message, at) => [
    ...(at === 0 ? [] : START),
    ...message,
    ...(at === messages.length - 1 ? [] : [m.end]),
  ]),
  end,
]

/** What the model writes in one go: reasoning, preambles and calls, or an answer. */
const turn: fc.Arbitrary<number[]> = fc
  .tuple(
    fc.array(fc.oneof(said('analysis'), said('commentary')), { maxLength: 2 }),
    fc.oneof(
      { weight: 3, arbitrary: fc.array(call, { minLength: 1, maxLength: 2 }).map((calls) => ({ calls, end: m.call })) },
      { weight: 1, arbitrary: said('final').map((answer) => ({ calls: [answer], end: m.return })) },
    ),
  )
  .map(([before, { calls, end }]) => joined([...before, ...calls], end))

test('a stateless conversation whose client sends back all that it got renders to the ids of a stored one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async (turns) => {
      const rounds = 4
      const { contexts } = await stateless(turns, rounds)
      expect(contexts).toEqual(await stored(turns, rounds))
    }),
    { numRuns: RUNS },
  )
})

/** What clients make of items before they send them back. */
const CLIENTS: Readonly<Record<string, (item: Item) => Item>> = {
  Codex: ({ status: _, ...item }) => (item.type === 'reasoning' ? { ...item, content: null } : item) as Item,
  'the AI SDK': ({ status: _, content, ...item }) =>
    (item.type === 'reasoning' ? item : { ...item, ...(content !== undefined && { content }) }) as Item,
  opencode: ({ id: _id, status: _status, ...item }) =>
    (item['type'] === 'reasoning' ? { ...item, content: [], summary: [] } : item) as Item,
}

const SAID = {
  thought: '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant',
  roleFirst: ' to=functions.look<|channel|>commentary json<|message|>{"city":"Rome"}<|call|>',
  channelFirst: '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"city":"Bonn"}<|call|>',
  preamble: '<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant',
  parallel:
    '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{}<|end|><|start|>assistant' +
    '<|channel|>commentary to=functions.look code<|message|>{}<|call|>',
  mcp: '<|channel|>commentary to=docs.search<|message|>{"q":1}<|call|>',
  search: '<|channel|>analysis to=browser.search code<|message|>{"query":"otters", "topn":3}<|call|>',
}

test.each(Object.entries(CLIENTS))(
  'in a stateless tool loop of %s each prompt begins with the one before it and what the model wrote then',
  async (_, change) => {
    const { thought, roleFirst, channelFirst, preamble, parallel, mcp, search } = SAID
    const turns = [
      thought + roleFirst,
      thought + preamble + channelFirst,
      roleFirst,
      thought + mcp,
      thought + search,
      preamble + parallel,
      thought + roleFirst,
    ].map(encodeHarmony)
    const { contexts } = await stateless(turns, 5, change)
    expect(contexts).toHaveLength(7)
    for (const [at, context] of contexts.slice(1).entries()) {
      const before = [...(contexts[at] as number[]), ...(turns[at] as number[])]
      expect(context.slice(0, before.length), `prompt ${at + 1}`).toEqual(before)
    }
  },
)

test('a client that sends no seal back has the calls of its tool loop as gpt-oss mostly writes them', async () => {
  const turns = [SAID.channelFirst, SAID.channelFirst].map(encodeHarmony)
  const { contexts } = await stateless(turns, 2)
  const before = [...(contexts[0] as number[]), ...(turns[0] as number[])]
  expect(contexts[1]?.slice(0, before.length)).toEqual(before)
})
