import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveId } from '../../../src/core/options/ids.js'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import {
  loadTokenTable,
  type OutputItem,
  policies,
  type Response,
  type ResponseMessage,
  type ResponseStreamEvent,
} from '../../../src/index.js'
import { anyStream, endReason, run as runStream } from '../../laws/streams.js'
import { runs } from '../../support/runs.js'
import { encodeHarmony } from '../../support/tokens.js'
import { Translator } from '../../support/translator.js'
import { brief, briefItem, createRun, FIXED, inTurn, messageOn, type Run, runOf, terminal } from '../translate/run.js'

const tokenTable = await loadTokenTable()

const TEXT = { item_id: 'rs_0', output_index: 0, content_index: 0 }

test('the events of a chain of thought come in order and whole', () => {
  const run = createRun()
  run.start()
  expect(run.push('<|channel|>analysis<|message|>Hm', 'm.<|end|>')).toEqual([
    {
      type: 'response.output_item.added',
      sequence_number: 2,
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_0', status: 'in_progress', summary: [], content: [] },
    },
    {
      type: 'response.content_part.added',
      sequence_number: 3,
      ...TEXT,
      part: { type: 'reasoning_text', text: '' },
    },
    { type: 'response.reasoning_text.delta', sequence_number: 4, ...TEXT, delta: 'Hm' },
    { type: 'response.reasoning_text.delta', sequence_number: 5, ...TEXT, delta: 'm.' },
    { type: 'response.reasoning_text.done', sequence_number: 6, ...TEXT, text: 'Hmm.' },
    {
      type: 'response.content_part.done',
      sequence_number: 7,
      ...TEXT,
      part: { type: 'reasoning_text', text: 'Hmm.' },
    },
    {
      type: 'response.output_item.done',
      sequence_number: 8,
      output_index: 0,
      item: {
        type: 'reasoning',
        id: 'rs_0',
        status: 'completed',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'Hmm.' }],
      },
    },
  ])
  expect(run.diagnostics).toEqual([])
})

test('an empty chain of thought has its part and no delta', () => {
  const run = createRun()
  run.start()
  expect(run.push('<|channel|>analysis<|message|><|end|>').map(({ type }) => type)).toEqual([
    'response.output_item.added',
    'response.content_part.added',
    'response.reasoning_text.done',
    'response.content_part.done',
    'response.output_item.done',
  ])
})

test('each message of reasoning is an item of its own, even side by side', () => {
  const run = createRun()
  run.push(inTurn(messageOn('analysis', 'a<|end|>'), messageOn('analysis', 'b<|end|>')))
  expect(terminal(run.end('stop')).output).toMatchObject([
    { id: 'rs_0', content: [{ text: 'a' }] },
    { id: 'rs_1', content: [{ text: 'b' }] },
  ])
})

test('reasoning that is cut off is closed incomplete with its content so far', () => {
  const run = createRun()
  run.push('<|channel|>analysis<|message|>Half')
  const events = run.end()
  expect(events.map(({ type }) => type)).toEqual([
    'response.reasoning_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.incomplete',
  ])
  expect(terminal(events).output.map(briefItem)).toEqual(['reasoning incomplete "Half"'])
})

test('reasoning alone is a whole answer: nothing is invented', () => {
  const run = createRun()
  run.push('<|channel|>analysis<|message|>Hm.<|end|>')
  const response = terminal(run.end())
  expect(response.status).toBe('completed')
  expect(response.output.map(briefItem)).toEqual(['reasoning completed "Hm."'])
})

test('a message on the analysis channel that addresses a tool is a call', () => {
  const run = createRun()
  run.push('<|channel|>analysis to=functions.f<|message|>{}<|call|>')
  expect(terminal(run.end()).output.map(briefItem)).toEqual(['function_call f completed "{}"'])
})

type Mode = NonNullable<TranslatorOptions['reasoning']>
const MODES: readonly Mode[] = ['raw', 'summary', 'both', 'hidden']

const SUMMARY = { item_id: 'rs_0', output_index: 0, summary_index: 0 }
const ADDED = {
  type: 'response.output_item.added',
  sequence_number: 2,
  output_index: 0,
  item: { type: 'reasoning', id: 'rs_0', status: 'in_progress', summary: [], content: [] },
}
const CONTENT_PART = { type: 'reasoning_text', text: 'Hmm.' }
const SUMMARY_PART = { type: 'summary_text', text: 'Hmm.' }
const done = (status: string, content: unknown[], summary: unknown[]) => ({
  type: 'reasoning',
  id: 'rs_0',
  status,
  summary,
  content,
})

/** A run in this mode that has emitted its first events. */
function started(reasoning: Mode, options: Partial<TranslatorOptions> = {}): Run {
  const run = createRun({ reasoning, ...options })
  run.start()
  return run
}

describe('the modes of reasoning', () => {
  const push = (run: Run): ResponseStreamEvent[] => run.push('<|channel|>analysis<|message|>Hm', 'm.<|end|>')

  test('raw is the default mode of reasoning', () => {
    const plain = createRun()
    plain.start()
    expect(push(started('raw'))).toEqual(push(plain))
  })

  test("reasoning 'summary' has one summary part, and no content", () => {
    const run = started('summary')
    const item = done('completed', [], [SUMMARY_PART])
    expect(push(run)).toEqual([
      ADDED,
      {
        type: 'response.reasoning_summary_part.added',
        sequence_number: 3,
        ...SUMMARY,
        part: { type: 'summary_text', text: '' },
      },
      { type: 'response.reasoning_summary_text.delta', sequence_number: 4, ...SUMMARY, delta: 'Hm' },
      { type: 'response.reasoning_summary_text.delta', sequence_number: 5, ...SUMMARY, delta: 'm.' },
      { type: 'response.reasoning_summary_text.done', sequence_number: 6, ...SUMMARY, text: 'Hmm.' },
      { type: 'response.reasoning_summary_part.done', sequence_number: 7, ...SUMMARY, part: SUMMARY_PART },
      { type: 'response.output_item.done', sequence_number: 8, output_index: 0, item },
    ])
    expect(terminal(run.end()).output).toEqual([item])
    expect(run.diagnostics).toEqual([])
  })

  test("reasoning 'both' has content first, then summary, a delta of each for every push, content closed first", () => {
    const run = started('both')
    const item = done('completed', [CONTENT_PART], [SUMMARY_PART])
    expect(push(run)).toEqual([
      ADDED,
      {
        type: 'response.content_part.added',
        sequence_number: 3,
        ...TEXT,
        part: { type: 'reasoning_text', text: '' },
      },
      {
        type: 'response.reasoning_summary_part.added',
        sequence_number: 4,
        ...SUMMARY,
        part: { type: 'summary_text', text: '' },
      },
      { type: 'response.reasoning_text.delta', sequence_number: 5, ...TEXT, delta: 'Hm' },
      { type: 'response.reasoning_summary_text.delta', sequence_number: 6, ...SUMMARY, delta: 'Hm' },
      { type: 'response.reasoning_text.delta', sequence_number: 7, ...TEXT, delta: 'm.' },
      { type: 'response.reasoning_summary_text.delta', sequence_number: 8, ...SUMMARY, delta: 'm.' },
      { type: 'response.reasoning_text.done', sequence_number: 9, ...TEXT, text: 'Hmm.' },
      { type: 'response.content_part.done', sequence_number: 10, ...TEXT, part: CONTENT_PART },
      { type: 'response.reasoning_summary_text.done', sequence_number: 11, ...SUMMARY, text: 'Hmm.' },
      { type: 'response.reasoning_summary_part.done', sequence_number: 12, ...SUMMARY, part: SUMMARY_PART },
      { type: 'response.output_item.done', sequence_number: 13, output_index: 0, item },
    ])
    expect(terminal(run.end()).output).toEqual([item])
    expect(run.diagnostics).toEqual([])
  })

  test("reasoning 'hidden' is announced and done, without text, content or summary", () => {
    const run = started('hidden')
    const item = done('completed', [], [])
    expect(push(run)).toEqual([ADDED, { type: 'response.output_item.done', sequence_number: 3, output_index: 0, item }])
    expect(terminal(run.end()).output).toEqual([item])
    expect(JSON.stringify(run.events)).not.toContain('Hm')
    expect(run.diagnostics).toEqual([])
  })

  test.each<[Mode, string[]]>([
    ['summary', ['reasoning_summary_part.added 0', 'reasoning_summary_text.done 0', 'reasoning_summary_part.done 0']],
    [
      'both',
      [
        'content_part.added 0',
        'reasoning_summary_part.added 0',
        'reasoning_text.done 0',
        'content_part.done 0',
        'reasoning_summary_text.done 0',
        'reasoning_summary_part.done 0',
      ],
    ],
    ['hidden', []],
  ])('an empty thought has its parts and no delta in the mode %s', (mode, between) => {
    expect(brief(started(mode).push('<|channel|>analysis<|message|><|end|>'))).toEqual([
      'output_item.added 0',
      ...between,
      'output_item.done 0 completed',
    ])
  })

  test.each<[Mode, string[]]>([
    ['summary', ['reasoning_summary_text.done 0', 'reasoning_summary_part.done 0']],
    [
      'both',
      [
        'reasoning_text.done 0',
        'content_part.done 0',
        'reasoning_summary_text.done 0',
        'reasoning_summary_part.done 0',
      ],
    ],
    ['hidden', []],
  ])('reasoning that is cut off in the mode %s is closed incomplete with its content so far', (mode, closing) => {
    const run = started(mode)
    run.push('<|channel|>analysis<|message|>Hmm.')
    const events = run.end()
    expect(brief(events)).toEqual([...closing, 'output_item.done 0 incomplete', 'incomplete'])
    const [content, summary] = shownIn(mode)
    expect(terminal(events).output).toEqual([done('incomplete', content, summary)])
  })

  test.each(MODES)(
    'reasoning in the mode %s stands incomplete with its shown content if the response fails or is aborted',
    (mode) => {
      const [content, summary] = shownIn(mode)
      for (const stop of [(run: Run) => run.fail({ message: 'no' }), (run: Run) => run.abort()]) {
        const run = started(mode)
        run.push('<|channel|>analysis<|message|>Hmm.')
        const before = run.events.length
        stop(run)
        expect(brief(run.events.slice(before)).filter((line) => line.includes('done'))).toEqual([])
        expect(terminal(run.events).output).toEqual([done('incomplete', content, summary)])
      }
    },
  )

  /** The content and the summary that a thought of `Hmm.` has in this mode. */
  function shownIn(mode: Mode): [unknown[], unknown[]] {
    const hasContent = mode === 'raw' || mode === 'both'
    const hasSummary = mode === 'summary' || mode === 'both'
    return [hasContent ? [CONTENT_PART] : [], hasSummary ? [SUMMARY_PART] : []]
  }

  test('reasoning that has begun keeps its forms, though a snapshot is restored with others', () => {
    const first = started('both')
    first.push('<|channel|>analysis<|message|>Hm')
    const run = runOf(Translator.restore(first.translator.snapshot(), { ...FIXED, reasoning: 'hidden' }))
    expect(brief(run.push('m.<|end|>'))).toEqual([
      'reasoning_text.delta 0 "m."',
      'reasoning_summary_text.delta 0 "m."',
      'reasoning_text.done 0',
      'content_part.done 0',
      'reasoning_summary_text.done 0',
      'reasoning_summary_part.done 0',
      'output_item.done 0 completed',
    ])
    expect(brief(run.push(`<|start|>assistant${messageOn('analysis', 'Next.<|end|>')}`))).toEqual([
      'output_item.added 1',
      'output_item.done 1 completed',
    ])
  })

  test.each(MODES)('the tokens of reasoning in the mode %s are counted', (mode) => {
    const tokens = encodeHarmony(messageOn('analysis', 'Hmm.<|end|>'))
    const run = started(mode, { tokenTable })
    run.push(tokens)
    expect(terminal(run.end()).usage?.output_tokens_details.reasoning_tokens).toBe(tokens.length)
  })

  test.each(['none', 'RAW', '', 'constructor', null, 7, true, { raw: true }])(
    'an unknown mode of reasoning is refused: %j',
    (mode) => {
      expect(() => createRun({ reasoning: mode as Mode })).toThrow(
        expect.objectContaining({
          name: 'HarmonyResponsesError',
          code: 'bad_option',
          message: expect.stringMatching(/^reasoning: expected one of 'raw', 'summary', 'both', 'hidden', got /),
        }),
      )
    },
  )

  test('the modes of reasoning change nothing else in any stream', () => {
    fc.assert(
      fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
        const [raw, ...others] = MODES.map((reasoning) => runStream(chunks, { ...setup, reasoning }, reason))
        const expected = withoutReasoning(raw?.events ?? [])
        for (const other of others) {
          expect(withoutReasoning(other.events)).toEqual(expected)
          expect(other.diagnostics).toEqual(raw?.diagnostics)
          expect(other.events.map((event) => event.sequence_number)).toEqual([...other.events.keys()])
        }
      }),
      { numRuns: runs(200) },
    )
  })

  /** A stream without the events inside reasoning items, without their content, and without numbers. */
  function withoutReasoning(events: readonly ResponseStreamEvent[]): unknown[] {
    const strip = (item: OutputItem): unknown =>
      item.type === 'reasoning' ? { ...item, content: null, summary: null } : item
    const hidden = new Set(
      events.flatMap((event) => ('item' in event && event.item.type === 'reasoning' ? [event.item.id] : [])),
    )
    return events.flatMap((event): unknown[] => {
      if ('item_id' in event && hidden.has(event.item_id)) return []
      const { sequence_number: _, ...rest } = event
      if ('item' in rest) return [{ ...rest, item: strip(rest.item) }]
      if ('response' in rest)
        return [{ ...rest, response: { ...rest.response, output: rest.response.output.map(strip), ...spoken(rest) } }]
      return [rest]
    })
  }

  /**
   * The Harmony messages of a response that has them, without its thoughts and without what may be one in another's
   * name.
   */
  function spoken({ response: { output_messages } }: { response: Response }) {
    const isThought = ({ role, channel, recipient = '' }: ResponseMessage): boolean =>
      role !== 'assistant' || (channel === 'analysis' && policies.openai.nonToolRecipients.includes(recipient))
    return output_messages && { output_messages: output_messages.filter((message) => !isThought(message)) }
  }
})

describe('a request that asks for a summary', () => {
  const said = '<|channel|>analysis<|message|>Hmm.<|end|>'
  const as = (options: Partial<TranslatorOptions>) => {
    const run = createRun(options)
    run.push(said)
    return run.events.filter(({ type }) => type.startsWith('response.reasoning') || type.includes('content_part'))
  }

  test.each([
    { summary: 'auto' },
    { summary: 'concise' },
    { summary: 'detailed', effort: 'low' },
    { generate_summary: 'auto' },
    { generate_summary: 'detailed', summary: null },
  ])('a request that asks for a summary gets one: %o', (reasoning) => {
    expect(as({ request: { reasoning } })).toEqual(as({ reasoning: 'summary' }))
  })

  test.each([null, {}, { summary: null }, { effort: 'high' }, { summary: 'none' }, { summary: {} }, 'auto'])(
    'a request with the reasoning %o asks for no summary: reasoning is shown as it is',
    (reasoning) => {
      const request = { reasoning } as ResponseRequest
      expect(as({ request })).toEqual(as({ reasoning: 'raw' }))
    },
  )

  test.each(MODES)("a request that asks for a summary follows the host's option: %s", (reasoning) => {
    expect(as({ reasoning, request: { reasoning: { summary: 'auto' } } })).toEqual(as({ reasoning }))
  })

  test('a request that asks for a summary gets one from a translator that is restored, whatever request that is given', () => {
    const first = createRun({ request: { reasoning: { summary: 'auto' } } })
    first.start()
    for (const request of [{}, { reasoning: { summary: null } }]) {
      const run = runOf(Translator.restore(first.translator.snapshot(), { ...FIXED, request }))
      run.push(said)
      expect(run.translator.response.output).toEqual([done('completed', [], [SUMMARY_PART])])
    }
  })
})

describe('sealed reasoning', () => {
  const request: ResponseRequest = { include: ['reasoning.encrypted_content'] }

  /** A run that seals, and the sealed texts. */
  function sealing(options: Partial<TranslatorOptions> = {}): { run: Run; sealed: [string, string][] } {
    const sealed: [string, string][] = []
    const run = createRun({
      request,
      sealReasoning: (text, itemId) => {
        sealed.push([text, itemId])
        return `sealed ${itemId} ${text}`
      },
      ...options,
    })
    run.start()
    return { run, sealed }
  }

  const itemsOf = (events: readonly ResponseStreamEvent[]): OutputItem[] =>
    events.flatMap((event) => ('item' in event ? [event.item] : []))

  test.each(MODES)(
    'sealed reasoning stands on the item when it is done and in the last response, never before (%s)',
    (reasoning) => {
      const { run, sealed } = sealing({ reasoning })
      run.push('<|channel|>analysis<|message|>Hm', 'm.')
      expect(JSON.stringify(run.events)).not.toContain('encrypted_content')
      expect(run.translator.response.output[0]).not.toHaveProperty('encrypted_content')
      expect(sealed).toEqual([])
      run.push('<|end|>')
      const [added, closed] = itemsOf(run.events)
      expect(added).not.toHaveProperty('encrypted_content')
      expect(closed).toHaveProperty('encrypted_content', 'sealed rs_0 Hmm.')
      expect(terminal(run.end()).output).toEqual([closed])
      expect(sealed).toEqual([['Hmm.', 'rs_0']])
    },
  )

  test('sealed reasoning is made once for each item, of its own text', () => {
    const { run, sealed } = sealing({ ids: deriveId })
    run.push(
      inTurn(messageOn('analysis', 'a<|end|>'), messageOn('final', 'b<|end|>'), messageOn('analysis', 'c<|end|>')),
    )
    const { output } = terminal(run.end())
    expect(sealed).toEqual([
      ['a', output[0]?.id],
      ['c', output[2]?.id],
    ])
    expect(output).toMatchObject([
      { encrypted_content: `sealed ${output[0]?.id} a` },
      { type: 'message' },
      { encrypted_content: `sealed ${output[2]?.id} c` },
    ])
    expect(output[1]).not.toHaveProperty('encrypted_content')
  })

  test.each(MODES)('sealed reasoning is made of what there is of a thought that was cut off (%s)', (reasoning) => {
    const { run, sealed } = sealing({ reasoning })
    run.push('<|channel|>analysis<|message|>Hm')
    const events = run.end()
    expect(sealed).toEqual([['Hm', 'rs_0']])
    expect(itemsOf(events)).toMatchObject([{ status: 'incomplete', encrypted_content: 'sealed rs_0 Hm' }])
    expect(terminal(events).output).toEqual(itemsOf(events))
  })

  test('sealed reasoning is made of an empty thought, too', () => {
    const { run, sealed } = sealing()
    run.push('<|channel|>analysis<|message|><|end|>')
    expect(sealed).toEqual([['', 'rs_0']])
    expect(itemsOf(run.events)[1]).toHaveProperty('encrypted_content', 'sealed rs_0 ')
  })

  test('sealed reasoning is not made of a thought that a failure broke off', () => {
    for (const stop of [(run: Run) => run.fail({ message: 'no' }), (run: Run) => run.abort()]) {
      const { run, sealed } = sealing()
      run.push('<|channel|>analysis<|message|>Hm')
      stop(run)
      expect(sealed).toEqual([])
      expect(terminal(run.events).output[0]).not.toHaveProperty('encrypted_content')
    }
  })

  test.each<[string, ResponseRequest]>([
    ['nothing', {}],
    ['something else', { include: ['message.output_text.logprobs'] }],
  ])('sealed reasoning is neither made nor shown if the request includes %s', (_, other) => {
    const { run, sealed } = sealing({ request: other })
    run.push(messageOn('analysis', 'Hm.<|end|>'))
    run.end()
    expect(sealed).toEqual([])
    expect(JSON.stringify(run.events)).not.toContain('encrypted_content')
  })

  test('sealed reasoning is absent without a seal option, even if the request includes it', () => {
    const run = createRun({ request })
    run.push(messageOn('analysis', 'Hm.<|end|>'))
    run.end()
    expect(JSON.stringify(run.events)).not.toContain('encrypted_content')
  })

  test('no message and no call is sealed', () => {
    const { run, sealed } = sealing()
    run.push(inTurn(messageOn('commentary', 'a<|end|>'), '<|channel|>analysis to=functions.f<|message|>{}<|call|>'))
    run.end()
    expect(sealed).toEqual([])
    expect(JSON.stringify(run.events)).not.toContain('encrypted_content')
  })

  test('sealed reasoning survives a snapshot, and is not made again', () => {
    const { run: first, sealed } = sealing()
    first.push(messageOn('analysis', 'Hm.<|end|>'))
    const snapshot = JSON.parse(JSON.stringify(first.translator.snapshot()))
    const run = runOf(Translator.restore(snapshot, { ...FIXED, sealReasoning: () => 'again' }))
    expect(terminal(run.end()).output).toMatchObject([{ encrypted_content: 'sealed rs_0 Hm.' }])
    expect(sealed).toHaveLength(1)
  })

  test('sealed reasoning is made of the whole text if a snapshot was taken within it', () => {
    const { run: first } = sealing()
    first.push('<|channel|>analysis<|message|>Hm')
    const sealReasoning = (text: string, id: string): string => `${id}:${text}`
    const run = runOf(Translator.restore(first.translator.snapshot(), { ...FIXED, sealReasoning }))
    run.push('m.<|end|>')
    expect(terminal(run.end()).output).toMatchObject([{ encrypted_content: 'rs_0:Hmm.' }])
  })

  test('sealing reasoning by a value that is not a function is refused', () => {
    expect(() => createRun({ sealReasoning: 'key' as never })).toThrow(
      expect.objectContaining({
        code: 'bad_option',
        message: 'sealReasoning: expected a function, got "key"',
      }),
    )
  })
})
