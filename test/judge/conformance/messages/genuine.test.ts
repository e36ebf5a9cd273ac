import { readdirSync, readFileSync } from 'node:fs'
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream'
import type { Message } from '@anthropic-ai/sdk/resources/messages'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMessageEncoder } from '../../../../src/dialects/index.js'
import { checkEvents, type StreamEvent } from '../../../../src/judge/conformance/index.js'
import { runs } from '../../../support/runs.js'
import { projectFixtures } from '../schemas/captures.js'
import { fieldDamages } from '../schemas/field-damages.js'
import { BASES, type Draft } from './streams.js'

const fixtures = readdirSync(projectFixtures).filter((name) => name.endsWith('.events.jsonl'))

/** A fixture in the words of the Messages API, as this library has them. */
function messageEventsOf(name: string): StreamEvent[] {
  const encode = createMessageEncoder()
  const lines = readFileSync(`${projectFixtures}/${name}`, 'utf8').trim().split('\n')
  return JSON.parse(JSON.stringify(lines.flatMap((line) => encode(JSON.parse(line)))))
}

const serverFaults = (events: readonly unknown[]): string[] =>
  checkEvents(events as StreamEvent[], { profile: 'messages' })
    .filter(({ fault }) => fault === 'server')
    .map(({ rule, position, expected, got }) => `${position} ${rule}: expected ${expected}, got ${got}`)

type Final = { readonly thrown: string } | { readonly message: Message }

/** What the accumulator of the Anthropic SDK makes of a stream. */
async function madeBySdk(events: readonly unknown[]): Promise<Final> {
  const body = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  const stream = MessageStream.fromReadableStream(new Blob([body]).stream() as never)
  return stream.finalMessage().then(
    (message) => ({ message }),
    (error: unknown) => ({ thrown: String(error) }),
  )
}

/** What a message says: its texts, the inputs of its calls, and why it ended. */
type Said = Readonly<Record<'text' | 'thinking' | 'inputs' | 'stop', string>>

/** What the deltas of a good stream say. */
function saidIn(events: readonly Draft[]): Said {
  const all = (name: string, of = events): string => of.map(({ delta }) => delta?.[name] ?? '').join('')
  const inputs = events
    .filter(({ content_block: block }) => block?.type === 'tool_use')
    .map(
      ({ index }) =>
        all(
          'partial_json',
          events.filter((event) => event.index === index),
        ) || '{}',
    )
  const stop = events.findLast(({ type }) => type === 'message_delta')?.delta.stop_reason
  const parsed = inputs.map((input) => JSON.stringify(JSON.parse(input)))
  return { text: all('text'), thinking: all('thinking'), inputs: parsed.join(), stop }
}

/** The same in what the SDK made of it. */
function saidBy({ content, stop_reason: stop }: Message): Said {
  const of = (type: string, field: string): string[] =>
    content.filter((block) => block.type === type).map((block: Draft) => block[field])
  const inputs = of('tool_use', 'input').map((input) => JSON.stringify(input))
  return {
    text: of('text', 'text').join(''),
    thinking: of('thinking', 'thinking').join(''),
    inputs: inputs.join(),
    stop: `${stop}`,
  }
}

test.each(fixtures)('no server is at fault in the fixture %s as messages', (name) => {
  expect(serverFaults(messageEventsOf(name))).toEqual([])
})

test.each(Object.entries(BASES).filter(([name]) => name !== 'failed'))(
  'the Anthropic SDK makes the whole message of the good stream %s',
  async (_name, events) => {
    const made = await madeBySdk(events)
    expect(saidBy((made as { message: Message }).message)).toEqual(saidIn(events))
  },
)

/** A good stream with one event lost, doubled, moved or with a wrong field, or cut off. */
const damaged = fc
  .tuple(
    fc.constantFrom(...Object.values(BASES)),
    fc.nat(),
    fc.nat(),
    fc.constantFrom('drop', 'twice', 'move', 'cut', 'field', 'field'),
  )
  .map(([base, one, other, how]) => {
    const events = [...base]
    const at = one % events.length
    const event = events[at] as StreamEvent
    if (how === 'drop') events.splice(at, 1)
    else if (how === 'twice') events.splice(at, 0, event)
    else if (how === 'move') events.splice(other % events.length, 0, ...events.splice(at, 1))
    else if (how === 'cut') events.length = at
    else {
      const damages = [...fieldDamages(event)]
      if (damages.length > 0) events[at] = damages[other % damages.length]?.event() as object
    }
    return events
  })

test('the Anthropic SDK reads every stream that passes the profile without an error or a lost delta', async () => {
  await fc.assert(
    fc.asyncProperty(damaged, async (events) => {
      const found = checkEvents(events as StreamEvent[], { profile: 'messages' })
      // A stream that failed is thrown, as it should be; so are arguments that the model got wrong, which are reported.
      if (found.length > 0 || events.some((event) => (event as StreamEvent).type === 'error')) return
      const made = await madeBySdk(events)
      expect(made).not.toHaveProperty('thrown')
      expect(saidBy((made as { message: Message }).message)).toEqual(saidIn(events))
    }),
    { numRuns: runs(1000) },
  )
})
