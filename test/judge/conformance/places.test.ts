import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkEvents, createCaptureChecker, explain, reportOn } from '../../../src/judge/conformance/index.js'
import { EventLines } from '../../../src/judge/conformance/read/event-lines.js'
import { RUNS } from '../../support/runs.js'
import { APIS, type ApiName, bodyOf } from './accused.js'
import { BASES as CHATS, type Draft } from './chat/streams.js'
import { BASES, damaged, set } from './invariants/streams.js'
import { BASES as MESSAGES } from './messages/streams.js'

type Profile = NonNullable<NonNullable<Parameters<typeof createCaptureChecker>[0]>['profile']>

/** The lines of what is found in a body, each once. */
function linesOf(profile: Profile, body: string): number[] {
  const checker = createCaptureChecker({ profile })
  const found = [...checker.push(body), ...checker.end()]
  return [...new Set(found.flatMap((one) => (one.kind === 'violation' ? [one.line] : [])))]
}

describe('a finding of a client names the line where it lost something:', () => {
  const drafted = (events: readonly object[], change: (draft: Draft[]) => unknown): object[] => {
    const draft = structuredClone(events) as Draft[]
    change(draft)
    return draft
  }
  test.each<[string, Profile, ApiName, object[], number]>([
    [
      'a text beside its delta',
      'chat:ai-sdk',
      'chat',
      drafted(CHATS.text, ([, { choices }]) => Object.assign(choices[0], { text: 'Hi', delta: {} })),
      3,
    ],
    [
      'a second finish_reason',
      'chat:openai',
      'chat',
      drafted(CHATS.call, (chunks) => {
        const again = structuredClone(chunks[4])
        again.choices[0].finish_reason = 'stop'
        chunks.splice(5, 0, again)
      }),
      11,
    ],
    [
      'a delta without a known type',
      'messages:anthropic',
      'messages',
      // The events of a body stand on every third line, their data on the second of these.
      drafted(MESSAGES.text, (events) => {
        events[4].delta.type = 'words'
      }),
      14,
    ],
    [
      'a done text that says something else',
      'client:codex',
      'responses',
      damaged(BASES.answer(), (events) => {
        const done = events.findIndex(({ type }) => type === 'response.output_item.done')
        const { item } = events[done] as unknown as { item: { content: { text: string }[] } }
        item.content = [{ ...(item.content[0] as { text: string }), text: 'Ho' }]
      }),
      26,
    ],
  ])('%s', (_name, profile, api, events, line) => {
    expect(APIS[api].profiles).toContain(profile)
    expect(linesOf(profile, bodyOf(api, events))).toEqual([line])
  })

  test('a stream that does not end is told at its end', () => {
    const body = bodyOf('chat', CHATS.text.slice(0, -2))
    // The line of its last event.
    expect(linesOf('chat:ai-sdk', body)).toEqual([5])
  })
})

test('the line of each event is known, whatever the distances', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 60 }), (steps) => {
      const lines = new EventLines()
      let line = 1
      const all = steps.map((step) => {
        line += step
        lines.add(line)
        return line
      })
      expect(all.map((_, at) => lines.at(at))).toEqual(all)
      expect(lines.at(all.length)).toBeUndefined()
    }),
    { numRuns: RUNS },
  )
})

describe('a stream that was not awaited is named:', () => {
  const stream = (async function* () {})() as never
  test.each([
    ['checkEvents', () => checkEvents(stream)],
    ['reportOn', () => reportOn(stream)],
    ['explain', () => explain(stream, 'openai')],
  ])('%s', (name, call) => {
    expect(call).toThrow(
      expect.objectContaining({ code: 'bad_stream', message: expect.stringMatching(`${name}.*await`) }),
    )
  })
})

test('good streams have no line', () => {
  expect(linesOf('client:openai', bodyOf('responses', damaged(BASES.answer(), set('created', {}))))).toEqual([])
})
