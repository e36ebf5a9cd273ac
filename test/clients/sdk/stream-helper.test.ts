import { readFileSync } from 'node:fs'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import {
  BASES,
  brokenBy,
  type Damage,
  type Draft,
  damaged,
  drop,
  give,
  insert,
  inside,
  itemsIn,
  move,
  type Stream,
  setItem,
} from '../../judge/conformance/invariants/streams.js'
import { sampled } from '../../support/runs.js'
import { describeWithShared, sharedFolder } from '../../support/shared-data.js'

/** The error of the SDK's stream helper for a stream, if it throws. */
async function thrownBy(events: Stream): Promise<string | undefined> {
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  const headers = { 'content-type': 'text/event-stream' }
  const client = new OpenAI({ apiKey: 'none', maxRetries: 0, fetch: async () => new Response(frames, { headers }) })
  try {
    await client.responses.stream({ model: 'm', input: 'x' }).finalResponse()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Where an event belongs, and in which order. */
const PLACES = ['item_id', 'output_index', 'content_index', 'summary_index', 'command_index', 'annotation_index']

/** Every damage of a kind to one event, or to ids everywhere. The schemas test the values of fields. */
type Damages = (base: Stream) => Generator<readonly [what: string, damage: Damage]>

const nameOf = (at: number, { type }: Draft): string => `${at} ${type.replace('response.', '')}`

const KINDS: Readonly<Record<string, Damages>> = {
  *'an event that is lost, comes twice or too soon'(base) {
    for (const [at, event] of base.entries()) {
      yield [`${nameOf(at, event)} lost`, drop((other) => other['sequence_number'] === at)]
      yield [`${nameOf(at, event)} twice`, insert(at, event)]
      if (at > 0) yield [`${nameOf(at, event)} sooner`, move(at, at - 1)]
    }
  },
  *'an event in another place'(base) {
    for (const [at, event] of base.entries()) {
      for (const place of PLACES.filter((place) => place in event)) {
        const others = place === 'item_id' ? ['msg_other', undefined] : [Number(event[place]) + 1, 7, -1, undefined]
        for (const other of others) {
          yield [`${nameOf(at, event)} ${place} ${other}`, (events) => give(events[at] ?? {}, { [place]: other })]
        }
      }
    }
  },
  *'an event of another kind of item'(base) {
    const ofText = [...base.entries()].filter(([, { type }]) =>
      /^response\.\w+(text|arguments|input|code)\.(delta|done)$/.test(type),
    )
    for (const [at, event] of ofText) {
      for (const other of ['output_text', 'reasoning_text', 'refusal', 'function_call_arguments']) {
        const type = event.type.replace(/^response\.\w+\./, `response.${other}.`)
        yield [`${nameOf(at, event)} as ${other}`, (events) => give(events[at] ?? {}, { type })]
      }
    }
  },
  *'ids that are missing, or those of others'(base) {
    for (const type of ['function_call', 'custom_tool_call', 'shell_call', 'shell_call_output']) {
      for (const call_id of [undefined, '']) yield [`${type} call_id ${call_id}`, setItem(type, { call_id })]
    }
    for (const type of new Set(itemsIn(base, '', ['added']).map((item) => String(item['type'])))) {
      yield [`${type} without id`, setItem(type, { id: undefined })]
      yield [`${type} with an empty id`, setItem(type, { id: '' })]
      yield [`${type} with another id at the end`, setItem(type, { id: 'x_1' }, ['terminal'])]
      if (type.endsWith('_call')) {
        yield [`${type} with another call_id at the end`, setItem(type, { call_id: 'call_x' }, ['terminal'])]
      }
      yield [`${type} of another type at the end`, setItem(type, { type: 'message', content: [] }, ['terminal'])]
    }
    yield ['all calls under one call_id', setItem('function_call', { call_id: 'call_same' })]
    yield [
      'the last item of the output twice',
      (events) => {
        const output = inside(events.at(-1), 'response')['output'] as unknown[]
        output.push(output.at(-1))
      },
    ]
  },
}

/** The helper throws an error event as its error although the stream is correct. */
const SAYS_SO = new Set(['failed'])

describe('an event at which the stream helper of openai throws is an error under client:openai', () => {
  const bases = Object.entries(BASES).filter(([name]) => !SAYS_SO.has(name))

  const cases = bases.flatMap(([name, base]) =>
    Object.entries(KINDS).map(([kind, of]) => [name, kind, base, of] as const),
  )

  test.each(cases)(
    'an event at which the stream helper of openai throws is an error under client:openai: %s: %s',
    async (_name, _kind, base, damages) => {
      const missed: string[] = []
      for (const [what, damage] of sampled(damages(base()))) {
        const events = damaged(base(), damage)
        const thrown = await thrownBy(events)
        if (thrown !== undefined && brokenBy(events, 'client:openai').length === 0) missed.push(`${what}: ${thrown}`)
      }
      expect(missed).toEqual([])
    },
  )

  test('the stream helper of openai takes the undamaged streams', async () => {
    for (const [name, base] of bases) expect([name, await thrownBy(base())]).toEqual([name, undefined])
  })
})

describeWithShared('openai-known-event knows the events that the stream helper knows', () => {
  const types = (): string[] => {
    const { events } = JSON.parse(readFileSync(`${sharedFolder()}/data/responses/events.json`, 'utf8'))
    return Array.isArray(events) ? events.map((event) => event.type ?? event) : Object.keys(events)
  }

  test('openai-known-event knows all types of the SDK, and none beside', async () => {
    expect(types().length).toBeGreaterThan(50)
    const odd = ['', 'Error', 'response', 'response.', 'response.acme', 'xresponse.created', 'response.created ']
    for (const type of [...types(), 'keepalive', 'response.apply_patch_call_operation_diff.delta', ...odd]) {
      const events = damaged(BASES.answer(), insert(3, { type }))
      const isUnknown = (await thrownBy(events))?.includes('Unhandled response stream event') ?? false
      expect([type, brokenBy(events, 'client:openai').includes('openai-known-event')]).toEqual([type, isUnknown])
    }
  })
})
