import { type Fields, isFields } from '../../../../shared/fields.js'
import { type Extraneous, ExtraneousList } from '../../clients/agreement/extraneous.js'
import type { Ending } from '../../clients/client.js'
import { TextHash } from '../../clients/text-hash.js'
import type { EventRef } from '../../clients/votes.js'
import { jsonHash } from '../../json-hash.js'
import { asFields, asString, isIndex } from '../../stream-event.js'
import { choicesIn, MAX_CHOICES, typeOfChunk } from '../stream-state.js'
import { type AgreedChatCall, AgreedChoice, textIn } from './agreed-choice.js'
import { endingBy } from './finish-reasons.js'

/** How many ids of other answers are remembered. */
const MAX_FOREIGN = 20

/**
 * The content of a stream of Chat Completions as a whole, regardless of the client. Unlike a stream of Responses, it
 * states almost everything once: the content of a lost delta cannot be recovered. What can be determined is what
 * belongs together:
 *
 * - A delta without a valid index belongs to the call that is open, or to the only choice; so does a choice without a
 *   role.
 * - A call that is named at the index of another call is a call of its own.
 * - Chunks after both a finish_reason and the token counts, a choice that begins again, and the first call after
 *   finish_reason "stop" do not count; nor does a chunk of another answer, which has another id, and begins with a role
 *   or was created at another time. Chunks after only a finish_reason count: the finish_reason came too soon.
 *
 * Work for each chunk is constant, and it keeps hashes instead of texts. Read it after the last chunk.
 */
export class ChatAgreement {
  readonly #choices = new Map<number, AgreedChoice>()
  readonly #foreign = new Set<string>()
  readonly #extraneous = new ExtraneousList()
  #id: string | undefined
  #created: unknown
  /** How many chunks had it, and whether one of them began an answer with its role. */
  #chunks = 0
  #isBegun = false
  /** The id before that, whose chunks said nothing. */
  #formerId: string | undefined
  #hasUsage = false
  #failure: { readonly message: string; readonly at: EventRef } | undefined
  #isFailureLast = true
  /** Text and refusals of all choices, in the order of the stream. */
  streamed: TextHash = new TextHash()

  /** @param position - the number of the chunk, from 0 */
  take(chunk: unknown, position: number): void {
    if (!isFields(chunk)) return
    const at = { position, type: typeOfChunk(chunk) }
    const { choices, error, usage } = chunk
    if (choices === undefined && error !== undefined && error !== null) {
      this.#failure ??= { message: asString(isFields(error) ? error['message'] : error).slice(0, 1000), at }
      return
    }
    // The stream goes on: the error did not end it.
    if (this.#failure !== undefined) this.#isFailureLast = false
    if (this.#isForeign(chunk, at)) {
      this.#extraneous.add({ why: 'foreign', at })
      return
    }
    const all = choicesIn(chunk)
    const known = new Map<AgreedChoice, number>()
    for (const choice of all) {
      const of = this.#choiceOf(choice)
      // Almost every chunk has one choice.
      const sum = all.length > 1 ? jsonHash(choice) : undefined
      if (sum !== undefined && known.get(of) === sum) this.#extraneous.add({ why: 'repeated', at })
      else this.#take(choice, of, at)
      if (sum !== undefined) known.set(of, sum)
    }
    if (isFields(usage)) this.#hasUsage = true
  }

  /** The choices, by their indexes. */
  get choices(): readonly AgreedChoice[] {
    return [...this.#choices.values()].sort((one, other) => one.index - other.index)
  }

  /** The extraneous parts of the stream; only the first few. */
  get extraneous(): readonly Extraneous[] {
    const failure = this.#failure
    const isLate = failure !== undefined && this.reason !== undefined
    return isLate ? [...this.#extraneous.all, { why: 'late', at: failure.at }] : this.#extraneous.all
  }

  /** The ending of the first choice; undefined if the stream states none. */
  get ending(): Exclude<Ending, 'threw' | 'open'> | undefined {
    const { reason } = this
    // An error between the chunks of an answer with a finish_reason is extraneous: the answer is whole.
    const ending = endingBy(reason)
    if (this.#failure !== undefined && (ending === 'open' || this.#isFailureLast)) return 'failed'
    return ending === 'open' ? undefined : ending
  }

  /** The finish_reason of the first choice. */
  get reason(): string | undefined {
    return this.choices[0]?.finish
  }

  /** The calls of all choices. */
  get calls(): readonly AgreedChatCall[] {
    return this.choices.flatMap(({ calls }) => calls)
  }

  /** The server's message, if there is an error in the stream. */
  get errorMessage(): string | undefined {
    return this.#failure?.message
  }

  #take(choice: Fields, of: AgreedChoice, at: EventRef): void {
    const [text, refusal] = [of.text.length, of.refusal.length]
    const extraneous = of.take(choice, at, this.#hasUsage)
    if (extraneous !== undefined) this.#extraneous.add(extraneous)
    const delta = asFields(choice['delta'])
    if (of.text.length > text) this.streamed.append(textIn(choice))
    if (of.refusal.length > refusal) this.streamed.append(asString(delta['refusal']))
  }

  #choiceOf({ index, delta }: Fields): AgreedChoice {
    const [only] = this.#choices.values()
    const at = isIndex(index, MAX_CHOICES) ? index : (only?.index ?? 0)
    const known = this.#choices.get(at)
    if (known !== undefined) return known
    // A choice begins with its role: a delta without one continues the only choice.
    if (only !== undefined && this.#choices.size === 1 && asString(asFields(delta)['role']) === '') return only
    const begun = new AgreedChoice(at)
    this.#choices.set(at, begun)
    return begun
  }

  /** Whether any choice has said something. */
  get #hasContent(): boolean {
    for (const { isBlank } of this.#choices.values()) if (!isBlank) return true
    return false
  }

  /** The first answer goes on: what came between was of another, and nothing had been said before. */
  #goBack(id: string, created: unknown, at: EventRef): void {
    this.#extraneous.add({ why: 'foreign', at })
    this.#foreign.add(this.#id ?? '')
    this.#formerId = undefined
    this.#id = id
    this.#created = created
    this.#choices.clear()
    this.streamed = new TextHash()
    this.#hasUsage = false
  }

  /**
   * Whether a chunk is of another answer. One chunk with another id is a wrong id. Before anything is said, the id may change:
   * gateways send a first chunk of their own.
   */
  #isForeign(chunk: Fields, at: EventRef): boolean {
    const id = asString(chunk['id'])
    if (id === '') return false
    const hasRole = choicesIn(chunk).some(({ delta }) => asString(asFields(delta)['role']) !== '')
    if (id === this.#id) {
      this.#chunks++
      this.#isBegun ||= hasRole
      return false
    }
    if (this.#foreign.has(id)) return true
    if (this.#id === undefined || !this.#hasContent) {
      this.#formerId = this.#id
      this.#renamed(id, chunk, hasRole)
      return false
    }
    // A server that gives each chunk an id of its own.
    if (!hasRole && this.#chunks < 2) {
      this.#renamed(id, chunk, hasRole)
      return false
    }
    if (id === this.#formerId && this.#isBegun) {
      this.#goBack(id, chunk['created'], at)
      return false
    }
    const isOther = chunk['created'] !== this.#created || hasRole
    if (isOther && this.#choices.size > 0 && this.#foreign.size < MAX_FOREIGN) this.#foreign.add(id)
    return this.#foreign.has(id)
  }

  /** The answer goes on under another id. */
  #renamed(id: string, { created }: Fields, hasRole: boolean): void {
    this.#id = id
    this.#created = created
    this.#chunks = 1
    this.#isBegun = hasRole
  }
}
