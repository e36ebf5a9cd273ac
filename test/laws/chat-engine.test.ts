import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HarmonyMessage } from '../../src/core/harmony/events.js'
import { eventHandler } from '../../src/core/harmony/handler.js'
import { createNativeParser } from '../../src/core/harmony/parser.js'
import type { PromptTool } from '../../src/engines/contract/prompt-fields.js'
import { type ChatEngineOptions, createChatEngine } from '../../src/engines/sources/chat.js'
import { loadTokenTable } from '../../src/index.js'
import { readTokens } from '../support/read-tokens.js'
import { runs } from '../support/runs.js'
import { encodeHarmony } from '../support/tokens.js'

const tokenTable = await loadTokenTable()

/** Two have the same name in Chat Completions, but for a number. */
const TOOLS: readonly PromptTool[] = [
  { recipient: 'functions.get_weather', body: 'json' },
  { recipient: 'docs.search', body: 'json' },
  { recipient: 'functions.docs__search', body: 'json' },
]

interface Call {
  readonly nth: number
  readonly args: string
}

/** What a model says in one turn. */
interface Turn {
  readonly reasoning: string
  readonly content: string
  readonly calls: readonly Call[]
}

/** How a server sends it. */
interface Style {
  readonly field: 'reasoning' | 'reasoning_content' | '<think>'
  readonly index: 'each' | 'none'
  readonly isInterleaved: boolean
  readonly repeatsId: boolean
  readonly reason: string
  readonly size: number
}

const text = fc
  .array(fc.constantFrom('Hm', ' ', '\n', '😀', '<|end|>', '<|start|>system', 'Zürich', '{', '"', 'x'.repeat(401)), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''))
const args = fc
  .dictionary(fc.constantFrom('a', 'b"', '{'), fc.constantFrom<unknown>('}', '😀', '\\', [1], { c: null }))
  .map((object) => JSON.stringify(object))
const turn: fc.Arbitrary<Turn> = fc.record({
  reasoning: text,
  content: text,
  calls: fc.array(fc.record({ nth: fc.nat(TOOLS.length - 1), args }), { maxLength: 4 }),
})
const style: fc.Arbitrary<Style> = fc.record({
  field: fc.constantFrom('reasoning', 'reasoning_content', '<think>'),
  index: fc.constantFrom('each', 'none'),
  isInterleaved: fc.boolean(),
  repeatsId: fc.boolean(),
  reason: fc.constantFrom('stop', 'tool_calls', 'eos'),
  size: fc.integer({ min: 1, max: 6 }),
})
const counts = fc.record({ prompt_tokens: fc.nat(9_999), completion_tokens: fc.nat(9_999) })

/** A text in pieces, which may cut a character. */
function pieces(whole: string, size: number): string[] {
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, nth) => whole.slice(nth * size, (nth + 1) * size))
}

const chunk = (delta: object, finish_reason: string | null = null): object => ({ choices: [{ delta, finish_reason }] })

/** The chunks of a turn, up to the reason of its end. */
function chunksOf({ reasoning, content, calls }: Turn, how: Style, names: readonly string[]): object[] {
  const { field, index, isInterleaved, repeatsId, reason, size } = how
  const isTagged = field === '<think>'
  const whole = isTagged && reasoning !== '' ? `<think>${reasoning}</think>${content}` : content
  const thought = isTagged ? [] : pieces(reasoning, size).map((piece) => chunk({ [field]: piece }))
  const parts = calls.map(({ nth, args }, at) => {
    const id = `call_${at}`
    const own = (piece: object, begins: boolean): object =>
      chunk({
        tool_calls: [{ ...(index === 'each' && { index: at }), ...((begins || repeatsId) && { id }), function: piece }],
      })
    const rest = pieces(args, size).map((piece) => own({ arguments: piece }, false))
    return [own({ name: names[nth], arguments: '' }, true), ...rest]
  })
  const called: object[] = []
  if (isInterleaved && index === 'each') {
    for (let at = 0; parts.some((own) => at < own.length); at++) {
      called.push(...parts.flatMap((own) => own.slice(at, at + 1)))
    }
  } else called.push(...parts.flat())
  return [...thought, ...pieces(whole, size).map((piece) => chunk({ content: piece })), ...called, chunk({}, reason)]
}

interface Asked {
  // biome-ignore lint/suspicious/noExplicitAny: what a law reads of a body is what it tests
  readonly body: any
  readonly messages: HarmonyMessage[]
  readonly end: unknown
}

/** Has a server answer a prompt by the names that it was given. */
async function ask(
  chunks: (names: readonly string[]) => readonly unknown[],
  { prompt = '<|start|>user<|message|>Hi<|end|>', tools = TOOLS, ...options }: Asking = {},
): Promise<Asked> {
  let body: { tools?: { function: { name: string } }[] } = {}
  const fetch = async (_: unknown, { body: sent }: RequestInit = {}): Promise<Response> => {
    body = JSON.parse(String(sent))
    const names = (body.tools ?? []).map((tool) => tool.function.name)
    const frames = chunks(names).map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`)
    return new Response(frames.join(''))
  }
  const engine = createChatEngine({ url: 'http://chat.invalid', model: 'm', fetch, retries: 0, ...options })
  const begun = encodeHarmony(`${prompt}<|start|>assistant`)
  const { tokens, end } = await readTokens(engine.generate(begun, { promptFields: { tools } }))
  const messages: HarmonyMessage[] = []
  const handler = eventHandler((event) => {
    if (event.type === 'message_start') messages.push({ ...event.header, content: '' })
    else if (event.type === 'message_text') (messages.at(-1) as HarmonyMessage).content += event.text
  })
  const parser = createNativeParser({ tokenTable }, handler)
  for (const id of tokens) parser.push(id as number, 'model')
  parser.end()
  return { body, messages, end }
}

type Asking = Partial<ChatEngineOptions> & { readonly prompt?: string; readonly tools?: readonly PromptTool[] }

/** What the turn is in Harmony: channel, recipient and content of each message. */
function messagesOf({ reasoning, content, calls }: Turn, { field }: Style): unknown[] {
  const isTagged = field === '<think>' && reasoning !== ''
  // White space around a tag belongs to nothing.
  const own = isTagged ? content.trimStart() : content
  const isSpoken = calls.length === 0 ? own !== '' : own.trim() !== ''
  const isAnswer = calls.length === 0 || own.length > 400
  return [
    ...(reasoning === '' ? [] : [['analysis', undefined, reasoning]]),
    ...(isSpoken ? [[isAnswer ? 'final' : 'commentary', undefined, own]] : []),
    ...calls.map(({ nth, args }) => ['commentary', TOOLS[nth]?.recipient, args]),
  ]
}

const optionsOf = ({ field }: Style): Asking => (field === '<think>' ? { thinkTags: 'both' } : {})

describe('the engine of Chat Completions', () => {
  test('however a server sends a turn, it is all of that turn, in its order, with the server’s counts', async () => {
    await fc.assert(
      fc.asyncProperty(turn, style, counts, async (one, how, usage) => {
        // What begins with a tag is reasoning there.
        fc.pre(how.field !== '<think>' || (one.reasoning !== '' && !/^\s*$/.test(one.reasoning + one.content)))
        const chunks = (names: readonly string[]) => [...chunksOf(one, how, names), { choices: [], usage }, '[DONE]']
        const { messages, end } = await ask(chunks, optionsOf(how))
        const got = messages.map(({ channel, recipient, content }) => [channel, recipient, content])
        expect(got).toEqual(messagesOf(one, how))
        const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage
        expect(end).toEqual({ reason: 'stop', usage: { inputTokens, outputTokens } })
      }),
      { numRuns: runs(100) },
    )
  })

  test('a turn that breaks off before its end fails', async () => {
    await fc.assert(
      fc.asyncProperty(turn, style, fc.nat(), async (one, how, at) => {
        const broken = (names: readonly string[]): object[] => {
          const chunks = chunksOf(one, how, names)
          return chunks.slice(0, at % chunks.length)
        }
        await expect(ask(broken, optionsOf(how))).rejects.toMatchObject({ name: 'EngineError', code: 'server_error' })
      }),
      { numRuns: runs(50) },
    )
  })

  test('no more than a limit waits for the end of a call', async () => {
    const waiting = (names: readonly string[]): object[] => [
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: names[0], arguments: '{' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: names[1], arguments: 'x'.repeat(2 ** 21) } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '}' } }] }),
      chunk({}, 'stop'),
    ]
    await expect(ask(waiting)).rejects.toThrow(/at most \d+ characters/)
  })

  test('a server is told each call with its own result', async () => {
    const result = fc.constantFrom('sunny', 'rain', '<|end|>', '')
    const made = fc.record({ nth: fc.nat(TOOLS.length - 1), args, result })
    const round = fc.record({ said: fc.constantFrom('Hi', 'And?'), calls: fc.array(made, { maxLength: 3 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
        const marked = (header: string, content: string): string =>
          `<|start|>${header}<|message|>${content.replaceAll('<|', '<\u200b|')}`
        const prompt = rounds
          .map(({ said, calls }) => {
            const own = calls.map(
              ({ nth, args }) =>
                `${marked(`assistant to=${TOOLS[nth]?.recipient}<|channel|>commentary json`, args)}<|call|>`,
            )
            const results = calls.map(
              ({ nth, result }) =>
                `${marked(`${TOOLS[nth]?.recipient} to=assistant<|channel|>commentary`, result)}<|end|>`,
            )
            return [`${marked('user', said)}<|end|>`, ...own, ...results].join('')
          })
          .join('')
        const { body } = await ask(() => [chunk({ content: 'Yes' }, 'stop')], { prompt })
        const names: string[] = body.tools.map((tool: { function: { name: string } }) => tool.function.name)
        expect(new Set(names).size).toBe(TOOLS.length)
        const told: unknown[] = []
        const ids = new Map<string, string>()
        for (const { role, content, tool_calls = [], tool_call_id } of body.messages) {
          if (role === 'user') told.push(...String(content).split('\n\n'))
          for (const { id, function: callee } of tool_calls) {
            expect(ids.has(id)).toBe(false)
            ids.set(id, `${callee.name} ${callee.arguments}`)
          }
          if (role === 'tool') told.push(`${ids.get(tool_call_id)} = ${content}`)
        }
        expect(told).toEqual(
          rounds.flatMap(({ said, calls }) => [
            said,
            ...calls.map(({ nth, args, result }) => `${names[nth]} ${args} = ${result.replaceAll('<|', '<\u200b|')}`),
          ]),
        )
      }),
      { numRuns: runs(50) },
    )
  })
})
