import { asFields, asList, asString } from '../conformance/stream-event.js'
import type { Fields } from '../fields.js'
import type { Rule } from './rules.js'

/** The rules about the content of an answer: a server that plays a fixture cannot keep them. */
const OF_CONTENT: ReadonlySet<string> = new Set<Rule>([
  'tool-choice-kept',
  'format-kept',
  'limit-kept',
  'truncation-reported',
  'stop-kept',
  'previous-used',
])

/** Shorter texts may well be the answer to two questions. */
const SHORTEST = 12

/** Finds out whether a server plays a fixture: it gives requests with different inputs the same answer, word by word. */
export class SameAnswers {
  /** The inputs, by what was answered. */
  readonly #inputs = new Map<string, string>()
  /** Different inputs got the same answer. */
  isFixture = false

  add(body: Fields, items: readonly Fields[]): void {
    const said = items
      .map(
        ({ content, arguments: given }) =>
          asString(given) +
          asList(content)
            .map((part) => asString(asFields(part)['text']))
            .join(''),
      )
      .join('\n')
    this.addText(body['input'], said)
  }

  /** Takes what was said to an input: `messages` in Chat Completions. */
  addText(asked: unknown, text: string): void {
    const said = text.slice(0, 1000)
    if (said.length < SHORTEST || this.#inputs.size >= 100) return
    const input = JSON.stringify(asked ?? null)
    const known = this.#inputs.get(said)
    if (known !== undefined && known !== input) this.isFixture = true
    this.#inputs.set(said, known ?? input)
  }

  /** Returns the party to blame for a violation of a rule. */
  causeOf(rule: string): 'server' | 'fixture' {
    return this.isFixture && OF_CONTENT.has(rule) ? 'fixture' : 'server'
  }
}
