import type { Fields } from '../../shared/fields.js'
import { asFields, asList, asString } from '../conformance/stream-event.js'
import type { Rule } from './rules.js'

/** The rules about the content of an answer: a server that plays a fixture cannot keep them. */
const OF_CONTENT: ReadonlySet<string> = new Set<Rule>([
  'tool-choice-kept',
  'format-kept',
  'arguments-kept',
  'parallel-kept',
  'limit-kept',
  'truncation-reported',
  'stop-kept',
  'previous-used',
])

/** Shorter texts may well be the answer to two questions. */
const MIN_ANSWER_LENGTH = 12

/**
 * Finds out whether a server plays a fixture: it gives different questions the same answer, word by word. An answer
 * contains the ids of its calls, since models make the same call for different questions, but servers give each an id.
 */
export class SameAnswers {
  /** The questions by their answers. */
  readonly #questions = new Map<string, string>()
  /** Different questions got the same answer. */
  isFixture = false

  add(body: Fields, items: readonly Fields[]): void {
    const texts = items.flatMap(({ call_id, arguments: given, content }) => [
      asString(call_id) + asString(given),
      ...asList(content).map((part) => asString(asFields(part)['text'])),
    ])
    this.addText(body['input'], texts.join('\n'))
  }

  /** Takes the answer to an input, or to the `messages` of another API. */
  addText(input: unknown, text: string): void {
    const answer = text.trim().slice(0, 1000)
    if (answer.length < MIN_ANSWER_LENGTH || this.#questions.size >= 100) return
    const question = questionIn(input)
    const known = this.#questions.get(answer)
    if (known !== undefined && known !== question) this.isFixture = true
    this.#questions.set(answer, known ?? question)
  }

  /** Returns the party to blame for a violation of a rule. */
  causeOf(rule: string): 'server' | 'fixture' {
    return this.isFixture && OF_CONTENT.has(rule) ? 'fixture' : 'server'
  }
}

/** The user's words in an input: calls and their results differ by ids although the question is the same. */
function questionIn(input: unknown): string {
  if (typeof input === 'string') return input
  const words = asList(input)
    .map(asFields)
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (Array.isArray(content) ? content.map((part) => asFields(part)['text']) : [content]))
  return words.filter((text) => typeof text === 'string').join('\n')
}
