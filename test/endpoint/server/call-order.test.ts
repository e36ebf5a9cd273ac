import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HostedCall, Tool } from '../../../src/endpoint/tools/tool.js'
import { RUNS, runs } from '../../support/runs.js'
import { decodeTokens, encodeHarmony, m } from '../../support/tokens.js'
import { type Endpoint, endpoint } from './endpoint.js'
import { writing } from './sampled-turns.js'

/** A prompt as a person reads it, with its markers. */
const shown = (context: readonly number[] = []): string =>
  context.map((id) => MARKERS.get(id) ?? decodeTokens([id])).join('')
const MARKERS: ReadonlyMap<number, string> = new Map(Object.entries(m).map(([name, id]) => [id, `<|${name}|>`]))

const TOOLS = [
  { type: 'function', name: 'look', parameters: { type: 'object' }, strict: false },
  { type: 'custom', name: 'patch' },
  { type: 'mcp', server_label: 'bank', require_approval: 'always' },
  { type: 'mcp', server_label: 'docs', require_approval: 'never' },
  { type: 'shell', environment: { type: 'local' } },
  { type: 'apply_patch' },
]

type Item = Record<string, unknown> & { readonly type: string }

/** Runs payments and searches, and records their arguments in the order in which they began. */
function bank(): { readonly ran: string[]; readonly tool: Tool } {
  const ran: string[] = []
  const listing = { serverLabel: 'bank', tools: [{ name: 'pay', inputSchema: { type: 'object' } }] }
  const docs = { serverLabel: 'docs', tools: [{ name: 'search', inputSchema: { type: 'object' } }] }
  const tool: Tool = {
    answers: ({ type }: HostedCall) => type === 'mcp_call',
    run: async (call) => {
      const text = 'arguments' in call ? String(call.arguments) : ''
      ran.push(text)
      return { output: `done ${text}` }
    },
    listings: async () => [listing, docs],
  }
  return { ran, tool }
}

const HEADERS = {
  look: 'commentary to=functions.look <|constrain|>json',
  patch: 'commentary to=functions.patch',
  shell: 'commentary to=container.exec <|constrain|>json',
  change: 'commentary to=functions.apply_patch',
  pay: 'commentary to=bank.pay <|constrain|>json',
  search: 'commentary to=docs.search <|constrain|>json',
  thought: 'analysis',
} as const

type Kind = keyof typeof HEADERS

const BODIES: Readonly<Partial<Record<Kind, (at: number) => string>>> = {
  patch: (at) => `change ${at}`,
  shell: (at) => `{"cmd":["bash","-lc","cat ${at}"]}`,
  change: (at) => `*** Begin Patch\n*** Delete File: ${at}.txt\n*** End Patch\n`,
  thought: (at) => `Hm ${at}.`,
}

/** What a model writes in one turn: calls that it ends with `<|end|>`, except for the last. */
function turnOf(kinds: readonly Kind[], round = 0): number[] {
  const messages = kinds.map((kind, at) => {
    const body = (BODIES[kind] ?? ((nth: number) => `{"n":${nth}}`))(10 * round + at)
    return `<|channel|>${HEADERS[kind]}<|message|>${body}`
  })
  return encodeHarmony(`${messages.join('<|end|><|start|>assistant')}<|call|>`)
}

const EXIT = { type: 'exit', exit_code: 0 }

/** The client's answer to each call of a response, in their order. */
function answersTo(output: readonly Item[], isApproved: (nth: number) => boolean): Item[] {
  return output.flatMap((item, nth): Item[] => {
    const { type, call_id, id } = item
    if (type === 'function_call' || type === 'custom_tool_call')
      return [{ type: `${type}_output`, call_id, output: `result ${nth}` }]
    if (type === 'shell_call') {
      const stdout = `result ${nth}`
      return [{ type: 'shell_call_output', call_id, output: [{ stdout, stderr: '', outcome: EXIT }] }]
    }
    if (type === 'apply_patch_call')
      return [{ type: 'apply_patch_call_output', call_id, status: 'completed', output: `result ${nth}` }]
    if (type !== 'mcp_approval_request') return []
    return [{ type: 'mcp_approval_response', approval_request_id: id, approve: isApproved(nth), reason: `No ${nth}.` }]
  })
}

const user = (content: string): Item => ({ type: 'message', role: 'user', content })

interface Round {
  readonly kinds: readonly Kind[]
  /** For each call, whether its payment is approved. */
  readonly approved: readonly boolean[]
  /** The order of the client's answers: numbers to sort them by. */
  readonly keys: readonly number[]
  /** Whether the user speaks behind the answers. */
  readonly isSaid: boolean
}

interface Played {
  readonly contexts: number[][]
  readonly ran: string[]
}

/** Plays rounds of calls, to which a client answers in the order of the keys, or in that of the calls. */
async function play(
  rounds: readonly Round[],
  how: { readonly isStored: boolean; readonly isSorted: boolean },
): Promise<Played> {
  const { ran, tool } = bank()
  const engine = writing(rounds.map(({ kinds }, at) => turnOf(kinds, at)))
  const { create } = endpoint(engine, { tools: [tool], clock: () => 1_767_225_600 })
  const body = how.isStored ? {} : { store: false, include: ['reasoning.encrypted_content'] }
  let input: Item[] = [user('Go.')]
  let previous: string | undefined
  for (const { approved, keys, isSaid } of [...rounds, LAST]) {
    const given = { tools: TOOLS, ...body, input, ...(previous !== undefined && { previous_response_id: previous }) }
    const { body: response } = await create(given)
    expect(response.status).toBe('completed')
    const answers = answersTo(response.output, (nth) => approved[nth % approved.length] ?? false)
    const sorted = how.isSorted
      ? answers
      : [...answers.entries()].sort(([a], [b]) => (keys[a] ?? 0) - (keys[b] ?? 0)).map(([, answer]) => answer)
    const next = [...sorted, ...(isSaid || sorted.length === 0 ? [user('Go on.')] : [])]
    input = how.isStored ? next : [...input, ...response.output, ...next]
    if (how.isStored) previous = response.id
  }
  return { contexts: engine.contexts, ran }
}

const LAST: Round = { kinds: [], approved: [], keys: [], isSaid: false }

const round: fc.Arbitrary<Round> = fc.record({
  kinds: fc
    .array(fc.constantFrom<Kind>('look', 'look', 'pay', 'pay', 'patch', 'shell', 'change', 'search', 'thought'), {
      minLength: 1,
      maxLength: 5,
    })
    .map((kinds): Kind[] => [...kinds, 'look']),
  approved: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  keys: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  isSaid: fc.boolean(),
})

const rounds = fc.array(round, { minLength: 1, maxLength: 3 })
const LONG = 60_000 + RUNS * 1000

describe('the answers to calls that were made together', () => {
  test(
    'a client that answers in another order has the same prompts, stored or not, and the same calls run in the same order',
    async () => {
      await fc.assert(
        fc.asyncProperty(rounds, async (played) => {
          const sorted = await play(played, { isStored: true, isSorted: true })
          for (const how of [
            { isStored: true, isSorted: false },
            { isStored: false, isSorted: true },
            { isStored: false, isSorted: false },
          ]) {
            const { contexts, ran } = await play(played, how)
            expect(contexts.map(shown)).toEqual(sorted.contexts.map(shown))
            expect(contexts).toEqual(sorted.contexts)
            expect(ran).toEqual(sorted.ran)
          }
        }),
        { numRuns: runs(200) },
      )
    },
    LONG,
  )

  test(
    'each prompt begins with the one before it and what the model wrote, whatever was approved',
    async () => {
      await fc.assert(
        fc.asyncProperty(rounds, async (played) => {
          const { contexts } = await play(played, { isStored: true, isSorted: false })
          for (const [at, context] of contexts.slice(1).entries()) {
            const before = contexts[at] as number[]
            // Reasoning before an answer is dropped.
            if (at === contexts.length - 2) continue
            expect(shown(context.slice(0, before.length))).toBe(shown(before))
          }
        }),
        { numRuns: runs(100) },
      )
    },
    LONG,
  )
})

/** An endpoint whose model asks for two payments together, and then answers. */
async function asked(store: boolean): Promise<Endpoint & Played & { readonly output: Item[]; readonly id: string }> {
  const { ran, tool } = bank()
  const engine = writing([turnOf(['pay', 'pay'])])
  const served = endpoint(engine, { tools: [tool] })
  const { body } = await served.create({ input: 'Pay both.', tools: TOOLS, store })
  const { output, id } = body
  return { ...served, ran, contexts: engine.contexts, output, id }
}

const requests = (output: readonly Item[]): Item[] => output.filter(({ type }) => type === 'mcp_approval_request')
const answer = ({ id }: Item, approve: boolean): Item => ({
  ...{ type: 'mcp_approval_response', approval_request_id: id, approve },
})
/** The texts of the results in a prompt, in order. */
const resultsIn = (context: readonly number[] = []): string[] =>
  [...shown(context).matchAll(/<\|start\|>bank\.pay to=assistant.*?<\|message\|>(.*?)<\|end\|>/gs)].map(
    ([, text]) => text ?? '',
  )

const DENIED = 'The user did not approve this call.'

describe('approvals that are given in another order than they were asked for', () => {
  test('two approvals of a stored response run and are read in the order of their calls', async () => {
    const { create, output, id, ran, contexts } = await asked(true)
    const [first, second] = requests(output) as [Item, Item]
    const input = [answer(second, true), answer(first, true)]
    const { body } = await create({ input, tools: TOOLS, previous_response_id: id })
    expect(ran).toEqual(['{"n":0}', '{"n":1}'])
    expect(body.output.flatMap((item: Item) => (item.type === 'mcp_call' ? [item['arguments']] : []))).toEqual(ran)
    expect(resultsIn(contexts.at(-1))).toEqual(['done {"n":0}', 'done {"n":1}'])
  })

  test('two approvals that are sent without the response run and are read in the order of its calls', async () => {
    const { create, output, ran, contexts } = await asked(true)
    const [first, second] = requests(output) as [Item, Item]
    await create({ input: [user('Pay.'), answer(second, true), answer(first, true)], tools: TOOLS })
    expect(ran).toEqual(['{"n":0}', '{"n":1}'])
    const prompt = shown(contexts.at(-1))
    expect(prompt.indexOf('<|message|>{"n":0}')).toBeLessThan(prompt.indexOf('<|message|>{"n":1}'))
    expect(resultsIn(contexts.at(-1))).toEqual(['done {"n":0}', 'done {"n":1}'])
  })

  test('approval requests that a client sends back in another order run as they were asked for', async () => {
    const { create, output, ran, contexts } = await asked(true)
    const [first, second] = requests(output) as [Item, Item]
    const input = [user('Pay both.'), second, answer(second, true), first, answer(first, true)]
    await create({ input, tools: TOOLS })
    expect(ran).toEqual(['{"n":0}', '{"n":1}'])
    expect(resultsIn(contexts.at(-1))).toEqual(['done {"n":0}', 'done {"n":1}'])
  })

  test('two approvals of a response that is not stored run and are read in the order of their calls', async () => {
    const { create, output, ran, contexts } = await asked(false)
    const [first, second] = requests(output) as [Item, Item]
    const input = [user('Pay both.'), ...output, answer(second, true), answer(first, true)]
    await create({ input, tools: TOOLS, store: false })
    expect(ran).toEqual(['{"n":0}', '{"n":1}'])
    expect(resultsIn(contexts.at(-1))).toEqual(['done {"n":0}', 'done {"n":1}'])
  })

  test.each([
    ['the second', [true, false], ['done {"n":0}', DENIED]],
    ['the first', [false, true], [DENIED, 'done {"n":1}']],
  ])(
    'the model reads that %s of two payments was denied, also when it was the first answer',
    async (_, approve, read) => {
      for (const isSwapped of [false, true]) {
        const { create, output, id, contexts } = await asked(true)
        const answers = requests(output).map((request, nth) => answer(request, approve[nth] as boolean))
        const input = [...(isSwapped ? answers.reverse() : answers), user('Now.')]
        await create({ input, tools: TOOLS, previous_response_id: id })
        expect(resultsIn(contexts.at(-1))).toEqual(read)
      }
    },
  )

  test('the model reads of the payments that the user left unanswered in the order of the calls', async () => {
    const { create, output, id, contexts } = await asked(true)
    const [first] = requests(output) as [Item]
    const { body } = await create({ input: [answer(first, true)], tools: TOOLS, previous_response_id: id })
    const read = ['done {"n":0}', 'The user has not approved this call.']
    expect(resultsIn(contexts.at(-1))).toEqual(read)
    await create({ input: 'Go on.', tools: TOOLS, previous_response_id: body.id })
    expect(resultsIn(contexts.at(-1))).toEqual(read)
  })
})

describe('a conversation in which the client answers in another order', () => {
  const call = (call_id: string): Item => ({ type: 'function_call', call_id, name: 'look', arguments: '{"n":0}' })
  const output = (call_id: string): Item => ({ type: 'function_call_output', call_id, output: `result ${call_id}` })
  const inOrder = [user('Go.'), call('a'), call('b'), output('a'), output('b'), user('Go on.')]
  const swapped = [user('Go.'), call('a'), call('b'), output('b'), output('a'), user('Go on.')]

  test('it has as many input tokens, and is compacted from the same prompt', async () => {
    const prompts = []
    for (const input of [inOrder, swapped]) {
      const engine = writing([])
      const { ask } = endpoint(engine, { clock: () => 1_767_225_600 })
      const body = { model: 'gpt-oss', tools: TOOLS, input }
      const counted = await ask('POST', '/responses/input_tokens', body)
      const compacted = await ask('POST', '/responses/compact', body)
      expect([counted.status, compacted.status]).toEqual([200, 200])
      prompts.push([counted.body.input_tokens, engine.contexts])
    }
    expect(prompts[1]).toEqual(prompts[0])
  })
})
