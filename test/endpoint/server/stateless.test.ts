import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { RUNS } from '../../support/runs.js'
import { decodeTokens, encodeHarmony, m } from '../../support/tokens.js'
import { endpoint } from './endpoint.js'
import { joined, said, sampledText, types, writing } from './sampled-turns.js'

/** The result of a hosted tool: text that no search item contains, or a failure. */
const tool: Tool = {
  answers: ({ type }) => type !== ('function_call' as never) && type !== 'shell_call',
  run: async (call) => {
    if (call.type === 'web_search_call') return { output: 'L0: What the page says', sources: [] } as never
    if (call.type === 'mcp_call' && call.arguments.includes('q')) return { error: { message: 'It rains.' } }
    return { output: `found ${JSON.stringify(call).includes('Rome')}` } as never
  },
}

const TOOLS = [
  { type: 'function', name: 'look', parameters: { type: 'object' }, strict: false },
  { type: 'custom', name: 'patch' },
  { type: 'mcp', server_label: 'docs', require_approval: 'never', allowed_tools: ['search'] },
  { type: 'mcp', server_label: 'vault', require_approval: 'always' },
  { type: 'shell', environment: { type: 'local' } },
  { type: 'apply_patch' },
  { type: 'web_search' },
  { type: 'code_interpreter', container: { type: 'auto' } },
]

type Item = Record<string, unknown> & { type: string }

/** The client's input after each response: outputs for its calls, approvals, or a message of the user. */
function answers(output: readonly Item[], round: number): Item[] {
  const answered = output.flatMap((item): Item[] => {
    const { type, call_id, id, status } = item
    if (status === 'incomplete') return []
    switch (type) {
      case 'function_call':
      case 'custom_tool_call':
        return [{ type: `${type}_output`, call_id, output: 'dry' }]
      case 'shell_call':
        return [{ type: 'shell_call_output', call_id, output: [{ stdout: 'a', stderr: '', outcome: EXIT }] }]
      case 'apply_patch_call':
        return [{ type: 'apply_patch_call_output', call_id, status: round % 2 === 0 ? 'completed' : 'failed' }]
      case 'mcp_approval_request':
        return [{ type: 'mcp_approval_response', approval_request_id: id, approve: round % 2 === 0 }]
      default:
        return []
    }
  })
  return answered.length > 0 ? answered : [user(`Go on from ${round}.`)]
}

const EXIT = { type: 'exit', exit_code: 0 }
const user = (content: string): Item => ({ type: 'message', role: 'user', content })

/** The parameters of a conversation, and its engine's context length. */
interface Setting {
  readonly body: object
  readonly contextLength?: number
}

interface Played {
  readonly contexts: number[][]
  readonly outputs: Item[][]
  /** The outcome of each request: the status of its response, or of its refusal. */
  readonly ends: unknown[]
}

/** A conversation of some rounds, until a request is refused. */
async function play(
  turns: readonly (readonly number[])[],
  rounds: number,
  { body, contextLength }: Setting,
  next: (input: readonly Item[], output: readonly Item[], id: string, round: number) => object,
): Promise<Played> {
  const engine = writing(turns, contextLength)
  const app = endpoint(engine, { tools: [tool], clock: () => 1_767_225_600 })
  const played: Played = { contexts: engine.contexts, outputs: [], ends: [] }
  let request: object = { input: [user('Look.')] }
  for (let round = 0; round < rounds; round++) {
    const { status, body: response } = await app.create({ tools: TOOLS, ...body, ...request })
    played.ends.push(response.status ?? status)
    if (response.output === undefined) break
    played.outputs.push(response.output)
    const { input } = request as { input: Item[] }
    request = next(input, response.output, response.id, round)
  }
  return played
}

/** A conversation whose responses are stored, continued by their ids. */
const stored = (turns: readonly (readonly number[])[], rounds: number, setting: Setting): Promise<Played> =>
  play(turns, rounds, setting, (_, output, id, round) => ({
    input: answers(output, round),
    previous_response_id: id,
  }))

/** A conversation that is not stored: the client sends all of it again, unchanged. */
function stateless(
  turns: readonly (readonly number[])[],
  rounds: number,
  setting: Setting = { body: {} },
  change: (item: Item) => Item = (item) => item,
): Promise<Played> {
  const kept = { store: false, include: ['reasoning.encrypted_content'] }
  return play(turns, rounds, { ...setting, body: { ...setting.body, ...kept } }, (input, output, _, round) => ({
    input: [...input, ...output.map(change), ...answers(output, round)],
  }))
}

const PATCH = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n'
const bodies = fc.constantFrom(
  '{}',
  '{"city":"Rome"}',
  '{ "q" : 1 }',
  'print(1)',
  '{"query":"otters"}',
  '{"cmd":["ls"]}',
  PATCH,
)
const recipients = fc.constantFrom(
  'functions.look',
  'look',
  'functions.patch',
  'docs.search',
  'docs.delete',
  'vault.open',
  'container.exec',
  'functions.apply_patch',
  'python',
  'browser.search',
)

const call: fc.Arbitrary<number[]> = fc
  .tuple(fc.boolean(), fc.constantFrom('commentary', 'analysis'), recipients, types, bodies.chain(sampledText))
  .map(([isFirst, channel, to, type, body]) => {
    const header = isFirst ? ` to=${to}<|channel|>${channel}${type}` : `<|channel|>${channel} to=${to}${type}`
    return [...encodeHarmony(`${header}<|message|>`), ...body]
  })

/** The model's output in one turn: reasoning, preambles and calls in any order, up to a call or an answer. */
const turn: fc.Arbitrary<number[]> = fc
  .tuple(
    fc.array(fc.oneof(said('analysis'), said('commentary'), { weight: 2, arbitrary: call }), { maxLength: 5 }),
    fc.oneof(
      { weight: 3, arbitrary: call.map((last) => ({ last, end: m.call })) },
      { weight: 1, arbitrary: said('final').map((last) => ({ last, end: m.return })) },
    ),
  )
  .map(([before, { last, end }]) => joined([...before, last], end))

/** A turn, and sometimes one that lost a token: what the parser has to repair is rendered from its item. */
const anyTurn: fc.Arbitrary<number[]> = fc.oneof(
  { weight: 2, arbitrary: turn },
  { weight: 1, arbitrary: fc.tuple(turn, fc.nat(80)).map(([ids, at]) => ids.filter((_, index) => index !== at)) },
)

const setting: fc.Arbitrary<Setting> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ body: {} }) },
  fc.constant({ body: { parallel_tool_calls: false } }),
  fc.constant({ body: { max_tool_calls: 1 } }),
  fc.nat(120).map((more) => ({ body: { max_output_tokens: 16 + more } })),
  fc
    .nat(400)
    .map((more) => ({ body: { context_management: [{ type: 'compaction', compact_threshold: 500 + more }] } })),
  fc.nat(600).map((more) => ({ body: { truncation: 'auto' }, contextLength: 700 + more })),
)

/** Conversations in which a response was cut off in the middle of several calls, which the next prompt leaves out. */
const CUT: [number[][], Setting][] = [
  [
    [
      [
        200005, 12606, 815, 316, 28, 28027, 11951, 200008, 12083, 200007, 200006, 173781, 200005, 12606, 815, 316, 28,
        29010, 200008, 12083, 200012,
      ],
      [
        200005, 12606, 815, 316, 28, 46071, 16718, 200008, 12083, 200007, 200006, 173781, 200005, 35644, 200008, 198558,
        13, 200007, 200006, 173781, 200005, 12606, 815, 316, 28, 44580, 142634, 200008, 12083, 200012,
      ],
      [200005, 12606, 815, 316, 28, 44580, 142634, 200008, 12083, 200012],
    ],
    { body: { max_output_tokens: 39 } },
  ],
  [
    [
      [
        200005, 35644, 200008, 43, 68, 83, 668, 1631, 200007, 200006, 173781, 200005, 35644, 316, 28, 44580, 142634,
        200008, 1598, 7, 16, 8, 200007, 200006, 173781, 200005, 35644, 316, 28, 44580, 142634, 220, 200003, 4108,
        200008, 90, 220, 1, 80, 1, 712, 220, 16, 388, 200007, 200006, 173781, 200005, 35644, 316, 28, 29010, 220,
        200003, 4108, 200008, 1598, 7, 16, 8,
      ],
    ],
    { body: {} },
  ],
]

/** Turns in which the model lost a token, each with the mistake. */
const LOST: Record<string, [string[], Setting]> = {
  'the role of a call that says what another response said': [
    [
      '<|channel|>commentary to=functions.apply_patch<|message|>{"city":"Rome"}<|end|><|start|>assistant<|channel|>commentary to=functions.look<|message|>{}<|call|>',
      '<|channel|>commentary to=functions.look code<|message|>{}<|end|><|start|> to=functions.apply_patch<|channel|>commentary<|message|>{"city":"Rome"}<|end|><|start|>assistant<|channel|>final<|message|>Hm.<|return|>',
    ],
    { body: {} },
  ],
  'the end of a call behind a refused one': [
    [
      '<|channel|>commentary to=docs.delete json<|message|>print(1)<|end|><|start|>assistant to=vault.open<|channel|>commentary<|message|>{"query":"otters"}<|end|><|start|>assistant<|channel|>commentary to=functions.apply_patch<|message|>{"city":"Rome"}',
    ],
    { body: {} },
  ],
  'the end of a call that the host runs': [
    [
      ' to=python<|channel|>analysis<|message|>{"city":"Rome"}',
      '<|channel|>analysis<|message|>Let me look<|end|><|start|>assistant<|channel|>final<|message|>Rain is likely.<|return|>',
    ],
    { body: {} },
  ],
  'the channel of reasoning after an answer': [
    [
      ' to=browser.search<|channel|>commentary<|message|>{"city":"Rome"}<|end|><|start|>assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|> is likely.<|return|>',
      '<|channel|>analysis<|message|>a b<|end|><|start|>assistant<|channel|><|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=container.exec json<|message|>{}<|call|>',
    ],
    { body: {} },
  ],
  'a word of a call that the limit cuts off, whose turn has the results of another one': [
    [
      '<|channel|>commentary to=docs.delete<|constrain|>json<|message|>{ "q" : 1 }<|end|><|start|>assistant to=look<|channel|>commentary json<|message|>{}<|end|><|start|>assistant=functions.apply_patch<|channel|>commentary code<|message|>{}<|call|>',
      ' to=docs.delete<|channel|>commentary code<|message|>{"city":"Rome"}<|end|><|start|>assistant<|channel|>final<|message|>a<|return|>',
    ],
    { body: { max_output_tokens: 36 } },
  ],
  'all that was reasoned before a call that is cut off': [
    [
      '<|channel|>analysis<|message|><|end|><|start|>assistant<|channel|>commentary to=docs.search<|constrain|>json<|message|>print(1)<|end|><|start|>assistant<|channel|>analysis to=docs.delete<|constrain|>json<|message|>{}<|end|><|start|>assistant to=vault.open<|channel|>analysis json<|message|>{"query":"otters"}<|end|><|start|>assistant<|channel|>final<|message|>Let me look<|return|>',
    ],
    { body: { max_output_tokens: 52 } },
  ],
}

test.each(Object.entries(LOST))(
  'a stateless conversation renders to the ids of a stored one where the model lost %s',
  async (_, [turns, given]) => {
    const { contexts, ends } = await stateless(turns.map(encodeHarmony), 3, given)
    const kept = await stored(turns.map(encodeHarmony), 3, given)
    expect(ends).toEqual(kept.ends)
    expect(contexts.map(decodeTokens)).toEqual(kept.contexts.map(decodeTokens))
  },
)

test(
  'a stateless conversation whose client sends back all that it got renders to the ids of a stored one, also where the model lost tokens',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyTurn, { minLength: 1, maxLength: 6 }), setting, async (turns, given) => {
        const rounds = 3
        const { contexts, ends } = await stateless(turns, rounds, given)
        const kept = await stored(turns, rounds, given)
        expect(ends).toEqual(kept.ends)
        expect(contexts.map(decodeTokens)).toEqual(kept.contexts.map(decodeTokens))
        expect(contexts).toEqual(kept.contexts)
      }),
      { numRuns: RUNS, examples: CUT },
    )
  },
  60_000 + RUNS * 1000,
)

const WRITTEN = {
  thought: '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant',
  look: ' to=functions.look<|channel|>analysis<|message|>{ "q" : 1 }<|end|><|start|>assistant',
  refused: ' to=docs.delete<|channel|>analysis code<|message|>{ "q" : 1 }<|end|><|start|>assistant',
  search: ' to=docs.search<|channel|>analysis code<|message|>{ "q" : 1 }<|end|><|start|>assistant',
} as const

test.each<(keyof typeof WRITTEN)[]>([
  ['thought', 'refused', 'look'],
  ['thought', 'look', 'refused', 'look'],
  ['thought', 'look', 'refused', 'thought', 'look'],
  ['thought', 'look', 'search', 'look'],
  ['thought', 'look', 'search', 'thought', 'look'],
  ['look', 'search', 'thought', 'look', 'search', 'thought'],
])(
  'a stateless conversation continues as a stored one from a response that is cut off after %s, %s, %s',
  async (...calls) => {
    const written = encodeHarmony(calls.map((name) => WRITTEN[name]).join(''))
    const turns = [1, 2].map(() => [...written, ...encodeHarmony(`<|channel|>analysis<|message|>${'and '.repeat(50)}`)])
    const given: Setting = { body: { max_output_tokens: written.length + 20 } }
    const { contexts, ends } = await stateless(turns, 3, given)
    const kept = await stored(turns, 3, given)
    expect(ends).toEqual(['incomplete', 'incomplete', 'completed'])
    expect(ends).toEqual(kept.ends)
    expect(contexts.map(decodeTokens)).toEqual(kept.contexts.map(decodeTokens))
  },
)

/** Clients' changes to items before they send them back. */
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
  "in a stateless tool loop of %s each prompt begins with the previous one and the model's output for it",
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
    const { contexts } = await stateless(turns, 5, undefined, change)
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
