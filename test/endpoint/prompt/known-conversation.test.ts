import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  KnownConversation,
  type Part,
  type Reading,
  readingOf,
} from '../../../src/endpoint/prompt/known-conversation.js'
import { withTools } from '../../../src/endpoint/prompt/prompt-messages.js'
import { renderPrompt } from '../../../src/endpoint/prompt/render-prompt.js'
import { promptFromEarlier } from '../../../src/endpoint/respond/prompts/earlier-prompt.js'
import { loadTokenTable } from '../../../src/index.js'
import { atOnce, createWork } from '../../../src/shared/slices.js'
import { countWork } from '../../support/count-work.js'
import { runs, sized } from '../../support/runs.js'
import { encodeHarmony } from '../../support/tokens.js'

const tokenTable = await loadTokenTable()
const OPTIONS = { tokenTable, date: '2026-01-31', images: 'placeholder' as const }
const TOOLS = [
  { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } },
  { type: 'mcp', server_label: 'github', require_approval: 'never' },
  { type: 'code_interpreter' },
]

type Item = { readonly [field: string]: unknown }

/** The addition of one response: its input items, its output items, and its transcript. */
interface Turn {
  readonly input: readonly Item[]
  readonly output: readonly Item[]
  readonly transcript: string
  /** Whether the transcript says which items it has. */
  readonly hasItems?: boolean
  /** Whether the client sent the messages back without their ids. */
  readonly isUnnamed?: boolean
}

const ANSWER = '<|channel|>final<|message|>Yes.<|return|>'
const said = fc.constantFrom('Hi', 'Go.', '1', '', 'Let me see.')

/** A piece of what a model writes, as items and as tokens. */
const piece = (id: string) => {
  const thought = said.map((text) => ({
    items: [{ type: 'reasoning', id, summary: [], content: [{ type: 'reasoning_text', text }] }],
    tokens: `<|channel|>analysis<|message|>${text}<|end|><|start|>assistant`,
  }))
  const hidden = said.map((text) => ({
    items: [{ type: 'reasoning', id, summary: [], content: [] }],
    tokens: `<|channel|>analysis<|message|>${text}<|end|><|start|>assistant`,
  }))
  const preamble = said.map((text) => ({
    items: [{ type: 'message', id, role: 'assistant', phase: 'commentary', content: [{ type: 'output_text', text }] }],
    tokens: `<|channel|>commentary<|message|>${text}<|end|><|start|>assistant`,
  }))
  const hosted = said.map((text) => ({
    items: [{ type: 'mcp_call', id, server_label: 'github', name: 'f', arguments: '{"q":1}', output: text }],
    tokens:
      '<|channel|>commentary to=github.f <|constrain|>json<|message|>{"q": 1}<|call|>' +
      `<|start|>github.f to=assistant<|channel|>commentary<|message|>${text}<|end|><|start|>assistant`,
  }))
  return fc.oneof(thought, hidden, preamble, hosted)
}

const answer = (id: string) =>
  said.map((text) => ({
    items: [
      { type: 'message', id, role: 'assistant', phase: 'final_answer', content: [{ type: 'output_text', text }] },
    ],
    tokens: `<|channel|>final<|message|>${text}<|return|>`,
  }))

const CALL = '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"a": 1}'

/** Calls that are made together, by their ids. */
const calls = (ids: readonly string[]) =>
  ids.map((id, at) =>
    fc.constant({
      items: [{ type: 'function_call', id, call_id: `call_${id}`, name: 'look', arguments: '{"a":1}' }],
      tokens: `${CALL}${at < ids.length - 1 ? '<|end|><|start|>assistant' : '<|call|>'}`,
    }),
  )

const clientItem = (id: string): fc.Arbitrary<Item> =>
  fc.oneof(
    { weight: 6, arbitrary: said.map((text) => ({ type: 'message', id, role: 'user', content: text })) },
    said.map((text) => ({ role: 'developer', content: text })),
    said.map((text) => ({
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'custom', name: 'look', description: text }, { type: 'web_search' }],
    })),
    said.map((text) => ({ type: 'message', role: 'assistant', content: text })),
    said.map((text) => ({ type: 'message', id, role: 'assistant', phase: 'final_answer', content: text })),
    said.map((text) => ({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] })),
    fc.constant({ role: 'user', content: [{ type: 'input_image', image_url: 'https://x.example/a.png' }] }),
  )

/** The turns of a conversation. Each call of the client's is answered by the next turn, in any order. */
const conversation: fc.Arbitrary<Turn[]> = fc
  .array(
    fc.record({
      items: fc.nat(2),
      pieces: fc.nat(2),
      count: fc.nat(3),
      isCut: fc.boolean(),
      hasItems: fc.boolean(),
      isUnnamed: fc.nat(3).map((drawn) => drawn === 0),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .chain((shapes) =>
    fc.tuple(
      ...shapes.map(({ items, pieces, count, isCut, hasItems, isUnnamed }, turn) => {
        const idsOf = (at: number): string[] =>
          ['', '_b', '_c'].slice(0, shapes[at]?.count ?? 0).map((one) => `o${at}${one}`)
        const output = fc.tuple(
          ...Array.from({ length: pieces }, (_, at) => piece(`o${turn}_${at}`)),
          ...(count === 0 ? [answer(`o${turn}`)] : calls(idsOf(turn))),
        )
        const results = idsOf(turn - 1).map((id, at) => {
          return { type: 'function_call_output', call_id: `call_${id}`, output: at < 2 ? 'wet' : 'dry' }
        })
        const most = results.length > 0 ? items : items + 1
        const input = fc
          .tuple(...Array.from({ length: most }, (_, at) => clientItem(`i${turn}_${at}`)))
          .chain((sent) => {
            const all: Item[] = [...results, ...sent]
            const shuffled = fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })
            return fc.oneof({ weight: 2, arbitrary: fc.constant(all) }, shuffled)
          })
        return fc.tuple(input, output).map(([sent, given]): Turn => {
          return {
            input: sent,
            output: given.flatMap((one) => one.items as readonly Item[]),
            // A response that was written by hand, or whose transcript is lost.
            transcript: isCut ? '' : given.map(({ tokens }) => tokens).join(''),
            ...{ hasItems, isUnnamed },
          }
        })
      }),
    ),
  )

const unnamed = ({ id, ...item }: Item): Item =>
  item['type'] === 'message' || item['type'] === 'reasoning' ? item : { ...item, id }

/** A request that continues some turns, and how much of it they cover. */
function requestAfter(turns: readonly Turn[], own: readonly Item[]) {
  const before = turns.flatMap(({ input, output, isUnnamed = false }) => [
    ...input,
    ...(isUnnamed ? output.map(unnamed) : output),
  ])
  const history = turns.flatMap(({ transcript, output, hasItems }) => {
    const items = output.map(({ id }) => id as string)
    return transcript === '' ? [] : [{ tokens: encodeHarmony(transcript), ...(hasItems && { items }) }]
  })
  return {
    request: { input: [...before, ...own], tools: TOOLS },
    options: { ...OPTIONS, history },
    part: { items: before.length, history: history.length },
  }
}

/** The ids of a prompt, as far as they can be rendered. */
function wholePrompt(request: object, options: typeof OPTIONS): readonly number[] | undefined {
  try {
    const { tokens, messages } = renderPrompt(request, options)
    return [...tokens.subarray(0, messages.at(-1)?.end)]
  } catch {
    return undefined
  }
}

const settle = (known: KnownConversation, reading: Reading, part: Part): boolean =>
  atOnce(known.settle(reading, part, createWork()))
const render = (known: KnownConversation, request: object, reading: Reading, options: typeof OPTIONS) =>
  atOnce(known.render(request as never, reading, withTools(request, options), createWork()))

/** How the conversation of a request is read, its tools with it. */
const read = (request: object, options: typeof OPTIONS): Reading | undefined =>
  readingOf(request, withTools(request, options))

describe('a conversation of which the beginning is known', () => {
  test('a known conversation has the ids that it has if all of it is read, whatever is said in it, or is read as a whole', async () => {
    let counts = { known: 0, all: 0 }
    fc.assert(
      fc.property(conversation, (turns) => {
        let known: KnownConversation | undefined
        for (let count = 1; count < turns.length; count++) {
          const { request, options, part } = requestAfter(turns.slice(0, count), turns[count]?.input ?? [])
          const whole = wholePrompt(request, options)
          if (whole === undefined) return
          const reading = read(request, options)
          if (reading === undefined) throw new Error('not read')
          if (known?.key !== reading.key) known = new KnownConversation(reading.key)
          counts = { ...counts, all: counts.all + 1 }
          if (!settle(known, reading, part)) {
            known = undefined
            continue
          }
          const prompt = render(known, request, reading, options)
          // A repeated prompt is the same: a request may be sent again.
          expect(render(known, request, reading, options)).toEqual(prompt)
          if (prompt === undefined) continue
          counts = { ...counts, known: counts.known + 1 }
          expect([...prompt.tokens]).toEqual(whole)
        }
      }),
      { numRuns: runs(2000) },
    )
    // Most of them benefit.
    expect(counts.known).toBeGreaterThan(counts.all / 3)
  })

  // Codex begins each conversation over a WebSocket with a response to nothing, which only warms the engine's cache.
  test('instructions after a response without items belong to the head, as if all is read', () => {
    const own = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Go.' },
    ]
    const { request, options, part } = requestAfter([], own)
    const reading = read(request, options) ?? expect.unreachable()
    const known = new KnownConversation(reading.key)
    expect(settle(known, reading, part)).toBe(true)
    const prompt = render(known, request, reading, options) ?? expect.unreachable()
    expect([...prompt.tokens]).toEqual(wholePrompt(request, options))
  })

  test.each([
    ['an id that another item has', { type: 'message', id: 'i0', role: 'user', content: 'Ho' }],
    ['an output of a call that has one', { type: 'function_call_output', call_id: 'call_o1', output: 'x' }],
    ['an output of no call', { type: 'function_call_output', call_id: 'call_none', output: 'x' }],
    ['an item that a response had, and that was left out', { type: 'message', id: 'cut', role: 'user', content: 'Hi' }],
    ['a compaction', { type: 'compaction', encrypted_content: 'gAAA' }],
    ['an answer to an approval request', { type: 'mcp_approval_response', approval_request_id: 'x', approve: true }],
  ])('a known conversation is read as a whole before %s, so that errors are reported as before', (_, item) => {
    const call = { type: 'function_call', id: 'o1', call_id: 'call_o1', name: 'look', arguments: '{}' }
    const turns: Turn[] = [
      { input: [{ type: 'message', id: 'i0', role: 'user', content: 'Hi' }], output: [call], transcript: '' },
      { input: [{ type: 'function_call_output', call_id: 'call_o1', output: 'wet' }], output: [], transcript: '' },
    ]
    const { request, options: given, part } = requestAfter(turns, [item])
    part.history = 1
    const options = { ...given, history: [{ tokens: encodeHarmony(ANSWER), items: ['cut'] }] }
    const reading = read(request, options) as Reading
    const known = new KnownConversation(reading.key)
    expect(settle(known, reading, part)).toBe(true)
    const earlier = { ...part, begin: async () => () => {}, take: () => known, give() {} }
    const prompt = promptFromEarlier(
      request as never,
      withTools(request, options),
      earlier,
      createWork(),
      Number.POSITIVE_INFINITY,
    )
    expect(atOnce(prompt)).toBeUndefined()
  })

  test('a known conversation is read anew where the tools are others, since they decide how calls are read', () => {
    const { request, options } = requestAfter([], [{ role: 'user', content: 'Hi' }])
    const other = read({ ...request, tools: [] }, options)
    expect(other?.key).not.toBe(read(request, options)?.key)
  })

  test('a known conversation takes as much work for its thousandth turn as for its hundredth', async () => {
    const turn = (at: number): Turn => ({
      input: [{ type: 'message', id: `i${at}`, role: 'user', content: `Question ${at % 7}?` }],
      output: [
        {
          type: 'message',
          id: `o${at}`,
          role: 'assistant',
          phase: 'final_answer',
          content: [{ type: 'output_text', text: 'Yes.' }],
        },
      ],
      transcript: ANSWER,
    })
    const most = sized(1000, 200)
    const turns = Array.from({ length: most }, (_, at) => turn(at))
    const counter = await countWork<typeof import('../../../src/endpoint/prompt/known-conversation.js')>(
      'endpoint/prompt/known-conversation.ts',
    )
    const works = [most / 10, most].map((count) => {
      const before = requestAfter(turns.slice(0, count - 1), [])
      const { request, options, part } = requestAfter(turns.slice(0, count), [{ role: 'user', content: 'And?' }])
      const known = new counter.module.KnownConversation(read(request, options)?.key ?? '')
      const earlier = read(before.request, before.options) as Reading
      const reading = read(request, options) as Reading
      expect(settle(known, earlier, before.part)).toBe(true)
      return counter.count(() => {
        expect(settle(known, reading, part)).toBe(true)
        expect(render(known, request, reading, options)).toBeDefined()
      })
    })
    counter.stop()
    expect(works[1]).toBeLessThan((works[0] as number) * 1.2)
  })
})
