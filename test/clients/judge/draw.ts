import fc from 'fast-check'
import { faultyStream } from '../../../src/judge/conformance/arbitraries/index.js'
import type { Family } from '../../../src/judge/conformance/damage/family.js'
import { jsonHash } from '../../../src/judge/conformance/json-hash.js'
import { type Damage, damagesOf, type WireEvent } from './damages.js'
import type { NamedStream } from './streams.js'

/** A randomly chosen damaged stream. */
export interface Drawn {
  readonly kind: string
  /** The stream that it was made of. */
  readonly stream: NamedStream
  /** The number of the damaged event. */
  readonly at: number
  readonly events: readonly WireEvent[]
  /** Only a field of usage or an id is damaged: see `isCounted`. */
  readonly isSoft: boolean
  /** What it is compared with, if that is not its stream. */
  readonly base?: readonly WireEvent[]
}

/** Of each kind, so many are kept to draw from. */
const KEPT = 64

/** So many streams are damaged. */
const MAX_STREAMS = 150

/**
 * Damages of these streams, each kind as often as any other as long as there are such: rare kinds are as bad as
 * frequent ones. No two are the same stream, and none is what it was made of. The same seed draws the same.
 */
export function drawDamages(streams: readonly NamedStream[], count: number, seed: number): Drawn[] {
  return drawOf(streams, count, seed, {
    damagesOf: (events) => damagesOf(events),
    more: faults(streams, Math.min(count, 2000), seed),
  })
}

/** The candidates: the damages of each stream, and some additional ones. */
export interface Source {
  damagesOf(events: readonly WireEvent[]): Iterable<Damage>
  readonly more: readonly Drawn[]
}

/** {@link drawDamages} of streams of any API. */
export function drawOf(streams: readonly NamedStream[], count: number, seed: number, source: Source): Drawn[] {
  const random = randomFrom(seed)
  const kinds = new Strata(random)
  // Some of many streams: most differ only in their text.
  for (const stream of shuffled(streams, random).slice(0, MAX_STREAMS)) {
    for (const damage of source.damagesOf(stream.events)) {
      kinds.offer(stratumOf(damage), () => ({
        kind: damage.kind,
        stream,
        at: damage.at,
        events: damage.events,
        isSoft: isSoft(damage.path),
      }))
    }
  }
  for (const drawn of source.more) kinds.offer(drawn.kind, () => drawn)
  return kinds.draw(count)
}

/** Damages of a family, each of its ways as often as any other as long as there are such. */
export function drawFamily(family: Family, streams: readonly NamedStream[], count: number, seed: number): Drawn[] {
  const random = randomFrom(seed)
  const kinds = new Strata(random)
  const some = shuffled(streams, random).slice(0, MAX_STREAMS)
  for (const [number, stream] of some.entries()) {
    const other = (some[(number + 1) % some.length] as NamedStream).events
    for (const { how, at, events, base } of family.damages(stream.events, other)) {
      const made = { kind: `${family.name}: ${how}`, stream, at, events, isSoft: family.isSoft === true }
      kinds.offer(how, () => ({ ...made, ...(base === undefined ? {} : { base }) }))
    }
  }
  return kinds.draw(count)
}

/** Draws each kind as often as any other. */
class Strata {
  readonly #random: () => number
  readonly #kinds = new Map<string, { seen: number; readonly kept: (() => Drawn)[] }>()

  constructor(random: () => number) {
    this.#random = random
  }

  offer(kind: string, make: () => Drawn): void {
    let entry = this.#kinds.get(kind)
    if (entry === undefined) {
      entry = { seen: 0, kept: [] }
      this.#kinds.set(kind, entry)
    }
    // Reservoir sampling: each candidate is kept with the same probability.
    const place = entry.seen < KEPT ? entry.seen : Math.floor(this.#random() * (entry.seen + 1))
    entry.seen++
    if (place < KEPT) entry.kept[place] = make
  }

  draw(count: number): Drawn[] {
    const random = this.#random
    const heaps = shuffled([...this.#kinds.values()], random).map(({ kept }) => shuffled(kept, random))
    const drawn: Drawn[] = []
    const known = new Set<number>()
    for (let round = 0; round < KEPT && drawn.length < count; round++) {
      for (const heap of heaps) {
        const one = heap[round]?.()
        if (one === undefined || drawn.length >= count) continue
        const sum = jsonHash(one.events)
        if (known.has(sum) || sum === jsonHash(one.stream.events)) continue
        known.add(sum)
        drawn.push(one)
      }
    }
    return drawn
  }
}

/** The faults that the arbitraries of this package plant. */
function faults(streams: readonly NamedStream[], count: number, seed: number): Drawn[] {
  // These faults need complete streams, with a beginning.
  const whole = streams.filter(({ events }) => events.every((event) => typeof event?.['sequence_number'] === 'number'))
  if (whole.length === 0) return []
  const arbitrary = fc.nat({ max: whole.length - 1 }).chain((at) => {
    const stream = whole[at] as NamedStream
    return faultyStream([stream.events as never]).map((faulty) => ({ stream, faulty }))
  })
  return fc.sample(arbitrary, { numRuns: count, seed }).map(({ stream, faulty: { events, fault } }) => ({
    kind: `fault: ${fault.kind}`,
    stream,
    at: fault.at,
    events,
    isSoft: /_id_changed$/.test(fault.kind),
  }))
}

/**
 * What a damage is drawn with. The fields of a response that only say what was asked for are many, and harm hardly
 * anybody: those of one event are one stratum, or they would be most of what is played.
 */
function stratumOf({ kind, path }: Damage): string {
  const [first, field] = path ?? []
  if (first !== 'response' || field === undefined || READ.test(String(field))) return kind
  return kind.replace(/: .* in /, ': what was asked for in ')
}

/** Fields of a response that clients read, or may. */
const READ = /^(id|object|created_at|model|status|output|error|incomplete_details|usage)$/

/** Fields that most users do not see: usage, and ids. */
const SOFT = /^(usage|id|item_id|call_id|response_id|previous_response_id|approval_request_id|container_id)$/

const isSoft = (path: readonly (string | number)[] | undefined): boolean =>
  path?.some((name) => typeof name === 'string' && SOFT.test(name)) ?? false

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const all = [...list]
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[all[at], all[other]] = [all[other] as T, all[at] as T]
  }
  return all
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
