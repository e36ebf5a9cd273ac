import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CompleteItem, hostItem } from '../../../src/core/items/index.js'
import { HarmonyResponsesError, Translator } from '../../../src/index.js'
import { checkEvents } from '../../../src/judge/conformance/index.js'
import { itemSpecimens } from '../../judge/conformance/schemas/specimens.js'
import { runs } from '../../support/runs.js'
import { brief, createRun, FIXED, messageOn, terminal } from '../translate/run.js'

/** The events of the items alone, without those of the response. */
const between = (events: readonly { type: string }[]): string[] =>
  events
    .map(({ type }) => type.replace(/^response\./, ''))
    .filter((type) => !/^(created|in_progress|completed)$/.test(type))

const COMPACTION = { type: 'compaction', encrypted_content: 'gAAA' }
const FILE_SEARCH = {
  type: 'file_search_call',
  id: 'fs_mine',
  status: 'completed',
  queries: ['harmony'],
  results: [{ file_id: 'file_1', filename: 'a.md', score: 0.5, text: 'T', attributes: {} }],
}

describe('an item of the host', () => {
  test('an item of the host that has no events of its own is added and done, as it is', () => {
    const run = createRun()
    const events = run.insert(COMPACTION)
    expect(between(events)).toEqual(['output_item.added', 'output_item.done'])
    expect(events.at(-1)).toMatchObject({ output_index: 0, item: { ...COMPACTION, id: 'cmp_0' } })
    expect(terminal(run.end('stop')).output).toEqual([{ ...COMPACTION, id: 'cmp_0' }])
  })

  test('an item of the host with events of its own has those of captured streams, and begins without what they bring', () => {
    const run = createRun()
    const events = run.insert(FILE_SEARCH)
    expect(between(events)).toEqual([
      'output_item.added',
      'file_search_call.in_progress',
      'file_search_call.searching',
      'file_search_call.completed',
      'output_item.done',
    ])
    expect(events[2]).toMatchObject({ item: { id: 'fs_mine', status: 'in_progress', queries: [], results: null } })
    expect(events[3]).toMatchObject({ item_id: 'fs_mine', output_index: 0, sequence_number: 3 })
    expect(events.at(-1)).toMatchObject({ item: FILE_SEARCH })
  })

  test('an item of the host that failed has no event that says it is complete', () => {
    const events = createRun().insert({ ...FILE_SEARCH, status: 'failed' })
    expect(between(events)).not.toContain('file_search_call.completed')
    const listing = { type: 'mcp_list_tools', server_label: 'a', tools: [], error: 'gone' }
    expect(between(createRun().insert(listing))).toContain('mcp_list_tools.failed')
  })

  test('an item of the host takes the next index while the model writes, and the message continues', () => {
    const run = createRun()
    run.push('<|channel|>final<|message|>Hel')
    run.insert(COMPACTION)
    run.push('lo')
    const output = terminal(run.end('stop')).output
    expect(output).toMatchObject([{ content: [{ text: 'Hello' }] }, { type: 'compaction' }])
    expect(brief(run.events)).toContain('output_text.delta 0 "lo"')
  })

  test('an item of the host is a value of its own: neither the host nor a reader can change it', () => {
    const run = createRun()
    const item = structuredClone(FILE_SEARCH)
    const [, , added, , , , done] = run.insert(item)
    item.queries.push('another')
    expect(done).toMatchObject({ item: { queries: ['harmony'] } })
    expect(added).not.toBe(done)
    expect(terminal(run.end('stop')).output).toMatchObject([{ queries: ['harmony'] }])
  })

  test('a host item of an unknown type is added and done', () => {
    for (const type of ['future_call', 'constructor', '__proto__']) {
      const run = createRun()
      expect(between(run.insert({ type, fact: 1 } as CompleteItem))).toEqual(['output_item.added', 'output_item.done'])
      expect(run.translator.response.output).toEqual([{ type, fact: 1, id: 'item_0' }])
    }
  })

  test('a message of the host has the lists that clients read, also if it was given without', () => {
    const run = createRun()
    const message = { type: 'message', role: 'assistant', status: 'completed', phase: 'final_answer' }
    const events = run.insert({ ...message, content: [{ type: 'output_text', text: 'Hi' }] })
    run.insert({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] })
    expect(terminal(run.end('stop')).output).toMatchObject([
      { content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }] },
      { content: [], summary: [{ type: 'summary_text', text: 'Hm' }] },
    ])
    expect(checkEvents(events).filter(({ rule }) => rule === 'event-shape')).toEqual([])
  })

  test('a part of a message has the events of text, also if its type is that of no answer', () => {
    // Not a run of `createRun`: the accumulator of the SDK throws at a part that it does not know.
    const translator = new Translator(FIXED)
    const item = hostItem({ type: 'message', content: [{ type: 'reasoning_text', text: 'Hm' }] } as CompleteItem)
    const events = translator.insert(item)
    expect(events.map(({ type }) => type)).toContain('response.output_text.delta')
    expect(translator.response.output).toMatchObject([{ content: [{ text: 'Hm', annotations: [], logprobs: [] }] }])
  })

  test('a log-probability of a message of the host has its list of alternatives, also if it was given without', () => {
    const content = [{ type: 'output_text', text: 'Hi', logprobs: [{ token: 'Hi', logprob: 0, bytes: [] }] }]
    const translator = new Translator(FIXED)
    translator.insert(hostItem({ type: 'message', content } as CompleteItem))
    expect(translator.response.output).toMatchObject([{ content: [{ logprobs: [{ token: 'Hi', top_logprobs: [] }] }] }])
  })

  test('an item of the host goes through a snapshot', () => {
    const run = createRun()
    run.insert(FILE_SEARCH)
    const restored = Translator.restore(JSON.parse(JSON.stringify(run.translator.snapshot())), FIXED)
    expect(restored.response.output).toEqual([FILE_SEARCH])
    expect(() => restored.insert(hostItem(FILE_SEARCH))).toThrow(/insert: id: expected an unused id, got "fs_mine"/)
  })

  test.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /^hostItem: expected an item with a type, got undefined/],
    ['no type', { id: 'a' }, /^hostItem: expected an item with a type, got an object/],
    ['an empty id', { ...COMPACTION, id: '' }, /^hostItem: id: expected a string, got ""/],
    [
      'text for its parts',
      { type: 'message', content: 'Hi' },
      /^hostItem: content: expected an array of parts with types/,
    ],
    [
      'annotations that are no list',
      { type: 'message', content: [{ type: 'output_text', text: 'Hi', annotations: 'none' }] },
      /^hostItem: annotations: expected an array/,
    ],
    [
      'an annotation that is nothing',
      { type: 'reasoning', summary: [{ type: 'output_text', annotations: [null] }] },
      /^hostItem: annotations: expected an array of objects/,
    ],
    ['invalid parts', { type: 'message', content: [{}] }, /^hostItem: content: expected an array of parts/],
    [
      'arguments that are not a string',
      { type: 'function_call', arguments: {} },
      /^hostItem: arguments: expected a string/,
    ],
    ['a function in it', { ...COMPACTION, call() {} }, /^hostItem: expected plain JSON data/],
  ])('an item of the host with %s is refused, and nothing is reported', (_, item, message) => {
    const run = createRun()
    run.start()
    expect(() => run.insert(item as CompleteItem)).toThrow(message)
    expect(run.end('stop').map(({ type }) => type)).toEqual(['response.completed'])
  })

  test('an item of the host is what hostItem makes of one, because that knows its events', () => {
    expect(() => createRun().translator.insert(COMPACTION as never)).toThrow(
      'insert: expected hostItem(item), got an object',
    )
  })

  test('an item of the host is too late after the terminal event', () => {
    const run = createRun()
    run.end('stop')
    expect(() => run.insert(COMPACTION)).toThrow(/insert: expected an open response/)
  })
})

describe.each(Object.values(itemSpecimens))('every item of the wire: $type', (specimen) => {
  test(`an inserted ${specimen.type} gives a stream in which the judge finds no fault, and is itself in the end`, () => {
    for (const status of ['status' in specimen ? specimen.status : undefined, 'failed']) {
      const { id: _, ...item } = { ...specimen, ...(status !== undefined && 'status' in specimen && { status }) }
      const run = createRun()
      run.push(messageOn('analysis', 'Hm<|end|>'))
      run.insert(item)
      run.push('<|start|>assistant', messageOn('final', 'Hi<|return|>'))
      run.translator.addUsage({ inputTokens: 1, outputTokens: 1 })
      const response = terminal(run.end('stop'))
      expect(response.output[1]).toEqual({ ...item, id: expect.any(String) })
      if (status === 'failed') continue
      const found = checkEvents(run.events).filter(({ severity }) => severity === 'error')
      expect(found).toEqual([])
    }
  })
})

test('an item of the host is inserted or refused by a typed error, whatever JSON it is', () => {
  const text = fc.constantFrom<unknown>(
    '',
    'text',
    null,
    undefined,
    1,
    [],
    {},
    [{ type: 'output_text' }],
    [{ top_logprobs: [null] }],
  )
  const part = fc.record(
    {
      type: fc.constantFrom('output_text', 'refusal', 'summary_text', 'reasoning_text', 'odd'),
      text,
      refusal: text,
      annotations: text,
      logprobs: text,
    },
    { requiredKeys: ['type'] },
  )
  const list = fc.oneof(fc.array(part), text)
  const item = fc.record(
    {
      type: fc.constantFrom(...Object.values(itemSpecimens).map(({ type }) => type)),
      status: text,
      content: list,
      summary: list,
      arguments: text,
      input: text,
      code: text,
      error: text,
      outputs: list,
    },
    { requiredKeys: ['type'] },
  )
  fc.assert(
    fc.property(item, (item) => {
      // Not a run of `createRun`: the accumulators of the SDK throw at calls without a `call_id`.
      const translator = new Translator(FIXED)
      try {
        translator.insert(hostItem(item as CompleteItem))
      } catch (error) {
        expect(error).toBeInstanceOf(HarmonyResponsesError)
      }
      expect(translator.end('stop').at(-1)?.type).toBe('response.completed')
    }),
    { numRuns: runs(1000) },
  )
})

test('wherever items are inserted, the stream is right and has each of them once', () =>
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...Object.values(itemSpecimens)), { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(fc.nat(6)),
      (specimens, places) => {
        const chunks = [
          '<|channel|>analysis<|message|>',
          'Hm',
          '<|end|>',
          '<|start|>assistant',
          messageOn('final', 'Hi'),
          '<|return|>',
        ]
        const run = createRun()
        const rest = specimens.map((item, at) => ({
          place: places.next().value,
          item: { ...item, id: `own_${at}`, ...('call_id' in item && { call_id: `call_${at}` }) },
        }))
        for (const [at, chunk] of chunks.entries()) {
          for (const { item } of rest.filter(({ place }) => place === at)) run.insert(item)
          run.push(chunk)
        }
        for (const { item } of rest.filter(({ place }) => place >= chunks.length)) run.insert(item)
        const { output } = terminal(run.end('stop'))
        for (const { item } of rest) expect(output.filter(({ id }) => id === item.id)).toEqual([item])
        expect(run.events.map(({ sequence_number }) => sequence_number)).toEqual(run.events.map((_, at) => at))
        const indexes = run.events.flatMap((event) =>
          event.type === 'response.output_item.added' ? [event.output_index] : [],
        )
        expect(indexes).toEqual(indexes.map((_, at) => at))
      },
    ),
  ))
