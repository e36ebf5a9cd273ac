import type { OpenEntry } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import { formOfItems } from '../prompt/form-of-items.js'
import { type TaughtTools, teachTools } from '../prompt/taught-tools.js'
import { readTranscript, type TranscriptMessage } from '../prompt/transcript.js'
import { resolvePolicy } from '../recipients/policy.js'
import type { WholeItem } from '../translate/host-item.js'
import { deriveId } from '../translate/ids.js'
import type { TranslateEntriesOptions } from './options.js'

/** The `include` value that asks for sealed reasoning. */
const SEALED = 'reasoning.encrypted_content'

/**
 * What the seals of one response tell of how its messages were sampled. Nobody keeps the transcript of a response that
 * is not stored, and the prompt that is rendered from its items may have other ids: engines would read all of it again.
 *
 * A reasoning item's seal tells of its own message and of those since the seal before. What the model writes after its
 * last reasoning no seal can tell of that is sent before: if it renders to other ids, an item for it ends the output.
 *
 * All of it follows from the entries: the seals come in their order, whoever folds them.
 */
export class SampledForms {
  readonly #options: TranslateEntriesOptions
  /** Up to where in the transcript the seals so far tell of it. */
  #sealedEnd = 0
  /** How often the conversation had been compacted then: each time, the transcript begins anew. */
  #compactions = 0
  #tools: TaughtTools | undefined

  constructor(options: TranslateEntriesOptions) {
    this.#options = options
  }

  /** Whether seals are to tell of it: the client gets seals, and nobody keeps the transcript. */
  isAsked({ request, isCompaction }: OpenEntry): boolean {
    const isStored = request.store ?? this.#options.store ?? false
    return !isStored && !isCompaction && (request.include?.includes(SEALED) ?? false)
  }

  /**
   * For the seal of a reasoning item that is about to be closed.
   *
   * @returns undefined if its message, and those since the last seal, are what their items render to
   */
  ofReasoning(fold: ResponseFold, text: string, itemId: string): string | undefined {
    const { messages, end } = this.#sinceSeal(fold)
    const own = messages.findIndex(({ message }) => isReasoning(message, text))
    const items = itemsSinceSeal(fold, itemId)
    // Reasoning that had to be repaired is rendered from its item. The calls before it are known all the same.
    const last = own === -1 ? messages.length : own + 1
    this.#sealedEnd += messages[own]?.end ?? end
    const content = [{ type: 'reasoning_text', text }]
    return this.#formOf(fold, [...items, { type: 'reasoning', content }], messages.slice(0, last), false)
  }

  /** The item that ends the output; undefined if there is nothing to tell, or it is there already. */
  lastItem(fold: ResponseFold): WholeItem | undefined {
    const { sealReasoning, sealForm } = this.#options
    const id = deriveId('rs', 0, `${fold.open.responseId} form`)
    const isWanted = sealReasoning !== undefined && sealForm !== undefined && this.isAsked(fold.open)
    if (!isWanted || fold.output.some((item) => item.id === id)) return undefined
    const form = this.#formOf(fold, itemsSinceSeal(fold), this.#sinceSeal(fold).messages, true)
    return form === undefined
      ? undefined
      : { type: 'reasoning', id, status: 'completed', summary: [], content: [], encrypted_content: sealForm(form, id) }
  }

  #formOf(
    fold: ResponseFold,
    items: readonly object[],
    messages: readonly TranscriptMessage[],
    isAlone: boolean,
  ): string | undefined {
    const { tokenTable, policy } = this.#options
    if (messages.length === 0) return undefined
    const { request, listings, knownListings = [] } = fold.open
    this.#tools ??= teachTools(request as never, [...listings, ...knownListings], resolvePolicy(policy))
    return formOfItems(items, messages, { tools: this.#tools, tokenTable, isAlone })
  }

  #sinceSeal(fold: ResponseFold): { readonly messages: readonly TranscriptMessage[]; readonly end: number } {
    if (fold.compactions !== this.#compactions) {
      this.#compactions = fold.compactions
      this.#sealedEnd = 0
    }
    const messages = readTranscript(fold.transcript.slice(this.#sealedEnd), this.#options.tokenTable)
    return { messages, end: messages.at(-1)?.end ?? 0 }
  }
}

function isReasoning({ role, recipient, channel, content }: TranscriptMessage['message'], text: string): boolean {
  return role === 'assistant' && recipient === undefined && channel === 'analysis' && content === text
}

/** The items after the last one with a seal, up to another one. */
function itemsSinceSeal({ output }: ResponseFold, before?: string): readonly object[] {
  const end = before === undefined ? output.length : output.findIndex(({ id }) => id === before)
  const known = output.slice(0, end)
  const sealed = known.findLastIndex((item) => item.type === 'reasoning' && typeof item.encrypted_content === 'string')
  return known.slice(sealed + 1)
}
