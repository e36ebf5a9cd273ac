import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import { STOP_TOKENS } from '../../../src/core/harmony/stop-tokens.js'
import { FIRST_SPECIAL, markerText } from '../../../src/core/harmony/vocabulary.js'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { EngineCapabilities } from '../../../src/engines/contract/constraint.js'
import type { GenerateOptions, TokenEngine } from '../../../src/engines/contract/engine.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { checkEvents } from '../../../src/judge/conformance/index.js'
import { runs } from '../../support/runs.js'
import { decodeTokens, encodeHarmony } from '../../support/tokens.js'
import { expectSameAfterDeath, type RunOn } from './same-after-death.js'
import { GITHUB, modelOf, type RunOptions, run, SEARCH } from './scripted.js'

const PLACE = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const FORMAT = { type: 'json_schema', name: 'place', schema: PLACE } as const
const HOLDS: EngineCapabilities = { constraints: ['json_schema', 'gbnf'] }
const RIGHT = '{"city":"Rome"}'
const HEADER = '<|start|>assistant<|channel|>final<|message|>'
const THINK = '<|channel|>analysis<|message|>Hm.'
const F = { type: 'function', name: 'f', strict: false } as const
const CALL = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>'

interface Asked {
  readonly context: string
  readonly options: GenerateOptions
}

interface Quitter {
  /** Its own turns. It stops at the end of each. */
  readonly turns: readonly string[]
  /** Its text after the host's header. */
  readonly answer?: string
  readonly capabilities?: EngineCapabilities
  /** Whether ends of sequence are not sent. */
  readonly swallows?: boolean
  readonly asked?: Asked[]
}

/** A model that stops without an answer, and continues from a header that the host wrote. */
function quitterOf({ turns, answer = `${RIGHT}<|return|>`, capabilities, swallows, asked }: Quitter): TokenEngine {
  const model = modelOf(turns)
  const header = encodeHarmony(HEADER)
  return {
    ...model,
    generate(prompt, options = {}) {
      const context = [...prompt]
      asked?.push({ context: show(context), options })
      const at = context.findLastIndex((_, from) => header.every((id, offset) => context[from + offset] === id))
      const { maxTokens = Number.POSITIVE_INFINITY, stop = STOP_TOKENS, signal } = options
      const said = context.slice(at + header.length)
      const rest = at === -1 ? undefined : encodeHarmony(answer).slice(said.length)
      return tokenStream(async function* () {
        let left = maxTokens
        for await (const id of rest ?? model.generate(context, options)) {
          if (swallows && STOP_TOKENS.includes(id as number)) break
          if (left-- === 0) return { reason: 'max_output_tokens' as const }
          yield id
          if (stop.includes(id as number)) break
        }
        return left <= 0 ? { reason: 'max_output_tokens' as const } : { reason: 'stop' as const }
      }, signal)
    },
    ...(capabilities && { capabilities: async () => capabilities }),
  }
}

const show = (tokens: readonly number[]): string =>
  tokens.map((id) => (id < FIRST_SPECIAL ? decodeTokens([id]) : markerText(id))).join('')
const textOf = (item: OutputItem | undefined): string | undefined =>
  item?.type === 'message' ? item.content.map(({ text }) => text).join('') : undefined
const thoughtOf = (item: OutputItem): string | undefined =>
  item.type === 'reasoning' ? item.content?.map(({ text }) => text).join('') : undefined

function ask(quitter: Quitter, request: Partial<ResponseRequest> = {}, options: RunOptions = {}) {
  return run({ input: 'Go.', text: { format: FORMAT }, ...request }, { engine: quitterOf(quitter), ...options })
}

const ENDS: readonly (readonly [string, string, string[]])[] = [
  ['prose without a header', 'Rome is it<|return|>', ['Rome is it']],
  ['a word without a header', 'Rome<|return|>', ['Rome']],
  ['a message without a channel', '<|message|>Rome is it<|return|>', ['Rome is it']],
  ['reasoning', `${THINK}<|return|>`, ['Hm.']],
  ['nothing', '<|return|>', []],
  ['JSON in a preamble', '<|channel|>commentary<|message|>{"x":1}<|return|>', ['{"x":1}']],
  ['a preamble that a call was to follow', '<|channel|>commentary<|message|>{"x":1}<|call|>', ['{"x":1}']],
  ['a header', `${THINK}<|end|><|start|>assistant<|return|>`, ['Hm.']],
]

describe('an answer that has to be JSON', () => {
  describe.each([
    ['an engine that holds it', HOLDS],
    ['an engine without constraints', undefined],
  ])('of %s', (_what, capabilities) => {
    test.each(ENDS)('a model that stops after %s is given the header of its answer', async (_end, turn, thoughts) => {
      for (const swallows of [false, true]) {
        const quitter = { turns: [turn], swallows, ...(capabilities && { capabilities }) }
        const { output, response, events } = await ask(quitter)
        expect(response.status).toBe('completed')
        expect(output.flatMap((item) => thoughtOf(item) ?? [])).toEqual(thoughts)
        expect(output.flatMap((item) => textOf(item) ?? [])).toEqual([RIGHT])
        expect(output.at(-1)).toMatchObject({ type: 'message', phase: 'final_answer', status: 'completed' })
        expect(checkEvents(events).filter(({ severity }) => severity === 'error')).toEqual([])
      }
    })
  })

  test('the answer after the header of the host is held where the engine holds the format', async () => {
    const asked: Asked[] = []
    await ask({ turns: [`${THINK}<|return|>`], capabilities: HOLDS, asked })
    expect(asked.at(-1)?.options.constraint).toEqual({ jsonSchema: PLACE })
    expect(asked.at(-1)?.context.endsWith(`${THINK}<|end|>${HEADER}`)).toBe(true)
  })

  test.each([
    ['Rome is it<|return|>', `<|start|>assistantRome is it<|end|>${HEADER}`],
    ['<|return|>', HEADER],
    [`${THINK}<|end|><|start|>assistant<|return|>`, `<|start|>assistant${THINK}<|end|>${HEADER}`],
    [`${THINK}<|endoftext|>`, `<|start|>assistant${THINK}<|end|>${HEADER}`],
  ])('the model reads no end of its turn before the header: %s', async (turn, expected) => {
    for (const swallows of [false, true]) {
      const asked: Asked[] = []
      const { transcript } = await ask({ turns: [turn], swallows, asked })
      expect(asked.at(-1)?.context.slice(asked[0]?.context.lastIndexOf('<|start|>assistant'))).toBe(expected)
      // An engine without constraints that swallows ends leaves the answer without one.
      expect(show(transcript)).toBe(`${expected}${RIGHT}${swallows ? '' : '<|return|>'}`)
    }
  })

  test('any object is demanded as a schema is', async () => {
    const { output } = await ask({ turns: [`${THINK}<|return|>`] }, { text: { format: { type: 'json_object' } } })
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  })

  test('a model that stops without an answer after hosted calls is given the header of its answer', async () => {
    const quitter = { turns: [SEARCH, '<|channel|>commentary<|message|>I found it.<|return|>'], capabilities: HOLDS }
    const { output } = await ask(quitter, { tools: [GITHUB] })
    expect(output.map(({ type }) => type)).toEqual(['mcp_call', 'reasoning', 'message'])
    expect(textOf(output.at(-1))).toBe(RIGHT)
  })

  test('preambles are reasoning, and the one message is the answer', async () => {
    const preamble = '<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant'
    const turns = [preamble + SEARCH, `${preamble}<|channel|>final<|message|>${RIGHT}<|return|>`]
    const { output, entries } = await ask({ turns }, { tools: [GITHUB] })
    expect(output.flatMap((item) => thoughtOf(item) ?? [])).toEqual(['Let me look.', 'Let me look.'])
    expect(output.flatMap((item) => textOf(item) ?? [])).toEqual([RIGHT])
    expect(entries.filter(({ type }) => type === 'host')).toEqual([])
  })

  test.each([true, false])(
    'a preamble that was shown as reasoning is read again in its own tokens: %j',
    async (isAfter) => {
      const preamble = '<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant'
      const first = await ask({ turns: [`${THINK}<|end|><|start|>assistant${preamble}${CALL}`] }, { tools: [F] })
      const known = [...first.prompt, ...first.transcript]
      const [call] = first.output.filter(({ type }) => type === 'function_call') as { call_id: string }[]
      const result = { type: 'function_call_output', call_id: call?.call_id, output: '1' }
      const input = [{ role: 'user', content: 'Go.' }, ...first.output, result]
      // Also where the next answer may be any text.
      const next = await ask(
        { turns: [`<|channel|>final<|message|>${RIGHT}<|return|>`] },
        { tools: [F], input: input as never, ...(isAfter && { text: { format: FORMAT } }) },
        { history: [{ tokens: first.transcript }], engine: modelOf([], []), onError() {} },
      )
      expect(show(next.prompt.slice(0, known.length))).toBe(show(known))
    },
  )

  test('an answer on a channel that Harmony does not have is an answer', async () => {
    const { output, entries } = await ask({ turns: [`<|channel|>result<|message|>${RIGHT}<|return|>`] })
    expect(output.map(textOf)).toEqual([RIGHT])
    expect(entries.filter(({ type }) => type === 'host')).toEqual([])
  })

  test.each([
    ['', ''],
    ['Rome', 'Rome'],
  ])('a model that is free is given the header once, whatever it makes of it: "%s"', async (answer, text) => {
    for (const turn of [`${THINK}<|return|>`, '<|return|>']) {
      for (const swallows of [false, true]) {
        const invalid: unknown[] = []
        const onInvalidOutput = (one: unknown): void => void invalid.push(one)
        const quitter = { turns: [turn], answer: `${answer}<|return|>`, swallows }
        const { output, response, entries } = await ask(quitter, {}, { onInvalidOutput })
        expect(response.status).toBe('completed')
        expect(output.flatMap((item) => textOf(item) ?? [])).toEqual([text])
        expect(entries.filter(({ type }) => type === 'host')).toHaveLength(1)
        expect(invalid).toMatchObject([{ what: 'text.format.schema' }])
      }
    }
  })

  test('a model that calls a function of the client owes no answer', async () => {
    const { output, entries } = await ask({ turns: [CALL] }, { tools: [F] })
    expect(output.map(({ type }) => type)).toEqual(['function_call'])
    expect(entries.filter(({ type }) => type === 'host')).toEqual([])
  })

  test.each([{}, { text: { format: { type: 'text' } } }, { text: {} }] as const)(
    'a model whose answer may be any text is given no header: %j',
    async (request) => {
      const { output, entries } = await ask({ turns: ['Rome is it<|return|>'] }, { text: {}, ...request })
      expect(output.map(textOf)).toEqual(['Rome is it'])
      expect(entries.filter(({ type }) => type === 'host')).toEqual([])
    },
  )

  test('a response whose tokens are spent gets no header, and is incomplete', async () => {
    const turn = `${THINK}<|return|>`
    const most = encodeHarmony(turn).length
    const { response, entries } = await ask({ turns: [turn] }, { max_output_tokens: most })
    expect(entries.filter(({ type }) => type === 'host')).toEqual([])
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    const more = await ask({ turns: [turn] }, { max_output_tokens: most + 2 })
    expect(more.response).toMatchObject({ status: 'incomplete', usage: { output_tokens: most + 2 } })
    expect(more.output.at(-1)).toMatchObject({ type: 'message', status: 'incomplete' })
  })

  test('a response whose time is up, or whose context is full, gets no header, and is incomplete', async () => {
    let now = 0
    const late = await ask({ turns: [`${THINK}<|return|>`] }, {}, { limits: { seconds: 8 }, clock: () => now++ })
    expect(late.response.status).toBe('incomplete')
    expect(late.entries.filter(({ type }) => type === 'host')).toEqual([])
    const contextLength = late.prompt.length + encodeHarmony(`<|start|>assistant${THINK}<|return|>`).length
    const full = await ask({ turns: [`${THINK}<|return|>`], capabilities: { contextLength } })
    expect(full.response.status).toBe('incomplete')
    expect(full.entries.filter(({ type }) => type === 'host')).toEqual([])
  })

  test('the header of the host is no token of the model, and no repair', async () => {
    const diagnostics: Diagnostic[] = []
    const onDiagnostic = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic)
    const turn = `${THINK}<|return|>`
    const { response } = await ask({ turns: [turn], capabilities: HOLDS }, {}, { onDiagnostic })
    expect(diagnostics).toEqual([])
    expect(response.usage?.output_tokens).toBe(encodeHarmony(`${turn}${RIGHT}<|return|>`).length)
  })

  test('a call that the request demands comes before the answer', async () => {
    const forced = SEARCH.replace('<|channel|>', `${THINK}<|end|><|start|>assistant<|channel|>`)
    const choice = { type: 'mcp', server_label: 'github', name: 'search' } as const
    const { output } = await ask({ turns: [forced, `${THINK}<|return|>`] }, { tools: [GITHUB], tool_choice: choice })
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'mcp_call', 'reasoning', 'message'])
  })

  test('a process that continues from any entry of a model that stopped without an answer finds the same events', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ENDS.map(([, turn]) => turn)),
        fc.boolean(),
        fc.constantFrom(undefined, HOLDS),
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 40 })),
        fc.boolean(),
        fc.nat(),
        async (turn, swallows, capabilities, isHosted, most, isParallel, death) => {
          // An omitted end of a hosted call is missing.
          const turns = isHosted && !swallows ? [SEARCH, turn] : [turn]
          const quitter = { turns, swallows, ...(capabilities && { capabilities }) }
          const request: Partial<ResponseRequest> = {
            tools: [GITHUB],
            parallel_tool_calls: isParallel,
            ...(most !== null && { max_output_tokens: most }),
          }
          const whole = await ask(quitter, request)
          expect(checkEvents(whole.events).filter(({ severity }) => severity === 'error')).toEqual([])
          const answers = whole.output.filter(({ type }) => type === 'message')
          expect(answers).toHaveLength(whole.response.status === 'completed' ? 1 : answers.length)
          for (const [at, shown] of whole.before.entries()) {
            const rest = await ask(quitter, request, {
              entries: JSON.parse(JSON.stringify(whole.entries.slice(0, at))),
            })
            expect(rest.events).toEqual(whole.events.slice(shown))
            expect(rest.transcript).toEqual(whole.transcript)
          }
          const again: RunOn = (engine, options) => ask(quitter, request, { ...options, engine })
          await expectSameAfterDeath(() => quitterOf(quitter), again, death)
        },
      ),
      { numRuns: runs(20) },
    )
  })
})
