import type { CompleteItem } from '../../core/items/host/host-item.js'
import { deriveId } from '../../core/options/ids.js'
import type { RequestTools } from '../../core/recipients/request-tools.js'
import type { OutputItem } from '../../core/responses/items.js'
import type { OpenEntry } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import type { FormOptions } from '../prompt/sampled-messages.js'
import { readingOf, readTranscript, type TranscriptMessage } from '../prompt/transcript.js'
import { isForClient, isHosted, isRefused, waitingCalls } from './calls/waiting-calls.js'
import { formOfItems } from './form-of-items.js'
import type { TranslateEntriesOptions } from './options.js'

/** The `include` value that requests sealed reasoning. */
const SEALED = 'reasoning.encrypted_content'

/** A place in a response: the length of its transcript, and of its output. */
interface Border {
  readonly tokens: number
  readonly items: number
}

/** Seals that precede the results of some calls, which follow them in the transcript. */
interface Unsettled {
  readonly start: Border
  /** The start of the first of these seals' records, which may precede the turn: their places count the calls. */
  readonly counted: Border
  /** How many of these seals have a form. */
  forms: number
  /** The ids of those calls. */
  readonly calls: readonly string[]
  /** The reasoning since then by the ids of its items, which may hide it. */
  readonly reasoning: Map<string, string>
}

const BEGINNING: Border = { tokens: 0, items: 0 }

/**
 * The records, in the seals of one response, of how its messages were sampled. If a response is not stored, its
 * transcript is lost, and the prompt that is rendered from its items may have other ids: engines would read all of it
 * again.
 *
 * The seal of a reasoning item records its own message and those since the previous seal. Messages after the last
 * reasoning have no later seal: if they render to other ids, an additional item ends the output.
 *
 * If the model reasons between the calls of a turn, their results follow seals that could not know them. The first seal
 * after the results records the places of everything since the first of these calls. So does the last item if no result
 * has arrived: the next prompt omits these calls, which the seals after them have counted.
 *
 * Everything is derived from the entries: the seals come in their order, in every process that folds them.
 */
export class SampledForms {
  readonly #options: TranslateEntriesOptions
  /** The end of the seals' records so far. */
  #recorded = BEGINNING
  #unsettled: Unsettled | undefined
  /** The number of compactions at that time: each restarts the transcript. */
  #compactions = 0
  readonly #toolsOf: (open: OpenEntry) => RequestTools

  constructor(options: TranslateEntriesOptions, toolsOf: (open: OpenEntry) => RequestTools) {
    this.#options = options
    this.#toolsOf = toolsOf
  }

  /** Whether seals have to record anything: the client gets seals, and the transcript is not stored. */
  isAsked({ request, isCompaction, capabilities }: OpenEntry): boolean {
    // A server that renders its own prompt has never seen these ids.
    if (capabilities?.takes === 'messages') return false
    const isStored = request.store ?? this.#options.store ?? false
    return !isStored && !isCompaction && (request.include?.includes(SEALED) ?? false)
  }

  /**
   * Returns the record for the seal of a reasoning item that is about to be closed.
   *
   * @returns undefined if its message, and those since the last seal, are what their items render to
   */
  ofReasoning(fold: ResponseFold, text: string, itemId: string): string | undefined {
    const at = fold.output.findIndex(({ id }) => id === itemId)
    const { start, recorded, messages, items } = this.#unrecorded(fold, at)
    const isOwn = ({ message, end }: TranscriptMessage): boolean => end > recorded && isReasoning(message, text)
    // A repaired message may read as reasoning without being an item: it takes second place.
    const wellFormed = messages.findIndex((each) => !each.isRepaired && isOwn(each))
    const own = wellFormed === -1 ? messages.findIndex(isOwn) : wellFormed
    // Repaired reasoning is rendered from its item. The calls before it are still recorded.
    const last = own === -1 ? messages.length : own + 1
    const end = { tokens: start.tokens + (messages[last - 1]?.end ?? 0), items: at + 1 }
    this.#tell(fold, { start, end }, itemId, text)
    const form = this.#formOf(fold, [...items, reasoningOf(text)], messages.slice(0, last), {
      isAlone: false,
      recorded,
    })
    if (form !== undefined && this.#unsettled !== undefined) this.#unsettled.forms += 1
    return form
  }

  /**
   * Returns the item that ends the output; undefined if there is nothing to record, or it exists already.
   *
   * @param isCut - whether the open message is cut off, not completed
   */
  lastItem(fold: ResponseFold, isCut: boolean): CompleteItem | undefined {
    const { sealReasoning, sealForm } = this.#options
    const id = deriveId('rs', 0, `${fold.open.responseId} form`)
    const isWanted = sealReasoning !== undefined && sealForm !== undefined && this.isAsked(fold.open)
    if (!isWanted || fold.output.some((item) => item.id === id)) return undefined
    const { recorded, messages, items, replaces } = this.#unrecorded(fold, fold.output.length, true)
    const form = this.#formOf(
      fold,
      items.filter((item) => !isLeftOut(item as OutputItem, fold, isCut)),
      messages,
      { isAlone: true, recorded, replaces },
    )
    return form === undefined
      ? undefined
      : { type: 'reasoning', id, status: 'completed', summary: [], content: [], encrypted_content: sealForm(form, id) }
  }

  #formOf(
    fold: ResponseFold,
    items: readonly object[],
    messages: readonly TranscriptMessage[],
    seal: Omit<FormOptions, 'tools' | 'tokenTable' | 'areCallsParsed' | 'files'>,
  ): string | undefined {
    const { tokenTable, returnedArguments } = this.#options
    if (messages.length === 0) return undefined
    const areCallsParsed = returnedArguments === 'objects'
    const files = { ...fold.open.knownFiles, ...fold.files }
    return formOfItems(items, messages, { ...seal, tools: this.#toolsOf(fold.open), tokenTable, areCallsParsed, files })
  }

  /**
   * Returns the part that the next seal has to record of the items before a place: since the last seal, or since calls
   * without results.
   *
   * @param isOver - whether no more results can arrive
   */
  #unrecorded(fold: ResponseFold, before: number, isOver = false) {
    if (fold.compactions !== this.#compactions) {
      this.#compactions = fold.compactions
      this.#recorded = {
        tokens: 0,
        items: fold.output.findLastIndex(({ type }) => (type as string) === 'compaction') + 1,
      }
      this.#unsettled = undefined
    }
    // Seals that counted calls without final results have wrong places: everything is recorded again.
    const isMiscounted = isOver && this.#unsettled?.calls.some((id) => !fold.isAnswered(id)) === true
    const unsettled = isMiscounted ? this.#unsettled : this.#settled(fold)
    const start = (isMiscounted ? unsettled?.counted : unsettled?.start) ?? this.#recorded
    const { output } = fold
    const earlier = new Set(output.slice(0, start.items).map(({ id }) => id))
    const hasAnswer = fold.modelOutput.some((item) => isAnswer(item) && earlier.has(item.id))
    const reading = readingOf(this.#toolsOf(fold.open), this.#options.tokenTable)
    const messages = readTranscript(fold.transcript.slice(start.tokens), {
      ...reading,
      ...{ isRest: start.tokens > 0, hasAnswer },
    })
    const items = output.slice(start.items, before).map((item) => {
      const text = unsettled?.reasoning.get(item.id)
      return text === undefined ? item : reasoningOf(text)
    })
    const recorded = isMiscounted ? 0 : this.#recorded.tokens - start.tokens
    return { start, recorded, messages, items, replaces: (isMiscounted && this.#unsettled?.forms) || 0 }
  }

  /** Returns the messages that no seal has recorded in order yet, once the results have arrived. */
  #settled(fold: ResponseFold): Unsettled | undefined {
    return this.#unsettled?.calls.some((id) => fold.isAnswered(id)) ? this.#unsettled : undefined
  }

  /**
   * Continues after a seal that recorded from `start` on, and whose reasoning may stand between a call and its result.
   */
  #tell(
    fold: ResponseFold,
    { start, end }: Readonly<Record<'start' | 'end', Border>>,
    itemId: string,
    text: string,
  ): void {
    if (this.#unsettled === undefined || this.#settled(fold) !== undefined) {
      const turn = this.#turnOf(fold)
      const from = turn.tokens > this.#recorded.tokens ? turn : this.#recorded
      const calls = fold.output.slice(from.items, end.items).filter((item) => isWithoutResult(item, fold))
      const reasoning = new Map(this.#unsettled?.reasoning)
      this.#unsettled =
        calls.length === 0
          ? undefined
          : { start: from, counted: start, forms: 0, calls: calls.map(({ id }) => id), reasoning }
    }
    this.#unsettled?.reasoning.set(itemId, text)
    this.#recorded = end
  }

  /** Returns where the turn began. The results of all earlier calls precede it. */
  #turnOf({ transcript, turnTokens, output, turnOutput }: ResponseFold): Border {
    const first = output.findIndex(({ id }) => id === turnOutput[0]?.id)
    return { tokens: transcript.length - turnTokens.length, items: first === -1 ? output.length : first }
  }
}

/**
 * Whether the next prompt omits the item, now that the response ends: a hosted call without a result and, if the
 * response is cut off, a call to the client or reasoning that the model has not finished.
 */
function isLeftOut(item: OutputItem, fold: ResponseFold, isCut: boolean): boolean {
  const { type, status } = item as { readonly type?: string; readonly status?: string }
  if (isForClient(item) || type === 'reasoning') return isCut && status === 'in_progress'
  // The status of a shell call states that the command is complete, not that it ran.
  if (type === 'shell_call') return !fold.isAnswered(item.id)
  return isHosted(item) && status !== 'completed' && status !== 'failed'
}

function isWithoutResult(item: OutputItem, fold: ResponseFold): boolean {
  return waitingCalls([item]).length > 0 || (isRefused(item) && !fold.isAnswered(item.id))
}

function isAnswer(item: OutputItem): boolean {
  return item.type === 'message' && item.phase === 'final_answer'
}

function reasoningOf(text: string): object {
  return { type: 'reasoning', content: [{ type: 'reasoning_text', text }] }
}

function isReasoning({ role, recipient, channel, content }: TranscriptMessage['message'], text: string): boolean {
  return role === 'assistant' && recipient === undefined && channel === 'analysis' && content === text
}
