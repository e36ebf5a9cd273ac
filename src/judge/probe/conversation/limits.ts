import type { Fields } from '../../../shared/fields.js'
import { jsonPreview, preview } from '../finding.js'
import { objectIn } from '../judge-answer.js'
import { inconclusive, type Outcome, type Server, unsupported } from '../scenario.js'
import { CITY_QUESTION, isCity, NO_CITY } from '../scenarios/json-schema.js'
import { COUNT_FAR, LIMIT } from '../scenarios/truncation.js'
import type { AnswerContent, ApiServer } from './api-server.js'
import { user } from './messages.js'

/** Asks for an answer in the strict schema of a city. `format`: the fields of the request that demand it. */
export async function formatKept<Of extends AnswerContent>(
  { report }: Server,
  api: ApiServer<Of>,
  format: Fields,
): Promise<Outcome> {
  const body = { messages: [user(CITY_QUESTION)], ...format }
  const { isGood, declined, isCut, isRefusal, text } = await api.stream('request', body, { isOptional: true })
  if (declined !== undefined) return unsupported(`strict formats are refused: ${declined}`)
  if (!isGood) return 'observed'
  if (isCut) return inconclusive('the limit of tokens ended the answer')
  if (isRefusal) return inconclusive('the model refused')
  if (!isCity(objectIn(text)))
    report('request', { rule: 'format-kept', expected: NO_CITY, got: preview(text) || 'no text' })
  return 'observed'
}

/** A word that counting to twenty cannot avoid. */
const STOP = 'twelve'

/** A text that ends where the model wrote the stop string next. */
const BEFORE_STOP = /eleven[\s,]*$/

/** How an API stops at a string. */
interface Stops<Of> {
  /** The field of a request with the strings. */
  readonly field: string
  /** Returns the fields of an answer that state how it ended. */
  endOf(answer: Of): Fields
  /** The expected fields if a stop string ended it. */
  readonly stopped: (stop: string) => Fields
}

/** Asks for an answer that a stop string ends. */
export async function stopKept<Of extends AnswerContent>(
  server: Server,
  api: ApiServer<Of>,
  { field, endOf, stopped }: Stops<Of>,
): Promise<Outcome> {
  const messages = [user('Write out the numbers from one to twenty as words, in lower case, separated by commas.')]
  const doubts: Outcome[] = []
  for (const [request, ask] of [
    ['stream', api.stream],
    ['answer', api.answer],
  ] as const) {
    const answer = await ask(request, { messages, [field]: [STOP] }, { isOptional: true })
    const { isGood, declined, isCut, text } = answer
    if (declined !== undefined) return unsupported(`${field} is refused: ${declined}`)
    if (!isGood) continue
    const report = (expected: string, got: string): void => server.report(request, { rule: 'stop-kept', expected, got })
    const [expected, got] = [jsonPreview(stopped(STOP)), jsonPreview(endOf(answer))]
    if (text.includes(STOP)) report(`an answer that ends before "${STOP}"`, preview(text))
    else if (!text.includes('eleven')) doubts.push(inconclusive('the model did not count so far'))
    else if (isCut && !BEFORE_STOP.test(text)) doubts.push(inconclusive('the limit of tokens ended the answer'))
    else if (got !== expected) report(expected, got)
  }
  return doubts[0] ?? 'observed'
}

/**
 * Asks for more than a limit of tokens leaves room for, streamed and not. `ending`: the sign that an answer was cut
 * off.
 */
export async function lengthKept<Of extends AnswerContent>(
  server: Server,
  api: ApiServer<Of>,
  ending: string,
  ofStream: Fields = {},
): Promise<Outcome> {
  const body = { messages: [user(COUNT_FAR)], max_tokens: LIMIT }
  const outcomeOf = (
    request: string,
    { isGood, isCut, ending: given, outputTokens: tokens }: AnswerContent & { isGood: boolean },
  ): Outcome => {
    if (!isGood) return 'observed'
    if (typeof tokens === 'number' && tokens > LIMIT) {
      const expected = `max_tokens (${LIMIT}) to be obeyed`
      server.report(request, { rule: 'limit-kept', expected, got: `${tokens} tokens, ${jsonPreview(given)}` })
    } else if (tokens === LIMIT && !isCut) {
      const expected = `${ending} after ${LIMIT} tokens of ${LIMIT}`
      server.report(request, { rule: 'truncation-reported', expected, got: jsonPreview(given) })
    } else if (!isCut) return inconclusive('the answer ended before the limit')
    return 'observed'
  }
  const doubts = [
    outcomeOf('stream', await api.stream('stream', { ...body, ...ofStream })),
    outcomeOf('answer', await api.answer('answer', body)),
  ]
  return doubts.find((doubt) => doubt !== 'observed') ?? 'observed'
}
