import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { faultyStream } from '../../../src/judge/conformance/arbitraries/index.js'
import { CLIENTS, type Client, explain as explanationOf } from '../../../src/judge/conformance/index.js'
import type { StreamEvent } from '../../../src/judge/conformance/stream-event.js'
import { callTo, createRun, inTurn, messageOn } from '../../core/translate/run.js'
import { RUNS } from '../../support/runs.js'

/** A preamble and a call, as we stream them. */
function stream(): StreamEvent[] {
  const run = createRun({ request: { tools: [{ type: 'function', name: 'get_weather' }] } })
  run.push(
    inTurn(messageOn('commentary', 'I look.<|end|>'), callTo('functions.get_weather', '{"city":"Oslo"}<|call|>')),
  )
  run.end('stop')
  return JSON.parse(JSON.stringify(run.events))
}

const explain = (events: readonly StreamEvent[], client: Client): string => explanationOf(events, client).text

const without = (events: StreamEvent[], type: RegExp): StreamEvent[] => events.filter((event) => !type.test(event.type))

describe('a good stream', () => {
  test.each(CLIENTS)('a good stream is shown, run and ended by %s', (client) => {
    expect(explain(stream(), client)).toMatch(
      /^[\w ]+ shows "I look\.", will run get_weather with \{"city":"Oslo"\}, and ends well\.$/,
    )
  })
})

describe('a damaged stream', () => {
  test('a damaged stream without deltas has LangChain run the call with nothing', () => {
    const damaged = without(stream(), /function_call_arguments\.delta/)
    expect(explain(damaged, 'langchain')).toContain(
      'will run get_weather with {}: item 1 (function_call): no delta says {"city":"Oslo"}',
    )
    expect(explain(damaged, 'codex')).toContain('will run get_weather with {"city":"Oslo"}')
  })

  test('a damaged stream with arguments already announced has LangChain lose them', () => {
    const damaged = stream()
    for (const { type, item } of damaged) {
      const call = item as { type: string; arguments: string } | undefined
      if (type === 'response.output_item.added' && call?.type === 'function_call') call.arguments = '{"city":"Oslo"}'
    }
    expect(explain(damaged, 'langchain')).toContain(
      'item 1 (function_call): the added item has the arguments, and the deltas have them, too',
    )
  })

  test('a damaged stream without output_item.done has Codex and the AI SDK run nothing', () => {
    const damaged = without(stream(), /output_item\.done/)
    expect(explain(damaged, 'codex')).toMatch(
      /^Codex shows no text, and ends without noticing that something is lost\. It trips at/,
    )
    expect(explain(damaged, 'ai-sdk')).not.toContain('will run')
    expect(explain(damaged, 'openai-agents')).toContain('will run get_weather')
  })

  test('a damaged stream without an end is reported as each client reports it', () => {
    const damaged = without(stream(), /response\.completed/)
    expect(
      CLIENTS.map((client) => /, (?=[^,]*\.? ?)(finishes|has no|never|says)[^.]*/.exec(explain(damaged, client))?.[0]),
    ).toEqual([
      ', never learns that the response has ended: its status stays in_progress',
      ', has no result, because no event ends the stream',
      ', finishes as interrupted',
      ', has no result, because no event ends the stream',
      ', never learns that the response has ended, and has no usage',
      ', says that the stream was closed before response',
    ])
  })

  test('a damaged stream shows the event at which the client fails, with the expected and the actual value', () => {
    const damaged = stream().map((event) => (event['item_id'] === 'msg_0' ? { ...event, item_id: 'msg_9' } : event))
    expect(explain(damaged, 'openai')).toMatch(
      /It trips at event 3 \(response\.content_part\.added\): expected item_id "msg_0", got "msg_9"\.$/,
    )
  })

  test('a damaged stream that was cut off ends an Agents run, and fails a turn of Codex', () => {
    const run = createRun()
    run.push(messageOn('final', 'Half'))
    run.end('max_output_tokens')
    const cut = run.events as unknown as StreamEvent[]
    expect(explain(cut, 'openai-agents')).toContain('throws at response.incomplete')
    expect(explain(cut, 'codex')).toContain('fails the turn: incomplete response')
    expect(explain(cut, 'ai-sdk')).toContain('learns that it was cut off (max_output_tokens)')
  })

  test('a stream that was cancelled shows that to clients that know the status', () => {
    const run = createRun()
    run.push(messageOn('final', 'Half'))
    run.cancel()
    const cancelled = run.events as unknown as StreamEvent[]
    for (const client of ['openai', 'langchain'] as const) {
      expect(explain(cancelled, client)).toContain('learns that it was cancelled')
    }
    expect(explain(cancelled, 'openai-agents')).toContain('throws at response.incomplete')
    expect(explain(cancelled, 'codex')).toContain('fails the turn: incomplete response')
  })

  test('a damaged stream that failed is reported with its message', () => {
    const run = createRun()
    run.push(messageOn('final', 'Half'))
    run.fail({ message: 'engine died' })
    expect(explain(run.events as unknown as StreamEvent[], 'ai-sdk')).toContain('fails: engine died')
  })
})

test('every fixture is explained to every client without a word of a fault but the model’s', () => {
  const file = new URL('../../../fixtures/preamble-function-call.events.jsonl', import.meta.url)
  const events = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const client of CLIENTS) expect(explain(events, client)).not.toContain('trips')
})

describe('whatever comes', () => {
  const types = ['error', 'response.created', 'response.completed', 'response.incomplete', 'response.failed'].concat(
    ['output_item.added', 'output_item.done', 'output_text.delta', 'function_call_arguments.delta'].map(
      (type) => `response.${type}`,
    ),
  )
  const fields = ['item', 'response', 'delta', 'output_index', 'error', 'arguments', 'output', 'content', 'name']
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom({ toString: [] }, { type: 'function_call' }, { type: 'message', content: [null, 1, []] }),
    fc.constant({ status: 'completed', output: [null, [], { type: 'function_call', name: {}, arguments: [] }] }),
  )
  const event = fc
    .tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...fields), value))
    .map(([type, fields]): unknown => ({ ...fields, type }))
  const anything = fc.array(fc.oneof(event, fc.jsonValue(), fc.constant(undefined)), { maxLength: 8 })

  test('explain never throws, and never says that what trips ends well', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(...CLIENTS), (events, client) => {
        const said = explain(events as StreamEvent[], client)
        expect(said.includes('ends well') && said.includes('It trips')).toBe(false)
      }),
      { numRuns: RUNS * 2 },
    )
  })

  test('explain says of a faulty stream either that it ends well or that it trips', () => {
    fc.assert(
      fc.property(faultyStream([stream() as never]), fc.constantFrom(...CLIENTS), ({ events }, client) => {
        const said = explain(events, client)
        expect(said.includes('ends well') && said.includes('It trips')).toBe(false)
      }),
      { numRuns: RUNS },
    )
  })

  test('explain refuses only an unknown client', () => {
    expect(() => explain([], 'curl' as never)).toThrow(
      'client: expected one of openai, openai-python, ai-sdk, openai-agents',
    )
  })
})
