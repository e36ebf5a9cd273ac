import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { expectSame } from '../../support/expect-same.js'
import { RUNS } from '../../support/runs.js'
import { decodeTokens, encodeHarmony, m } from '../../support/tokens.js'
import { endpoint } from './endpoint.js'
import { joined, said, sampledText, types, writing } from './sampled-turns.js'

type Block = Record<string, unknown> & { type: string }
type Turns = readonly (readonly number[])[]

const PARAMETERS = { type: 'object' } as const

/** The results of the server's tools: text that no search item contains, or a failure. */
const tool: Tool = {
  answers: ({ type }) => type === 'web_search_call' || type === 'mcp_call',
  run: async (call) => {
    if (call.type === 'web_search_call') {
      if (call.action.type === 'open_page') return { error: { message: 'no such page' } }
      return { output: 'L0: What the page says', sources: [{ url: 'https://example.com/otters' }] }
    }
    if (call.type === 'mcp_call' && call.arguments.includes('q')) return { error: { message: 'It rains.' } }
    return { output: `found ${JSON.stringify(call).includes('Rome')}` }
  },
}

/** A tool that a search must find, by its number. */
const hidden = (number: number): object => ({
  ...{ name: `hidden_${number}`, description: `Tool ${number}.`, input_schema: PARAMETERS },
  defer_loading: true,
})

const HIDDEN = [0, 1, 2, 3, 4, 5] as const
const referenceTo = (number: number): object => ({ type: 'tool_reference', tool_name: `hidden_${number}` })

/** The result of the client's tool, or the user's message. */
const goOn = (round: number): string => `Go on from ${round}.`

/** The special properties of a request, and the results of its client's tools. */
interface Given {
  readonly [parameter: string]: unknown
  readonly result?: unknown
}

/** The operator's settings. */
type Operator = Partial<ResponsesAppOptions>

/**
 * Plays a conversation by Messages whose client sends back everything it got.
 *
 * @returns its prompts, and the blocks of all answers
 */
async function byMessages(
  turns: Turns,
  rounds: number,
  given: (round: number) => Given,
  options: Operator = {},
): Promise<{ contexts: number[][]; blocks: Block[] }> {
  const engine = writing(turns)
  const app = endpoint(engine, { clock: () => 1_767_225_600, tools: [tool], ...options })
  const tools = [{ name: 'look', input_schema: PARAMETERS }]
  const messages: { role: string; content: unknown }[] = [{ role: 'user', content: 'Look.' }]
  const blocks: Block[] = []
  for (let round = 0; round < rounds; round++) {
    const { result = 'dry', ...asked } = given(round)
    const { body, status } = await app.ask('POST', '/messages', { max_tokens: 10_000, tools, messages, ...asked })
    expect(status, JSON.stringify(body)).toBe(200)
    const content = body.content as Block[]
    blocks.push(...content)
    // As Claude Code does with the input of its tools.
    for (const block of content) if ('input' in block) block['input'] = reversed(block['input'] as object)
    messages.push({ role: 'assistant', content: content.length === 0 ? [{ type: 'text', text: ' ' }] : content })
    const results = content.flatMap(({ type, id }) =>
      type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: result }] : [],
    )
    messages.push({ role: 'user', content: results.length > 0 ? results : goOn(round) })
  }
  return { contexts: engine.contexts, blocks }
}

/** The same object, whose fields stand in another order. */
function reversed(input: object): object {
  return Object.fromEntries(Object.entries(input).reverse())
}

/** The prompts of the same conversation by Responses, which are stored. */
async function byResponses(
  turns: Turns,
  rounds: number,
  given: object = {},
  options: Operator = {},
): Promise<number[][]> {
  const engine = writing(turns)
  const app = endpoint(engine, { clock: () => 1_767_225_600, tools: [tool], ...options })
  const tools = [{ type: 'function', name: 'look', parameters: PARAMETERS, strict: false }]
  let request: object = { input: [{ role: 'user', content: 'Look.' }] }
  for (let round = 0; round < rounds; round++) {
    const { body } = await app.create({ max_output_tokens: 10_000, tools, ...given, ...request })
    const output = body.output as Block[]
    const results = output.flatMap(({ type, call_id }) =>
      type === 'function_call' ? [{ type: 'function_call_output', call_id, output: 'dry' }] : [],
    )
    const input = results.length > 0 ? results : [{ role: 'user', content: goOn(round) }]
    request = { input, previous_response_id: body.id }
  }
  return engine.contexts
}

const bodies = fc.constantFrom(
  '{}',
  '{"city":"Rome"}',
  '{ "q" : 1 }',
  '{"b": [1, 2.50], "a": "\\u00e9\\/"}',
  '{"10":1,"9":2}',
)

const callOf = (...recipients: string[]): fc.Arbitrary<number[]> =>
  fc
    .tuple(
      fc.boolean(),
      fc.constantFrom('commentary', 'analysis'),
      fc.constantFrom(...recipients),
      types,
      bodies.chain(sampledText),
    )
    .map(([isFirst, channel, to, type, body]) => {
      const header = isFirst ? ` to=${to}<|channel|>${channel}${type}` : `<|channel|>${channel} to=${to}${type}`
      return [...encodeHarmony(`${header}<|message|>`), ...body]
    })

const call = callOf('functions.look', 'look')

/**
 * Reasoning and preambles, and then a call, several side by side, or an answer.
 *
 * @param served - calls of the server's: beside them the model does not answer, but in the turn after their results
 */
const turnsOf = (
  calls: fc.Arbitrary<number[]>,
  served: readonly fc.Arbitrary<number[]>[] = [],
): fc.Arbitrary<number[][]> => {
  const thoughts = [said('analysis'), said('commentary')]
  const before = (...each: readonly fc.Arbitrary<number[]>[]): fc.Arbitrary<number[][]> =>
    fc.array(fc.oneof(...thoughts, ...each), { maxLength: 4 })
  const calling = fc
    .tuple(before(calls, ...served), fc.oneof(calls, ...served))
    .map(([said, last]) => joined([...said, last], m.call))
  const answering = fc.tuple(before(calls), said('final')).map(([said, last]) => joined([...said, last], m.return))
  const turn = fc.oneof({ weight: 3, arbitrary: calling }, { weight: 1, arbitrary: answering })
  return fc.array(turn, { minLength: 1, maxLength: 4 })
}

/** No tools but the client's own. */
const NONE = { messages: {}, responses: {} }

/** The same tools, as each API declares them. */
const SERVED = {
  messages: {
    mcp_servers: [{ type: 'url', name: 'docs', url: 'https://nobody.example' }],
    tools: [
      { name: 'look', input_schema: PARAMETERS },
      {
        ...{ type: 'mcp_toolset', mcp_server_name: 'docs' },
        ...{ default_config: { enabled: false }, configs: { search: { enabled: true } } },
      },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
  },
  responses: {
    tools: [
      { type: 'function', name: 'look', parameters: PARAMETERS, strict: false },
      { type: 'mcp', server_label: 'docs', require_approval: 'never', allowed_tools: ['search'] },
      { type: 'web_search' },
    ],
  },
}

/** The same tools, as an operator offers them to clients that do not know them. */
const OFFERED: Operator = {
  offered: { tools: SERVED.responses.tools.slice(1) as never },
  offeredCalls: 'hidden',
}

test(
  'a conversation by Messages whose blocks all come back renders to the ids of the stored one by Responses',
  async () => {
    const shown = fc.constantFrom({ type: 'adaptive' }, { type: 'enabled' }, { type: 'adaptive', display: 'omitted' })
    const hosted = callOf('docs.search', 'docs.delete', 'browser.search', 'browser.open', 'browser.find')
    const conversation = fc.oneof(
      fc.record({ written: turnsOf(call), declared: fc.constant(NONE), options: fc.constant({}) }),
      fc.record({ written: turnsOf(call, [hosted]), declared: fc.constant(SERVED), options: fc.constant({}) }),
      fc.record({ written: turnsOf(call, [hosted]), declared: fc.constant(NONE), options: fc.constant(OFFERED) }),
    )
    await fc.assert(
      fc.asyncProperty(conversation, shown, async ({ written, declared, options }, thinking) => {
        const { contexts: theirs } = await byMessages(written, 4, () => ({ ...declared.messages, thinking }), options)
        const ours = await byResponses(written, 4, declared.responses, options)
        // As text first, which a reader of the failure understands.
        if (!isDeepStrictEqual(theirs, ours)) expect(theirs.map(decodeTokens)).toEqual(ours.map(decodeTokens))
        expectSame(theirs, ours)
      }),
      { numRuns: RUNS },
    )
  },
  60_000 + RUNS * 1000,
)

test(
  'every thinking block of a client that sees the reasoning has a text',
  async () => {
    await fc.assert(
      fc.asyncProperty(turnsOf(call), async (written) => {
        const { blocks } = await byMessages(written, written.length, () => ({ thinking: { type: 'adaptive' } }))
        expect(blocks.filter(({ type, thinking }) => type === 'thinking' && thinking === '')).toEqual([])
      }),
      { numRuns: RUNS },
    )
  },
  60_000 + RUNS * 1000,
)

test(
  'a tool loop continues from the ids that were sampled, though its client asks for no thinking, and results find more tools',
  async () => {
    const round = fc.record({
      tokens: fc
        .tuple(fc.option(said('analysis')), call)
        .map(([thought, last]) => joined(thought === null ? [last] : [thought, last], m.call)),
      found: fc.uniqueArray(fc.nat(5), { maxLength: 3 }),
    })
    const loops = fc.array(round, { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(loops, fc.boolean(), async (drawn, areDeclaredAtOnce) => {
        const found = drawn.map((each) => each.found)
        const written = drawn.map(({ tokens }) => tokens)
        // Claude Code declares a tool when it is found.
        const declaredIn = (at: number): object[] =>
          (areDeclaredAtOnce ? HIDDEN : [...new Set(found.slice(0, at).flat())]).map(hidden)
        const { contexts } = await byMessages(written, written.length + 1, (at) => ({
          tools: [...declaredIn(at), { name: 'look', input_schema: PARAMETERS }],
          result: found[at]?.length === 0 ? 'dry' : found[at]?.map(referenceTo),
        }))
        for (const [at, tokens] of written.entries()) {
          const before = [...(contexts[at] as number[]), ...tokens]
          const next = contexts[at + 1] as number[]
          expect(next.slice(0, before.length)).toEqual(before)
          const rest = decodeTokens(next.slice(before.length))
          const earlier = found.slice(0, at).flat()
          for (const one of HIDDEN) {
            const isNew = found[at]?.includes(one) === true && !earlier.includes(one)
            expect(rest.includes(`type hidden_${one} = `)).toBe(isNew)
          }
        }
      }),
      { numRuns: RUNS },
    )
  },
  60_000 + RUNS * 1000,
)
