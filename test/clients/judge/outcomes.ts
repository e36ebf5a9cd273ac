import { isDeepStrictEqual } from 'node:util'
import type { Seen } from '../../../src/judge/conformance/clients/client.js'
import { TextHash } from '../../../src/judge/conformance/clients/text-hash.js'
import { jsonHash } from '../../../src/judge/conformance/json-hash.js'
import type { Outcome } from './replay.js'

/** What a user can see of a run. */
const FIELDS = [
  'ending',
  'streamed',
  'final',
  'reasoning',
  'calls',
  'citations',
  'spans',
  'hosted',
  'error',
  'finish',
] as const

type Field = (typeof FIELDS)[number]

/**
 * The differences between two runs of one client, without ids and usage.
 *
 * @param isCut - whether the last call was cut off, which clients show in many ways
 */
export function differences(one: Outcome, other: Outcome, isCut = false): Field[] {
  return FIELDS.filter((field) =>
    field === 'calls'
      ? !isSameCalls(isCut ? one.calls.slice(0, -1) : one.calls, isCut ? other.calls.slice(0, -1) : other.calls)
      : !isDeepStrictEqual(shownAs(one, field), shownAs(other, field)),
  )
}

/** Whether the last call of an answer that was cut off was cut off, too. `meant`: what a lossless client shows. */
export function isCallCut({ ending, calls }: Outcome, meant: Outcome): boolean {
  const whole = meant.calls.filter((call) => call.isCut !== true)
  return ending === 'incomplete' && calls.length > whole.length
}

/** Whether the same tools get the same. Not every replayer tells whether a tool gets a text or fields. */
function isSameCalls(calls: Outcome['calls'], others: Outcome['calls']): boolean {
  const isSame = (one: Outcome['calls'][number], other: Outcome['calls'][number] | undefined): boolean =>
    one.name === other?.name &&
    isDeepStrictEqual(one.arguments, other.arguments) &&
    (one.isText ?? other.isText) === (other.isText ?? one.isText)
  return calls.length === others.length && calls.every((call, at) => isSame(call, others[at]))
}

function shownAs(outcome: Outcome, field: Field): unknown {
  // Nobody sees blanks around a text.
  if (field === 'final') return (outcome.final ?? outcome.streamed).trim()
  if (field === 'streamed' || field === 'reasoning') return outcome[field].trim()
  // A run that ends well has no error.
  return field === 'error' ? (outcome.error ?? '') : outcome[field]
}

/**
 * What a client lost of the intended content. A call that was cut off it may offer, a tool of a namespace it may name
 * without that, and a failed run has no result.
 */
export function losses(outcome: Outcome, meant: Outcome): Field[] {
  const lost = differences(outcome, meant).filter(
    (field) => field !== 'error' && field !== 'spans' && field !== 'hosted' && field !== 'finish',
  )
  if (lost.includes('ending')) return lost
  if (outcome.ending === 'threw') return []
  const isRun = ({ name, arguments: given }: Outcome['calls'][number]): boolean =>
    outcome.calls.some(
      (one) => (one.name === name || one.name.endsWith(`.${name}`)) && isDeepStrictEqual(one.arguments, given),
    )
  const isWhole = outcome.ending !== 'completed' || outcome.calls.length === meant.calls.length
  return lost.filter((field) => field !== 'calls' || !isWhole || !meant.calls.every(isRun))
}

/** Whether a model saw the client's calls. No tool gets the arguments of an invalid one: their form is the replayer's. */
function isSeenCalls(seen: Seen['calls'], calls: Outcome['calls']): boolean {
  const isSame = (
    { name, value, isInvalid }: Seen['calls'][number],
    call: Outcome['calls'][number] | undefined,
  ): boolean => name === call?.name && (isInvalid === true || value === jsonHash(call.arguments))
  return seen.length === calls.length && seen.every((one, at) => isSame(one, calls[at]))
}

/** The differences between a model and its client. */
export function infidelity(seen: Seen, outcome: Outcome): Field[] {
  const wrong: Field[] = []
  if (seen.ending !== outcome.ending) wrong.push('ending')
  // Of a run that threw, what was shown before depends on when it was shown.
  if (outcome.ending === 'threw' && seen.ending === 'threw') return wrong
  if (!seen.streamed.equals(TextHash.of(outcome.streamed))) wrong.push('streamed')
  const final = outcome.final ?? outcome.streamed
  if (!(seen.final ?? seen.streamed).equals(TextHash.of(final))) wrong.push('final')
  if (!seen.reasoning.equals(TextHash.of(outcome.reasoning))) wrong.push('reasoning')
  if (!isSeenCalls(seen.calls, outcome.calls)) wrong.push('calls')
  if (seen.citations.join('\n') !== outcome.citations.join('\n')) wrong.push('citations')
  const hosted = outcome.hosted?.map(({ kind, name, text }) => `${kind} ${name} ${TextHash.of(text).key}`)
  if (hosted !== undefined && seen.hosted.join('\n') !== hosted.join('\n')) wrong.push('hosted')
  return wrong
}
