import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientModel, Seen } from '../../../src/conformance/clients/client.js'
import { MODELS } from '../../../src/conformance/clients/index.js'
import { TextDigest } from '../../../src/conformance/clients/text-digest.js'
import { digest } from '../../../src/conformance/digest.js'
import { damagesOf, type WireEvent } from './damages.js'
import { bodyOf, type Outcome, type Replayer } from './replay.js'

interface Stream {
  readonly name: string
  readonly events: readonly WireEvent[]
}

/** Plays a sample of the damages of our fixtures, and says where a model shows something else than its client. */
export async function infidelities(
  replayer: Replayer,
  { runs, seed }: { runs: number; seed: number },
): Promise<{ readonly played: number; readonly wrong: readonly string[] }> {
  const model = MODELS[replayer.client]
  const wrong: string[] = []
  let played = 0
  for (const { kind, events } of sampleOf(fixtures(), runs, seed)) {
    const differences = differing(seenBy(model, events), await replayer.replay(bodyOf(events)))
    if (differences.length > 0) wrong.push(`${kind}: ${differences.join('; ')}`)
    played++
  }
  return { played, wrong }
}

function fixtures(): Stream[] {
  const folder = new URL('../../../fixtures/', import.meta.url).pathname
  return readdirSync(folder)
    .filter((name) => name.endsWith('.events.jsonl'))
    .map((name) => ({
      name,
      events: readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as WireEvent),
    }))
}

/** Each stream as it is, and about so many damages of all of them. */
function* sampleOf(streams: readonly Stream[], runs: number, seed: number): Generator<Stream & { kind: string }> {
  const share = runs / streams.reduce((all, { events }) => all + events.length * PER_EVENT, 0)
  let random = seed
  for (const stream of streams) {
    yield { ...stream, kind: stream.name }
    for (const { kind, at, events } of damagesOf(stream.events)) {
      random = (Math.imul(random, 1664525) + 1013904223) >>> 0
      if (random / 2 ** 32 < share) yield { name: stream.name, kind: `${kind}, event ${at} of ${stream.name}`, events }
    }
  }
}

/** So many damages does an event have. */
const PER_EVENT = 50

/** What the model says that the client's user sees. */
function seenBy(model: ClientModel, events: readonly WireEvent[]): Seen {
  const reader = model.begin(() => {})
  for (const event of events) reader.read(event)
  reader.end()
  return reader.seen
}

/** In what a model's view and the client's differ. Of a run that throws, the text counts that was shown before. */
function differing(seen: Seen, outcome: Outcome): string[] {
  const differences: string[] = []
  const same = (what: string, model: string, client: string) => {
    if (model !== client) differences.push(`${what}: ${model.slice(0, 80)}, and the client ${client.slice(0, 80)}`)
  }
  const text = (what: string, model: TextDigest, client: string) => {
    if (!model.equals(TextDigest.of(client))) same(what, `${model}`, JSON.stringify(client))
  }
  same('ending', seen.ending, `${outcome.ending}${outcome.ending === seen.ending ? '' : `: ${outcome.error}`}`)
  if (outcome.ending === 'threw') return differences
  text('streamed', seen.streamed, outcome.streamed)
  text('final', seen.final ?? seen.streamed, outcome.final ?? outcome.streamed)
  text('reasoning', seen.reasoning, outcome.reasoning)
  const [calls, called] = [
    seen.calls.map(({ name, value }) => `${name} ${value}`),
    outcome.calls.map(({ name, arguments: given }) => `${name} ${digest(given)}`),
  ]
  same('calls', calls.join(), called.join())
  same('citations', seen.citations.join(), outcome.citations.join())
  return differences
}
