import { factsOf } from '../../judge/conformance/report/rule-facts.js'
import { fieldPathsOf } from '../../judge/conformance/report/violation-kind.js'
import type { Finding } from '../../judge/probe/finding.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, aString, having, listOf, wholeNumber } from '../../shared/options/checks.js'
import type { ReadAnswer } from './read-answer.js'

/** An arbitrary of fast-check. */
export interface FastCheckArbitrary<Transcript> {
  /** Draws one value. */
  generate(random: never, bias: number | undefined): { readonly value: Transcript }
}

/** Options of {@link findFaults}. */
export interface FindFaultsOptions<Transcript> {
  /** What the model writes: an arbitrary of plain data, as those of `harmony-responses/conformance/arbitraries`. */
  readonly transcripts: FastCheckArbitrary<Transcript>
  /** Plays a transcript on the server, and reads its answer, or the answers of several requests. */
  readonly play: (transcript: Transcript) => Promise<ReadAnswer | readonly ReadAnswer[]>
  /** How many transcripts are drawn. Default 100. */
  readonly runs?: number
  /** The same seed draws the same transcripts. Default: another one each time, or that of `fc.configureGlobal`. */
  readonly seed?: number
  /** Faults that are known, by name or by rule. They are passed over, so that the others are found. */
  readonly known?: readonly string[]
}

const FIND_FAULTS_OPTIONS: OptionTable<FindFaultsOptions<unknown>> = {
  transcripts: having(['generate', 'shrink'], 'an arbitrary of fast-check'),
  play: aFunction,
  runs: wholeNumber(1),
  seed: wholeNumber(Number.MIN_SAFE_INTEGER),
  known: listOf(aString, 'a list of names'),
}

/** A fault of a server, with the smallest transcript that was found for it. */
export interface FoundFault<Transcript> {
  /** The rule, or `RULE:FIELD` where the rule is about all fields: `event-shape:item.status`. For `known`. */
  readonly name: string
  /** The id of the rule that is broken. */
  readonly rule: string
  /** In how many of the drawn transcripts it occurs. */
  readonly runs: number
  /** The smallest transcript that was found for it. */
  readonly transcript: Transcript
  /** The same, for messages. */
  readonly shown: string
  /** What is wrong there, and which clients break (`breaks`). */
  readonly finding: Finding
}

/** How many smaller transcripts are played for one fault, at most. */
const MAX_SHRINKS = 300

/**
 * Finds the faults of a server: plays transcripts, and shrinks the first one with each fault. It goes on after a fault, so that
 * one run finds all of them. Needs fast-check, an optional peer dependency.
 *
 * @returns the faults grouped by rule, those in most transcripts first; empty if there are none
 * @throws HarmonyResponsesError `bad_option`; and whatever `play` throws
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { wellFormedTranscript } from 'harmony-responses/conformance/arbitraries'
 * import { findFaults, readAnswer } from 'harmony-responses/testing'
 * import { loadTokenTable } from 'harmony-responses/tokens'
 *
 * const faults = await findFaults({
 *   transcripts: wellFormedTranscript({ tokenTable: await loadTokenTable(), tools: ['function'] }),
 *   play: ({ chunks, request }) => readAnswer(translate(chunks, { request })),
 *   runs: 10,
 * })
 * console.log(faults.length) // 0
 * ```
 */
export async function findFaults<Transcript>(
  options: FindFaultsOptions<Transcript>,
): Promise<FoundFault<Transcript>[]> {
  checkOptions('findFaults', options, FIND_FAULTS_OPTIONS, ['transcripts', 'play'])
  const { default: fc } = await import('../../judge/conformance/arbitraries/fast-check.js')
  const { transcripts, play, runs = 100, known = [] } = options
  const seed = options.seed ?? (fc.sample(fc.integer(), 1)[0] as number)

  /** The findings of what was played, by name. Each transcript is played once. */
  const played = new Map<string, Promise<ReadonlyMap<string, Finding>>>()
  const findingsOf = (transcript: Transcript): Promise<ReadonlyMap<string, Finding>> => {
    const key = JSON.stringify(transcript)
    const found = played.get(key) ?? play(transcript).then((answers) => errorsByName([answers].flat()))
    played.set(key, found)
    return found
  }

  const faults = new Map<string, FoundFault<Transcript>>()
  const isKnown = (name: string, { rule }: Finding): boolean =>
    faults.has(name) || known.includes(name) || known.includes(rule)
  const counts = new Map<string, number>()
  for (;;) {
    counts.clear()
    /** The fault whose transcript is being shrunk. */
    let target: string | undefined
    let shrinks = 0
    // biome-ignore lint/plugin: the declared type has the members that TypeScript can infer from, without fast-check's types.
    const property = fc.asyncProperty(transcripts as never, async (transcript: Transcript) => {
      if (target !== undefined && shrinks++ >= MAX_SHRINKS) return true
      const findings = await findingsOf(transcript)
      if (target !== undefined) return !findings.has(target)
      for (const name of findings.keys()) counts.set(name, (counts.get(name) ?? 0) + 1)
      target = [...findings].find(([name, finding]) => !isKnown(name, finding))?.[0]
      return target === undefined
    })
    const { failed, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: runs })
    if (!failed) break
    if (target === undefined || counterexample === null) throw errorInstance
    const [transcript] = counterexample as [Transcript]
    const finding = (await findingsOf(transcript)).get(target)
    // What `play` throws while a transcript shrinks.
    if (finding === undefined) throw errorInstance
    faults.set(target, {
      name: target,
      rule: finding.rule,
      runs: 0,
      transcript,
      shown: fc.stringify(transcript),
      finding,
    })
  }
  return grouped([...faults.values()].map((fault) => ({ ...fault, runs: counts.get(fault.name) ?? 0 })))
}

/** The errors in the answers of a server, the first of each name. */
function errorsByName(answers: readonly ReadAnswer[]): ReadonlyMap<string, Finding> {
  const found = new Map<string, Finding>()
  for (const finding of answers.flatMap(({ findings }) => findings)) {
    const name = nameOf(finding)
    if (finding.severity === 'error' && !found.has(name)) found.set(name, finding)
  }
  return found
}

function nameOf({ rule, expected }: Finding): string {
  if (!factsOf(rule).namesField) return rule
  const [field] = fieldPathsOf({ rule, expected })
  return field === undefined ? rule : `${rule}:${field}`
}

function grouped<Transcript>(faults: readonly FoundFault<Transcript>[]): FoundFault<Transcript>[] {
  const longestRun = (rule: string): number =>
    faults.reduce((max, fault) => (fault.rule === rule ? Math.max(max, fault.runs) : max), 0)
  return [...faults].sort(
    (a, b) =>
      longestRun(b.rule) - longestRun(a.rule) ||
      a.rule.localeCompare(b.rule) ||
      b.runs - a.runs ||
      a.name.localeCompare(b.name),
  )
}

/**
 * Faults as text, for the message of a test: each with what is wrong, the clients that break, and its smallest transcript.
 * Empty if there are none.
 *
 * @throws HarmonyResponsesError `bad_option` if it is no list
 *
 * @example
 * ```ts
 * import { formatFaults } from 'harmony-responses/testing'
 *
 * console.log(formatFaults([]) === '') // true
 * ```
 */
export function formatFaults(faults: readonly FoundFault<unknown>[]): string {
  check(Array.isArray(faults), 'formatFaults', 'what findFaults has found', faults)
  return faults
    .map(({ name, runs, shown, finding: { type, expected, got, breaks } }) =>
      [
        `${name}, in ${runs} of the transcripts`,
        `  ${`${type ?? 'the answer'}: expected ${expected}, got ${got}`.replace(/\p{C}/gu, ' ')}`,
        `  breaks ${breaks.length === 0 ? 'no client that we know of' : breaks.join(', ')}`,
        `  smallest: ${shown}`,
      ].join('\n'),
    )
    .join('\n')
}
