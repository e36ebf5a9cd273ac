import type { ClientModel, ClientRule, Ending, ReportBreak, Seen, SeenCall } from './client.js'
import { callWords, ENDING_WORDS, rulesOf } from './client.js'
import type { TextHash } from './text-hash.js'
import type { EventRef } from './votes.js'

/** The words of an API whose answers have one message. */
export interface AnswerWords {
  readonly api: 'chat' | 'messages'
  /** The field with the reason why an answer ended. */
  readonly ending: string
  readonly reasoning: string
  /** The field with the input of a call. */
  readonly input: string
}

/** The rules for the content of an answer that a client must not lose: one for each kind that its user sees. */
export function answerLosses({ api, reasoning, input }: AnswerWords): readonly ClientRule[] {
  return rulesOf({
    [`${api}-client-ending`]: 'The client learns how the answer ended.',
    [`${api}-client-error`]: 'The client shows what went wrong where the stream ends with an error.',
    [`${api}-client-text`]: 'The client shows the text of the answer during streaming.',
    [`${api}-client-result`]: {
      sentence: 'The result that the client returns has the text of the answer.',
      causes: { stream: [`${api}-client-text`] },
    },
    [`${api}-client-reasoning`]: `The client shows the ${reasoning} of the answer.`,
    [`${api}-client-calls`]: `The client runs each call of the answer once, with its ${input}.`,
  })
}

/** A call as the stream has it. */
interface AgreedCall {
  readonly name: string
  readonly arguments: TextHash
  readonly at: EventRef
}

/** Reports where the client's view of an answer differs from the stream. */
export class AnswerLosses {
  readonly #words: AnswerWords
  readonly #seen: Seen
  readonly #report: ReportBreak

  constructor(words: AnswerWords, seen: Seen, report: ReportBreak) {
    this.#words = words
    this.#seen = seen
    this.#report = report
  }

  report(id: string, ...found: Tail<Parameters<ReportBreak>>): void {
    this.#report(`${this.#words.api}-client-${id}`, ...found)
  }

  ending({ name }: Pick<ClientModel, 'name'>, ending: Ending, expected: Ending = ending): void {
    const { ending: seen, error } = this.#seen
    if (seen !== expected) {
      this.report('ending', `${name} to see it ${ENDING_WORDS[expected]}`, undefined, ENDING_WORDS[seen])
    } else if (ending === 'failed') {
      const hasMessage = error !== undefined && error !== ''
      if (!hasMessage) this.report('error', 'an error message', undefined, 'none')
    } else if (error !== undefined && seen !== 'threw') {
      this.report('error', `no error beside a ${this.#words.ending}`, undefined, JSON.stringify(error))
    }
  }

  text(text: TextHash, isInTurn = false): void {
    const { streamed, final } = this.#seen
    if (!streamed.looksLike(text) && !isInTurn) this.report('text', `the text ${text}`, undefined, `${streamed}`)
    if (final !== undefined && !final.looksLike(text)) this.report('result', `the text ${text}`, undefined, `${final}`)
  }

  reasoning(thought: TextHash): void {
    const { reasoning } = this.#seen
    if (reasoning.looksLike(thought)) return
    this.report('reasoning', `the ${this.#words.reasoning} ${thought}`, undefined, `${reasoning}`)
  }

  citations(cited: readonly string[]): void {
    const { citations } = this.#seen
    if (citations.join('\n') === cited.join('\n')) return
    this.report('citations', cited.join(', ') || 'none', undefined, citations.join(', ') || 'none')
  }

  callName({ name, at }: AgreedCall): void {
    if (name === '') this.report('calls', 'a call with a name', undefined, 'none', at)
  }

  encodedTwice(call: AgreedCall & { readonly isEncodedTwice: boolean }): void {
    const { input } = this.#words
    if (!call.isEncodedTwice) return
    this.report(input, `an object as the ${input} of ${call.name}`, undefined, `${call.arguments}`, call.at)
  }

  /** Reports that the client runs other calls than it should. */
  calls<Call extends AgreedCall>(
    expectedCalls: readonly Call[],
    isSame: (call: Call, seen: SeenCall) => boolean,
  ): void {
    const { calls } = this.#seen
    const lost = expectedCalls.find((call) => !calls.some((one) => isSame(call, one)))
    const expected = expectedCalls.map(callWords).join(', ') || 'no call'
    this.report('calls', expected, undefined, calls.map(callWords).join(', ') || 'no call', lost?.at)
  }
}

type Tail<List extends readonly unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never
