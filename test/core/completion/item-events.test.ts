import { describe, expect, test } from 'vitest'
import { urlCitations } from '../../../src/core/citations/url-citations.js'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import { loadTokenTable, type OutputItem, type ResponseStreamEvent } from '../../../src/index.js'
import { custom, fn, mcp } from '../recipients/tools.js'
import { callTo, createRun, inTurn, messageOn } from '../translate/run.js'

const request = {
  tools: [
    fn('f'),
    custom('c'),
    { ...mcp('github'), require_approval: 'never' },
    { ...mcp('guarded'), require_approval: 'always' },
    { type: 'code_interpreter' },
    { type: 'web_search' },
    { type: 'file_search', vector_store_ids: ['vs'] },
    { type: 'shell', environment: { type: 'container_auto' } },
    { type: 'apply_patch' },
  ],
  include: ['code_interpreter_call.outputs', 'message.output_text.logprobs', 'file_search_call.results'],
}

const PATCH = '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch'

/** One item of each type that models write, and of each way in which its result may come. */
const WRITTEN: Readonly<
  Record<string, [harmony: string, author?: string | undefined, options?: Partial<TranslatorOptions>]>
> = {
  message: [messageOn('final', 'Hi there【3†L1】<|return|>'), undefined, citing()],
  'reasoning, raw': [messageOn('analysis', 'Hm.<|end|>')],
  'reasoning, as a summary': [messageOn('analysis', 'Hm.<|end|>'), undefined, { reasoning: 'summary' }],
  'reasoning, hidden': [messageOn('analysis', 'Hm.<|end|>'), undefined, { reasoning: 'hidden' }],
  function_call: [callTo('functions.f', '{"a":1}<|call|>')],
  custom_tool_call: [callTo('functions.c', 'in<|call|>')],
  'mcp_call with a result': [callTo('github.a', '{}<|call|>'), 'github.a'],
  'mcp_call without one': [callTo('github.a', '{}<|call|>')],
  'mcp_call that is not available': [callTo('github.a', '{}<|call|>'), undefined, { policy: 'agents' }],
  mcp_approval_request: [callTo('guarded.a', '{}<|call|>')],
  code_interpreter_call: [callTo('python', 'print(1)<|call|>'), 'python'],
  web_search_call: [callTo('browser.search', '{"query":"q"}<|call|>'), 'browser.search'],
  file_search_call: [callTo('file_search.search', '{"queries":["q"]}<|call|>'), 'file_search.search'],
  shell_call: [callTo('container.exec', '{"cmd":["ls"]}<|call|>'), 'container.exec'],
  apply_patch_call: [callTo('functions.apply_patch', PATCH)],
}

function citing(): Partial<TranslatorOptions> {
  return { citations: urlCitations({ resolve: () => ({ url: 'https://example.com/', title: 'E' }) }) }
}

/** The events of one item without its place in the stream; all deltas of a text as one. */
function eventsOf(events: readonly ResponseStreamEvent[], index: number): object[] {
  const own = events.filter((event) => 'output_index' in event && event.output_index === index)
  const all: { [field: string]: unknown }[] = []
  for (const event of own) {
    const {
      sequence_number: _,
      output_index: __,
      ...rest
    } = { item_id: undefined, ...event } as never as {
      [field: string]: unknown
    }
    const last = all.findLast(({ type }) => type === rest['type'])
    if (typeof rest['delta'] === 'string' && last !== undefined) last['delta'] += rest['delta']
    else all.push({ ...rest })
  }
  // Annotations come with the deltas that they are about.
  const isAnnotation = ({ type }: { [field: string]: unknown }): boolean => /annotation/.test(String(type))
  const end = all.findIndex(({ type }) => /_text\.done$/.test(String(type)))
  return [
    ...all.slice(0, end).filter((event) => !isAnnotation(event)),
    ...all.slice(0, end).filter(isAnnotation),
    ...all.slice(end),
  ]
}

/** The objects that are in a value more than once, and may be changed. */
function sharedParts(value: unknown, seen: Set<unknown> = new Set()): unknown[] {
  if (isFixed(value)) return []
  if (seen.has(value)) return [value]
  seen.add(value)
  return Object.values(value as object).flatMap((part) => sharedParts(part, seen))
}

const isFixed = (value: unknown): boolean =>
  Object(value) !== value || (Object.isFrozen(value) && Object.values(value as object).every(isFixed))

test.each(Object.entries(WRITTEN))('no two events have a part in common: %s', (_, [harmony, author, options]) => {
  const run = createRun({ request, ...options } as never)
  run.push(inTurn(harmony))
  if (author !== undefined) run.answer(author, '[3] A page (https://example.com/)\ntext')
  run.end('stop')
  expect(sharedParts(run.events)).toEqual([])
  const inserting = createRun()
  const items = run.translator.output
  for (const item of items) inserting.insert(item)
  expect(sharedParts([inserting.events, items])).toEqual([])
})

test('a message with log-probabilities has no part that can be changed in common with another event', async () => {
  const run = createRun({ request, tokenTable: await loadTokenTable() } as never)
  run.push([200005, 17196, 200008].map((id) => ({ id, logprob: -1 })))
  run.push([{ id: 12194, logprob: -0.5, topLogprobs: [{ id: 12194, logprob: -0.5 }] }], [200002])
  run.end('stop')
  expect(sharedParts(run.events)).toEqual([])
  expect(JSON.stringify(run.events)).toContain('-0.5')
})

describe('the events of an item that a host inserts', () => {
  test.each(Object.entries(WRITTEN))(
    'are those of the same item that a model wrote: %s',
    (_, [harmony, author, options]) => {
      const run = createRun({ request, ...options } as never)
      run.push(inTurn(harmony))
      if (author !== undefined) run.answer(author, 'out')
      run.end('stop')
      const written = run.translator.output
      expect(written.length).toBeGreaterThan(0)
      for (const [index, item] of written.entries()) {
        const inserting = createRun()
        for (const before of written.slice(0, index)) inserting.insert(before)
        inserting.insert(item)
        // A host knows at once what it did: only what clients append is left out at first.
        const from = ['web_search_call', 'apply_patch_call'].includes(item.type) ? 1 : 0
        expect(eventsOf(inserting.events, index).slice(from)).toEqual(eventsOf(run.events, index).slice(from))
      }
    },
  )

  test('parts follow each other: the events of one are complete before the next begins', () => {
    const run = createRun()
    run.insert({
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'output_text', text: 'Hi' },
        { type: 'refusal', refusal: 'No' },
      ],
    } as never as OutputItem)
    expect(
      run.events.flatMap((event) => ('content_index' in event ? [`${event.type} ${event.content_index}`] : [])),
    ).toEqual([
      'response.content_part.added 0',
      'response.output_text.delta 0',
      'response.output_text.done 0',
      'response.content_part.done 0',
      'response.content_part.added 1',
      'response.refusal.delta 1',
      'response.refusal.done 1',
      'response.content_part.done 1',
    ])
  })

  test('an inserted shell call and its output have the events of each command', () => {
    const run = createRun()
    const outcome = { type: 'exit', exit_code: 0 }
    run.insert({
      type: 'shell_call',
      call_id: 'call_1',
      action: { commands: ['ls', 'pwd'], timeout_ms: null, max_output_length: null },
    } as never as OutputItem)
    run.insert({
      type: 'shell_call_output',
      call_id: 'call_1',
      output: ['a', 'b', 'c'].map((stdout) => ({ stdout, stderr: '', outcome })),
    } as never as OutputItem)
    const commands = run.events.flatMap((event) =>
      'command_index' in event ? [`${event.type} ${event.command_index}`] : [],
    )
    expect(commands).toEqual([
      ...[0, 1].flatMap((at) => ['added', 'delta', 'done'].map((of) => `response.shell_call_command.${of} ${at}`)),
      'response.shell_call_output_content.delta 0',
      'response.shell_call_output_content.done 0',
      'response.shell_call_output_content.delta 1',
      'response.shell_call_output_content.delta 1',
      'response.shell_call_output_content.done 1',
    ])
  })
})
