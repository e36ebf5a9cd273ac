import type { OpenEntry } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import { formOfItems } from '../prompt/form-of-items.js'
import type { FormOptions } from '../prompt/sampled-messages.js'
import { readingOf, readTranscript, type TranscriptMessage } from '../prompt/transcript.js'
import type { RequestTools } from '../recipients/request-tools.js'
import type { OutputItem } from '../responses/items.js'
import type { WholeItem } from '../translate/host-item.js'
import { deriveId } from '../translate/ids.js'
import type { TranslateEntriesOptions } from './options.js'
import { isForClient, isHosted, isRefused, waitingCalls } from './waiting-calls.js'

/** The `include` value that asks for sealed reasoning. */
const SEALED = 'reasoning.encrypted_content'

/** A place in a response: how many tokens its transcript has up to there, and how many items its output. */
interface Border {
  readonly tokens: number
  readonly items: number
}

/** What was sealed before the results of some calls came, which stand behind it in the transcript. */
interface Unsettled {
  readonly start: Border
  /** From where the first of these seals told, which may be before the turn: it has counted the calls all the same. */
  readonly counted: Border
  /** How many of these seals have a form. */
  forms: number
  /** The ids of those calls. */
  readonly calls: readonly string[]
  /** The reasoning since then by the ids of its items, which may not show it. */
  readonly reasoning: Map<string, string>
}

const BEGINNING: Border = { tokens: 0, items: 0 }

/**
 * What the seals of one response tell of how its messages were sampled. The transcript is lost of a response that
 * is not stored, and the prompt that is rendered from its items may have other ids: engines would read all of it again.
 *
 * A reasoning item's seal tells of its own message and of those since the seal before. What the model writes after its
 * last reasoning no seal can tell of that is sent before: if it renders to other ids, an item for it ends the output.
 *
 * Where the model reasons between the calls of a turn, their results come behind seals that could not know of them. The
 * first seal after the results tells where everything since the first of these calls stands. So does the last item where no
 * result has come: the next prompt leaves these calls out, and the seals behind them have counted them.
 *
 * All of it follows from the entries: the seals come in their order, in every process that folds them.
 */
export class SampledForms {
  readonly #options: TranslateEntriesOptions
  /** Up to where the seals so far tell of it. */
  #told = BEGINNING
  #unsettled: Unsettled | undefined
  /** How often the conversation had been compacted then: each time, the transcript begins anew. */
  #compactions = 0
  readonly #toolsOf: (open: OpenEntry) => RequestTools

  constructor(options: TranslateEntriesOptions, toolsOf: (open: OpenEntry) => RequestTools) {
    this.#options = options
    this.#toolsOf = toolsOf
  }

  /** Whether seals are to tell of it: the client gets seals, and the transcript is not kept. */
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
    const at = fold.output.findIndex(({ id }) => id === itemId)
    const { start, told, messages, items } = this.#untold(fold, at)
    const isOwn = ({ message, end }: TranscriptMessage): boolean => end > told && isReasoning(message, text)
    // What had to be repaired may read as reasoning and be no item of it: it comes second.
    const wellFormed = messages.findIndex((each) => !each.isRepaired && isOwn(each))
    const own = wellFormed === -1 ? messages.findIndex(isOwn) : wellFormed
    // Reasoning that had to be repaired is rendered from its item. The calls before it are known all the same.
    const last = own === -1 ? messages.length : own + 1
    const end = { tokens: start.tokens + (messages[last - 1]?.end ?? 0), items: at + 1 }
    this.#tell(fold, { start, end }, itemId, text)
    const form = this.#formOf(fold, [...items, reasoningOf(text)], messages.slice(0, last), { isAlone: false, told })
    if (form !== undefined && this.#unsettled !== undefined) this.#unsettled.forms += 1
    return form
  }

  /**
   * The item that ends the output; undefined if there is nothing to tell, or it is there already.
   *
   * @param isCut - whether what is open now is cut off, and not completed
   */
  lastItem(fold: ResponseFold, isCut: boolean): WholeItem | undefined {
    const { sealReasoning, sealForm } = this.#options
    const id = deriveId('rs', 0, `${fold.open.responseId} form`)
    const isWanted = sealReasoning !== undefined && sealForm !== undefined && this.isAsked(fold.open)
    if (!isWanted || fold.output.some((item) => item.id === id)) return undefined
    const { told, messages, items, replaces } = this.#untold(fold, fold.output.length, true)
    const form = this.#formOf(
      fold,
      items.filter((item) => !isLeftOut(item as OutputItem, fold, isCut)),
      messages,
      { isAlone: true, told, replaces },
    )
    return form === undefined
      ? undefined
      : { type: 'reasoning', id, status: 'completed', summary: [], content: [], encrypted_content: sealForm(form, id) }
  }

  #formOf(
    fold: ResponseFold,
    items: readonly object[],
    messages: readonly TranscriptMessage[],
    seal: Omit<FormOptions, 'tools' | 'tokenTable' | 'areCallsParsed'>,
  ): string | undefined {
    const { tokenTable, returnedArguments } = this.#options
    if (messages.length === 0) return undefined
    const areCallsParsed = returnedArguments === 'objects'
    return formOfItems(items, messages, { ...seal, tools: this.#toolsOf(fold.open), tokenTable, areCallsParsed })
  }

  /**
   * What the next seal has to tell of, of the items before a place: since the last seal, or since calls without results.
   *
   * @param isOver - whether no result comes any more
   */
  #untold(fold: ResponseFold, before: number, isOver = false) {
    if (fold.compactions !== this.#compactions) {
      this.#compactions = fold.compactions
      this.#told = { tokens: 0, items: fold.output.findLastIndex(({ type }) => (type as string) === 'compaction') + 1 }
      this.#unsettled = undefined
    }
    // Seals that counted calls which never get results have the wrong places: all of it is told again.
    const isMiscounted = isOver && this.#unsettled?.calls.some((id) => !fold.isAnswered(id)) === true
    const unsettled = isMiscounted ? this.#unsettled : this.#settled(fold)
    const start = (isMiscounted ? unsettled?.counted : unsettled?.start) ?? this.#told
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
    const told = isMiscounted ? 0 : this.#told.tokens - start.tokens
    return { start, told, messages, items, replaces: (isMiscounted && this.#unsettled?.forms) || 0 }
  }

  /** What no seal has told of in its order yet, as soon as the results have come. */
  #settled(fold: ResponseFold): Unsettled | undefined {
    return this.#unsettled?.calls.some((id) => fold.isAnswered(id)) ? this.#unsettled : undefined
  }

  /** Goes on behind a seal that told from `start` on, and whose reasoning may stand between a call and its result. */
  #tell(
    fold: ResponseFold,
    { start, end }: Readonly<Record<'start' | 'end', Border>>,
    itemId: string,
    text: string,
  ): void {
    if (this.#unsettled === undefined || this.#settled(fold) !== undefined) {
      const turn = this.#turnOf(fold)
      const from = turn.tokens > this.#told.tokens ? turn : this.#told
      const calls = fold.output.slice(from.items, end.items).filter((item) => isWithoutResult(item, fold))
      const reasoning = new Map(this.#unsettled?.reasoning)
      this.#unsettled =
        calls.length === 0
          ? undefined
          : { start: from, counted: start, forms: 0, calls: calls.map(({ id }) => id), reasoning }
    }
    this.#unsettled?.reasoning.set(itemId, text)
    this.#told = end
  }

  /** Where the turn began. The results of all calls before stand in front of it. */
  #turnOf({ transcript, turnTokens, output, turnOutput }: ResponseFold): Border {
    const first = output.findIndex(({ id }) => id === turnOutput[0]?.id)
    return { tokens: transcript.length - turnTokens.length, items: first === -1 ? output.length : first }
  }
}

/**
 * Whether the next prompt has no message of it, now that the response ends: a hosted call without a result, and if the
 * response is cut off, a call of the client's or reasoning that the model has not written to its end.
 */
function isLeftOut(item: OutputItem, fold: ResponseFold, isCut: boolean): boolean {
  const { type, status } = item as { readonly type?: string; readonly status?: string }
  if (isForClient(item) || type === 'reasoning') return isCut && status === 'in_progress'
  // The status of a shell call says that the command is written, not that it ran.
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
