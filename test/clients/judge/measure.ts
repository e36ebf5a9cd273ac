import type { Violation } from '../../../src/judge/conformance/index.js'
import { type Drawn, drawFamily } from './draw.js'
import { differences, infidelity, isCallCut, losses } from './outcomes.js'
import type { Outcome, Replayer } from './replay.js'
import type { NamedStream } from './streams.js'
import type { Subject } from './subject.js'
import { drawnKinds } from './unseen/drawn.js'
import { type Half, halfOf } from './unseen/kind.js'

/** The counts of verdict against client behaviour, for all streams of one kind. */
export interface Cases {
  readonly kind: string
  readonly count: number
  /** An example to reproduce: the stream, the kind of damage, the event, and the outcome. */
  readonly example: string
}

/** The judge's quality for one client. */
export interface Measured {
  readonly profile: string
  readonly versions: Subject['versions']
  /** Damaged streams that were played. */
  readonly damaged: number
  /** Of these, those at which the client broke. */
  readonly broken: number
  readonly found: number
  /** Broken, and not reported. */
  readonly missed: number
  /** Not broken, but reported. */
  readonly accused: number
  /**
   * These do not count: reported for a damaged id or usage without a visible difference, or the damaged stream is
   * another good one.
   */
  readonly neither: number
  /** Streams for which the model differs from the client, regardless of the verdict. */
  readonly unfaithful: number
  /** Those of the kinds that a rule may be written by. */
  readonly unlike: readonly Cases[]
  /** Streams for which `explain` predicts another ending than the client's. */
  readonly misexplained: number
  readonly genuine: number
  /** Genuine streams that break the client. */
  readonly genuineBroken: number
  readonly genuineMissed: number
  readonly genuineAccused: number
  /**
   * Of the damages that break the client, those that the strict profile finds; of the good streams, those with a
   * server's error by it.
   */
  readonly strictFound: number
  readonly strictRefused: number
  readonly misses: readonly Cases[]
  readonly accusations: readonly Cases[]
  /** The same by family of damage, which are not in the counts above. */
  readonly families: readonly MeasuredFamily[]
  /** The same for kinds of mistakes by which no rule was written: see `unseen/kind.ts`. */
  readonly unseen: Readonly<Record<Half, MeasuredFamily>>
}

/** The judge's quality for one client and one family of damage. */
export interface MeasuredFamily {
  readonly family: string
  readonly played: number
  readonly broken: number
  readonly found: number
  readonly accused: number
  /** Found by one of the client's own rules, so that its model knows this kind of mistake; the others by comparison. */
  readonly named: number
  /** Broken, and found by the strict profile. */
  readonly refused: number
  readonly misses: readonly Cases[]
  readonly accusations: readonly Cases[]
}

type Counts = Pick<Measured, 'found' | 'broken' | 'accused'>

export const recall = ({ found, broken }: Counts): number => (broken === 0 ? 1 : found / broken)

export const precision = ({ found, accused }: Counts): number => (found === 0 ? 1 : found / (found + accused))

/** All families together. */
export function sumOf(families: readonly Counts[]): Counts {
  const sum = (of: (one: Counts) => number): number => families.reduce((all, one) => all + of(one), 0)
  return {
    found: sum(({ found }) => found),
    broken: sum(({ broken }) => broken),
    accused: sum(({ accused }) => accused),
  }
}

/** How much of each is played. */
export interface Size {
  /** Damages of single fields and events, and as many of families. */
  readonly runs: number
  /** Damages of unseen kinds, of each half. */
  readonly unseen: number
  readonly seed: number
}

/** Plays genuine and damaged streams, and compares the verdict with the client's behaviour. */
export async function measure(
  replayer: Replayer<string>,
  subject: Subject,
  streams: readonly NamedStream[],
  { runs, unseen, seed }: Size,
): Promise<Measured> {
  const { violations, bodyOf } = subject
  const misses = new Tally()
  const accusations = new Tally()
  const unlike = new Tally()
  const counts = {
    genuineBroken: 0,
    genuineMissed: 0,
    genuineAccused: 0,
    unfaithful: 0,
    misexplained: 0,
    strictFound: 0,
    strictRefused: 0,
  }
  const look = (events: Drawn['events'], outcome: Outcome, into: Tally, kind: string, place: string): string => {
    const wrong = infidelity(subject.predicted(events), outcome)
    if (subject.saysCompleted(events) !== (outcome.ending === 'completed')) counts.misexplained++
    if (wrong.length === 0) return ''
    counts.unfaithful++
    into.add(kind, `${place}: ${wrong.join(', ')}: ${outcome.error ?? outcome.ending}`)
    return ` [the model is wrong about: ${wrong.join(', ')}]`
  }

  const isPredicted = (events: Drawn['events'], outcome: Outcome): boolean =>
    infidelity(subject.predicted(events), outcome).length === 0

  const good: { stream: NamedStream; outcome: Outcome }[] = []
  for (const stream of streams) {
    const meant = subject.meant(stream.events)
    const isExpected = (one: Outcome): boolean => losses(one, meant).length === 0 && isPredicted(stream.events, one)
    const outcome = await steady(replayer, bodyOf(stream.events), isExpected)
    const lost = losses(outcome, meant)
    const [said] = violations(stream.events)
    const note = look(stream.events, outcome, unlike, 'genuine', stream.name)
    if (lost.length > 0) counts.genuineBroken++
    else if (subject.strict(stream.events).some(({ fault }) => fault === 'server')) counts.strictRefused++
    if (lost.length > 0 && said === undefined) {
      counts.genuineMissed++
      misses.add(`genuine: ${lost.join(', ')}`, `${stream.name}${note}`)
    } else if (lost.length === 0 && said !== undefined) {
      counts.genuineAccused++
      accusations.add(`genuine: ${said.rule}`, `${stream.name}: ${wordsOf(said)}${note}`)
    } else if (said === undefined) good.push({ stream, outcome })
  }

  const outcomes = new Map(good.map(({ stream, outcome }) => [stream, outcome]))
  const bases = new Map<string, Outcome>()
  const baseOf = async ({ stream, base }: Drawn): Promise<Outcome> => {
    if (base === undefined) return outcomes.get(stream) as Outcome
    const body = bodyOf(base)
    const known = bases.get(body) ?? (await replayer.replay(body))
    bases.set(body, known)
    return known
  }
  /** Plays damages, and counts right and wrong verdicts. */
  const play = async (drawn: readonly Drawn[], unlikeOf: Tally = unlike) => {
    const [missed, accusedOf] = [new Tally(), new Tally()]
    let [played, broken, found, neither, accused, named, refused] = [0, 0, 0, 0, 0, 0, 0]
    await each(drawn, async (one) => {
      const { kind, stream, at, events, isSoft } = one
      // If a client cannot read the undamaged stream, the damaged one does not count.
      if (one.base !== undefined && violations(one.base).length > 0) return
      played++
      const good = await baseOf(one)
      const isCut = isCallCut(good, subject.meant(one.base ?? stream.events))
      const isExpected = (one: Outcome): boolean =>
        differences(one, good, isCut).length === 0 && isPredicted(events, one)
      const outcome = await steady(replayer, bodyOf(events), isExpected)
      const differs = differences(outcome, good, isCut)
      const all = violations(events)
      const [said] = all
      const place = `${stream.name}, event ${at}`
      const note = look(events, outcome, unlikeOf, kind, place)
      if (differs.length > 0 && subject.isGood?.(events) === true) {
        neither++
        return
      }
      if (differs.length > 0) broken++
      if (differs.length > 0 && subject.strict(events).length > 0) refused++
      if (differs.length > 0 && said !== undefined) {
        found++
        if (all.some(({ rule }) => rule.startsWith(subject.rules))) named++
      } else if (differs.length > 0) {
        missed.add(kind, `${place}: ${differs.join(', ')}: ${outcome.error ?? outcome.ending}${note}`)
      } else if (said !== undefined && isSoft) neither++
      else if (said !== undefined) {
        accused++
        accusedOf.add(kind, `${place}: ${wordsOf(said)}${note}`)
      }
    })
    const cases = { misses: missed.all, accusations: accusedOf.all }
    return { played, broken, found, neither, accused, named, refused, ...cases }
  }

  const { played, broken, found, neither, accused, refused, ...cases } = await play(
    runs === 0 ? [] : subject.draw([...outcomes.keys()], runs, seed),
  )
  const whole = good.map(({ stream }) => stream).filter(({ events }) => subject.isWhole(events))
  const families: MeasuredFamily[] = []
  for (const family of subject.families) {
    const drawn = drawFamily(family, whole, Math.ceil(runs / subject.families.length), seed)
    families.push({ family: family.name, ...(await play(drawn)) })
  }
  const ofHalf = async (half: Half): Promise<MeasuredFamily> => {
    // The other half is drawn from another seed, so that neither knows the other.
    const drawn = drawnKinds(whole, subject.typeOf, subject.kinds.length, half === 'open' ? seed : ~seed)
    const kinds = [...subject.kinds.filter((one) => halfOf(one) === half), ...drawn]
    const some = kinds.flatMap((one) => drawFamily(one, whole, Math.ceil(unseen / kinds.length), seed))
    // Of what is apart, no stream is named: whoever reads it may fit a rule to it.
    return { family: half, ...(await play(some, half === 'apart' ? new Tally() : unlike)) }
  }
  const unseenBy = { open: await ofHalf('open'), apart: await ofHalf('apart') }
  return {
    profile: subject.profile,
    versions: subject.versions,
    damaged: played,
    broken,
    found,
    missed: broken - found,
    accused,
    neither,
    ...counts,
    strictFound: refused,
    genuine: streams.length,
    unlike: unlike.all,
    misses: [...misses.all, ...cases.misses],
    accusations: [...accusations.all, ...cases.accusations],
    families,
    unseen: unseenBy,
  }
}

/** A client's outcome for a stream. An unsteady client is run again if the outcome is unexpected. */
async function steady(
  replayer: Replayer<string>,
  body: string,
  isExpected: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  const first = await replayer.replay(body)
  if (!replayer.isUnsteady || isExpected(first)) return first
  const seen = [first]
  while (seen.length < 5) {
    const next = await replayer.replay(body)
    if (seen.some((one) => differences(one, next).length === 0)) return next
    seen.push(next)
  }
  return first
}

/** The parallelism that a client in a separate process can use. */
async function each<T>(list: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = list.values()
  const work = async (): Promise<void> => {
    for (const one of rest) await act(one)
  }
  await Promise.all([work(), work()])
}

const wordsOf = ({ rule, expected, got }: Violation): string => `${rule}: expected ${expected}, got ${got}`

/** Counts by kind, with the first of each. */
class Tally {
  readonly #kinds = new Map<string, { count: number; example: string }>()

  add(kind: string, example: string): void {
    const entry = this.#kinds.get(kind)
    if (entry === undefined) this.#kinds.set(kind, { count: 1, example: example.slice(0, 600) })
    else entry.count++
  }

  /** The most frequent first. */
  get all(): Cases[] {
    return [...this.#kinds].map(([kind, entry]) => ({ kind, ...entry })).sort((a, b) => b.count - a.count)
  }
}
