import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkEvents } from '../../../src/conformance/check.js'
import type { ClientModel, Seen } from '../../../src/conformance/clients/client.js'
import { MODELS } from '../../../src/conformance/clients/index.js'
import { TextDigest } from '../../../src/conformance/clients/text-digest.js'
import { digest } from '../../../src/conformance/digest.js'
import { damagesOf, type WireEvent } from './damages.js'
import { bodyOf, type Outcome, type Replayer } from './replay.js'

export interface Stream {
  readonly name: string
  readonly events: readonly WireEvent[]
}

/** Our fixtures, and the captured streams where there are some. */
export function streams(): Stream[] {
  const fixtures = new URL('../../../fixtures/', import.meta.url).pathname
  const found = readdirSync(fixtures)
    .filter((name) => name.endsWith('.events.jsonl'))
    .map((name) => ({ name, events: eventsIn(readFileSync(join(fixtures, name), 'utf8')) }))
  const shared = process.env['HARMONY_SHARED']
  if (shared === undefined) return found
  for (const folder of ['openai', 'azure', 'lmstudio', 'more']) {
    const path = join(shared, 'data/captured', folder)
    for (const name of readdirSync(path)) {
      if (!/\.(txt|sse)$/.test(name)) continue
      const events = eventsIn(readFileSync(join(path, name), 'utf8'))
      if (events.length > 0) found.push({ name: `${folder}/${name}`, events })
    }
  }
  return found
}

function eventsIn(text: string): WireEvent[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/^data: ?/, ''))
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as WireEvent]
      } catch {
        return []
      }
    })
}

/** What the model says that the client's user sees. */
export function seenBy(model: ClientModel, events: readonly WireEvent[]): Seen {
  const reader = model.begin(() => {})
  for (const event of events) reader.read(event)
  reader.end()
  return reader.seen
}

/** In what a model's view and the client's differ: none where the model is faithful. */
export function unfaithful(seen: Seen, outcome: Outcome): string[] {
  const differences: string[] = []
  const text = (what: string, a: TextDigest, b: string) => {
    if (!a.equals(TextDigest.of(b))) differences.push(`${what}: ${a} / ${JSON.stringify(b.slice(0, 60))}`)
  }
  if (seen.ending !== outcome.ending) differences.push(`ending: ${seen.ending} / ${outcome.ending}`)
  text('streamed', seen.streamed, outcome.streamed)
  if (seen.ending === 'threw' || outcome.ending === 'threw') return differences
  if (outcome.final !== undefined || seen.final !== undefined) {
    text('final', seen.final ?? seen.streamed, outcome.final ?? outcome.streamed)
  }
  text('reasoning', seen.reasoning, outcome.reasoning)
  const calls = [
    seen.calls.map(({ name, value }) => `${name} ${value}`).join(),
    outcome.calls.map(({ name, arguments: given }) => `${name} ${digest(given)}`).join(),
  ]
  if (calls[0] !== calls[1])
    differences.push(
      `calls: ${seen.calls.map(({ name, arguments: given }) => `${name} ${given}`)} / ${JSON.stringify(outcome.calls)}`,
    )
  if (seen.citations.join() !== outcome.citations.join()) {
    differences.push(`citations: ${seen.citations} / ${outcome.citations}`)
  }
  return differences
}

/** What a user sees, but the words of an exception: they name what was damaged. */
export const shownBy = (outcome: Outcome): string =>
  JSON.stringify({ ...outcome, ...(outcome.ending === 'threw' ? { error: '' } : {}) })

/** Every so-manieth damage of each stream, replayed: how faithful the model is, and how good the judge. */
export async function measure(
  replayer: Replayer,
  all: readonly Stream[],
  {
    share,
    seed,
    most = 400,
    log,
  }: { share: number; seed: number; most?: number; log: (kind: string, line: string) => void },
): Promise<Record<string, number>> {
  const model = MODELS[replayer.client]
  const profile = `client:${replayer.client}` as const
  const counts = {
    damages: 0,
    faithful: 0,
    broken: 0,
    flagged: 0,
    both: 0,
    genuine: 0,
    erring: 0,
    missed: 0,
    accused: 0,
  }
  const judge = (events: readonly WireEvent[]) =>
    checkEvents(events as never, { profile }).filter(({ severity }) => severity === 'error')
  let random = seed
  for (const { name, events } of all) {
    const good = await replayer.replay(bodyOf(events))
    const accusations = judge(events)
    counts.genuine++
    const differences = unfaithful(seenBy(model, events), good)
    if (differences.length > 0) log('unfaithful', `${name}: ${differences.join('; ')} ${good.error ?? ''}`)
    const said = accusations.map(({ rule, expected, got }) => `${rule}: ${expected} / ${got}`).join('; ')
    const isErring = good.ending === 'threw' || good.ending === 'open'
    if (isErring) counts.erring++
    if (isErring && said === '') counts.missed++
    if (isErring && said === '') log('genuine missed', `${name}: ${good.error}`)
    if (isErring && said !== '') log('genuine erring', `${name}: ${good.error} ${said}`)
    if (!isErring && said !== '') counts.accused++
    if (!isErring && said !== '') log('genuine accused', `${name} (${good.ending}): ${said}`)
    // A stream that is broken already shows nothing of a further damage.
    if (isErring || said !== '' || events.length > most) continue
    for (const { kind, at, events: damaged } of damagesOf(events)) {
      random = (Math.imul(random, 1664525) + 1013904223) >>> 0
      if (random / 2 ** 32 >= share) continue
      const outcome = await replayer.replay(bodyOf(damaged))
      counts.damages++
      const differences = unfaithful(seenBy(model, damaged), outcome)
      if (differences.length === 0) counts.faithful++
      else log('unfaithful', `${kind} @${at} ${name}: ${differences.join('; ')} ${outcome.error ?? ''}`)
      const isBroken = shownBy(outcome) !== shownBy(good)
      const found = judge(damaged)
      const why = found.map(({ rule, expected, got }) => `${rule}: ${expected} / ${got}`).join('; ')
      if (isBroken) counts.broken++
      if (found.length > 0) counts.flagged++
      if (isBroken && found.length > 0) counts.both++
      if (isBroken && found.length === 0)
        log('missed', `${kind} @${at} ${name}: ${outcome.ending} ${outcome.error ?? ''}`)
      if (!isBroken && found.length > 0) log('accused', `${kind} @${at} ${name}: ${why}`)
    }
  }
  return {
    ...counts,
    fidelity: counts.faithful / counts.damages,
    recall: counts.both / counts.broken,
    precision: counts.both / counts.flagged,
  }
}
