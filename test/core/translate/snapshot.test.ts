import { describe, expect, test } from 'vitest'
import { deriveId } from '../../../src/core/options/ids.js'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import { traceTo } from '../../../src/core/trace/tracer.js'
import type { TranslatorSnapshot } from '../../../src/core/translate/translator-snapshot.js'
import { loadTokenTable, type ResponseRequest, type ResponseStreamEvent } from '../../../src/index.js'
import { sampled } from '../../support/runs.js'
import { encodeHarmony } from '../../support/tokens.js'
import { Translator } from '../../support/translator.js'
import { custom, fn, mcp } from '../recipients/tools.js'
import { callTo, createRun, deepFreeze, FIXED, inTurn, messageOn, NOW, toolMessage } from './run.js'

const tokenTable = await loadTokenTable()

/** One action of a host on a translator. Its returned events are part of the stream. */
type Step = (translator: Translator) => ResponseStreamEvent[] | undefined

const request: ResponseRequest = {
  model: 'gpt-oss-20b',
  tools: [fn('f'), custom('c'), mcp('github'), { type: 'code_interpreter' }],
  include: ['message.output_text.logprobs', 'code_interpreter_call.outputs'],
}

const ids = (harmony: string): Step[] => encodeHarmony(harmony).map((id) => (translator) => translator.push(id))
const scored = (harmony: string): Step[] =>
  encodeHarmony(harmony).map((id, at) => (translator) => translator.push({ id, logprob: -at }))
const chars = (text: string): Step[] => text.split('').map((char) => (translator) => translator.push(char))
const hostIds = (harmony: string): Step[] =>
  encodeHarmony(harmony).map((id) => (translator) => translator.push({ host: [id] }))
const hostChars = (text: string): Step[] =>
  text.split('').map((char) => (translator) => translator.push({ host: char }))
const end: Step = (translator) => translator.end()

const { host: FOUND } = toolMessage('github.a', 'gefunden: 🫠')
const { host: PRINTED } = toolMessage('python', '42')

const STREAMS: Record<string, [Step[], Partial<TranslatorOptions>?]> = {
  'reasoning, a preamble and an answer, with characters of several tokens': [
    [
      ...ids(
        inTurn(
          messageOn('analysis', 'Hé🫠.<|end|>'),
          messageOn('commentary', '🫠<|end|>'),
          messageOn('final', 'né🫠<|return|>'),
        ),
      ),
      end,
    ],
  ],
  'calls of every kind, with results in another order': [
    [
      ...ids(
        inTurn(
          callTo('github.a', '{"q":"🫠"}<|call|>'),
          callTo('python', 'print(42)<|call|>'),
          callTo('functions.c', 'x<|call|>'),
          callTo('functions.f', ' {}<|call|>'),
        ),
      ),
      ...hostIds(String(PRINTED)),
      ...hostIds(String(FOUND)),
      ...hostIds('<|start|>assistant'),
      ...ids(messageOn('final', 'Done.<|return|>')),
      end,
    ],
  ],
  'results by item id, and calls that stay pending': [
    [
      ...ids(inTurn(callTo('github.a', '1<|call|>'), callTo('github.a', '2<|call|>'), callTo('github.a', '3'))),
      (translator) => translator.toolResult({ itemId: 'mcp_1', output: 'two' }),
      (translator) => translator.toolResult({ itemId: 'mcp_2', error: { code: -1, message: 'three' } }),
      end,
    ],
  ],
  'text, cut in every marker and every surrogate pair': [
    [
      ...chars(inTurn(messageOn('analysis', 'Hé🫠 <| <|nope|>.<|end|>'), callTo('github.a', '{}<|call|>'))),
      ...hostChars(String(FOUND)),
      ...hostChars('<|start|>assistant'),
      ...chars(messageOn('final', 'né🫠<|return|>')),
      end,
    ],
  ],
  "calls: 'whole', the last one cut off": [
    [...ids(inTurn(callTo('functions.f', '{"a":"🫠"}<|call|>'), callTo('functions.c', 'é🫠'))), end],
    { calls: 'whole' },
  ],
  'blank arguments': [
    [...chars(inTurn(callTo('functions.f', ' \n <|call|>'), callTo('functions.f', ' \n {}<|call|>'))), end],
  ],
  'log-probabilities': [
    [...scored(inTurn(messageOn('final', 'Hé🫠 you<|end|>'), messageOn('final', 'too 🫠<|return|>'))), end],
  ],
  'several turns, with counts and a prefill': [
    [
      (translator) => void translator.beginTurn({ inputTokens: 10, cachedTokens: 3 }),
      ...ids(callTo('github.a', '{}')),
      (translator) =>
        void translator.beginTurn({ inputTokens: 20, prefill: encodeHarmony('<|channel|>final<|message|>') }),
      ...ids('né🫠'),
      (translator) => void translator.addUsage({ inputTokens: 5 }),
      end,
    ],
    { usage: { inputTokens: 1 } },
  ],
  'a message that the model wrote for a tool': [
    [
      ...ids(`${callTo('github.a', '{}<|call|>')}<|start|>github.a to=assistant<|message|>é🫠<|end|>`),
      ...hostIds(String(FOUND)),
      end,
    ],
  ],
  'malformed headers, strays and what comes after the end of the answer': [
    [
      ...ids(
        '<|channel|>analysis need most recent CPI<|end|>x<|end|>assistant<|channel|>commentary<|channel|>final {"a":1}' +
          '<|start|><|start|>assistant<|channel|>final<|message|>Hi<|return|>more<|constrain|>json<|message|>Hi<|end|>',
      ),
      end,
    ],
  ],
  'a failure': [[...ids(messageOn('final', 'Hé🫠')), (translator) => translator.fail({ message: 'no' })]],
  'an abort': [[...ids(callTo('github.a', '{"é')), (translator) => translator.abort()]],
  'a cancellation': [[...ids(callTo('github.a', '{"é')), (translator) => translator.cancel()]],
}

interface Outcome {
  events: ResponseStreamEvent[]
  diagnostics: unknown[]
  traces: unknown[]
  response: unknown
}

/** Takes the steps; before step number `at` (or before every one) the translator is serialized and restored. */
function take(steps: readonly Step[], given: Partial<TranslatorOptions>, at: number | 'every' | 'none'): Outcome {
  const outcome: Outcome = { events: [], diagnostics: [], traces: [], response: undefined }
  const options: TranslatorOptions = {
    ...FIXED,
    request,
    tokenTable,
    onDiagnostic: (diagnostic) => outcome.diagnostics.push(diagnostic),
    trace: traceTo((trace) => outcome.traces.push(trace)),
    ...given,
  }
  let translator = new Translator(options)
  for (const [index, step] of steps.entries()) {
    if (at === 'every' || at === index) {
      const json = JSON.stringify(translator.snapshot())
      // The restored translator keeps the request, the response's id and the time of the first one.
      const { request: _request, usage: _usage, ...rest } = options
      translator = Translator.restore(JSON.parse(json), { ...rest, responseId: 'resp_ignored', clock: () => NOW })
    }
    outcome.events.push(...deepFreeze(step(translator) ?? []))
  }
  outcome.response = translator.response
  return outcome
}

describe.each(Object.entries(STREAMS))('%s', (_, [steps, options = {}]) => {
  const whole = take(steps, options, 'none')

  test('a stream continues after a snapshot at any moment as if there had been none', () => {
    for (const at of sampled(steps.keys())) expect(take(steps, options, at), `before step ${at}`).toEqual(whole)
  })

  test('a stream continues after a snapshot at every moment as if there had been none', () => {
    expect(take(steps, options, 'every')).toEqual(whole)
  })

  test('a stream with the ids of the library continues after a snapshot at every moment', () => {
    const derived = { ...options, ids: deriveId }
    const byId = steps.filter((step) => !step.toString().includes('itemId'))
    expect(take(byId, derived, 'every').events).toEqual(take(byId, derived, 'none').events)
  })
})

describe('a snapshot', () => {
  test('a snapshot is plain JSON', () => {
    const run = createRun({ tokenTable, request })
    run.push(encodeHarmony(inTurn(callTo('github.a', '{}<|call|>'), callTo('functions.f', ' '))))
    const snapshot = run.translator.snapshot()
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
    expect(snapshot.version).toBe(1)
  })

  test("a snapshot is a copy: the translator's later changes are not in it, and it may be restored twice", () => {
    const run = createRun({ request })
    run.push(inTurn(callTo('github.a', '{}<|call|>'), messageOn('final', 'Hi')))
    const snapshot = deepFreeze(run.translator.snapshot())
    const before = structuredClone(snapshot)
    const goOn = (translator: Translator): unknown[] => [
      ...translator.push(' there<|return|>'),
      ...translator.toolResult({ itemId: 'mcp_0', output: 'found' }),
      ...translator.end(),
    ]
    const first = goOn(Translator.restore(snapshot, FIXED))
    expect(goOn(Translator.restore(snapshot, FIXED))).toEqual(first)
    expect(goOn(run.translator)).toEqual(first)
    expect(snapshot).toEqual(before)
  })

  test('a snapshot before the first event gives them later, with the time of the first translator', () => {
    const snapshot = createRun().translator.snapshot()
    const events = Translator.restore(snapshot, { ...FIXED, clock: () => NOW + 60 }).end()
    expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'response.completed'])
    expect(events[2]).toMatchObject({ response: { created_at: NOW, completed_at: NOW + 60 } })
  })

  test('a snapshot of a response that has ended stays ended', () => {
    const run = createRun()
    run.end()
    const restored = Translator.restore(run.translator.snapshot(), FIXED)
    expect(restored.response).toEqual(run.translator.response)
    expect(restored.end()).toEqual([])
    expect(() => restored.push('x')).toThrow(expect.objectContaining({ code: 'translator_closed' }))
  })

  test.each<[string, unknown, string]>([
    ['another version', { version: 2 }, 'snapshot.version: expected 1, got 2'],
    ['no version', {}, 'snapshot.version: expected 1, got undefined'],
    ['null', null, 'snapshot.version: expected 1, got undefined'],
    ['text', '{}', 'snapshot.version: expected 1, got undefined'],
  ])('a snapshot of %s is refused', (_, snapshot, message) => {
    expect(() => Translator.restore(snapshot as TranslatorSnapshot, FIXED)).toThrow(
      expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_snapshot', message }),
    )
  })

  test('a snapshot with parts missing is refused', () => {
    expect(() => Translator.restore({ version: 1 } as TranslatorSnapshot, FIXED)).toThrow(
      expect.objectContaining({ code: 'bad_snapshot' }),
    )
  })

  test('a snapshot is not restored into a foreign parser', () => {
    const snapshot = createRun().translator.snapshot()
    const parser = (): never => {
      throw new Error('not to be made')
    }
    expect(() => Translator.restore(snapshot, { ...FIXED, parser })).toThrow(
      expect.objectContaining({ code: 'snapshot_unsupported' }),
    )
  })
})
