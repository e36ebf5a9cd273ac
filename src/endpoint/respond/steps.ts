import { deriveId } from '../../core/options/ids.js'
import { withConversationTools } from '../../core/recipients/conversation-tools.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import type { PromptFields } from '../../engines/contract/prompt-fields.js'
import { check } from '../../shared/errors.js'
import { merged } from '../../shared/merged.js'
import { withPauses } from '../../shared/slices.js'
import type { EntryBody } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import { turnStart } from '../prompt/render-prompt.js'
import type { TaughtTools } from '../prompt/taught-tools.js'
import { runCalls, tellRefusals } from './calls/run-calls.js'
import type { Closing } from './closing.js'
import { compactionItem } from './compaction/compact.js'
import { compactContext } from './compaction/compact-context.js'
import { summarize } from './compaction/summarize.js'
import { demandedRecipients } from './demand/callees.js'
import { isDemanded } from './demand/unmet-demand.js'
import type { Inbox } from './inbox.js'
import { withAdditions } from './offered.js'
import { openEntry } from './opening/open-entry.js'
import type { OpenOptions } from './opening/prepare-request.js'
import type { RespondOptions } from './options.js'
import { promptAgain } from './prompts/first-prompt.js'
import { readPromptFields } from './prompts/prompt-fields.js'
import type { PromptIds } from './prompts/prompt-ids.js'
import type { ResolvedResponse } from './resolved-response.js'
import { stopStrings } from './sampling/answer-stops.js'
import type { Budget } from './sampling/budget.js'
import { budgetNow } from './sampling/budget-now.js'
import { nextStep, takesMessages } from './sampling/next-step.js'

const UNENFORCED = 'The engine that continues this text cannot enforce it, so it is only checked at the end.'

export interface StepsOptions {
  readonly request: ResponseRequest
  readonly options: RespondOptions & Pick<OpenOptions, 'responseId' | 'notice'>
  readonly resolved: ResolvedResponse
  readonly inbox: Inbox
  readonly closing: Closing
  /** In Unix seconds. */
  readonly clock: () => number
  readonly pause: () => Promise<void>
  readonly report: (error: unknown) => void
  readonly onRelaxed: (subject: string) => void
  /** Called with the first token of a summary. */
  readonly onSampled: () => void
}

/** The entries of a step, which is anything but a call of the model. */
export type Step = AsyncIterable<EntryBody> | Iterable<EntryBody>

/** What a response does next, by the state of its fold alone: any process can go on with it. */
export class Steps {
  readonly #given: StepsOptions
  readonly #fold: ResponseFold
  /** Whether the engine may be another one than before: another process opened the response, or the engine has failed. */
  #mayBeReplaced = false
  /** Without a demand. */
  #promptFields: PromptFields | undefined
  /** The ids that follow the results of approved calls. */
  #idsAfter: PromptIds['idsAfter']

  constructor(given: StepsOptions) {
    this.#given = given
    this.#fold = given.resolved.fold
  }

  /** Continues what another process has begun: renders its prompt again. @throws RequestError */
  async takeOver(): Promise<void> {
    const { request, options, closing } = this.#given
    this.#mayBeReplaced = true
    if (this.#fold.compactions > 0) return
    this.#givePrompt(await promptAgain(request, this.#fold.open, this.#teach, options, closing.signal))
  }

  /** Asks the engine for its capabilities again before the next call: another one may answer at its address. */
  doubtEngine(): void {
    this.#mayBeReplaced = true
  }

  /** What is left of the limits. */
  budget(): Budget {
    const { seconds } = this.#given.options.limits ?? {}
    const allowed = this.#allowed
    const isTimeUp = seconds !== undefined && this.#given.clock() - this.#fold.openedAt >= seconds
    return isTimeUp ? merged(allowed, { isTimeUp }) : allowed
  }

  /** The limits, without that of time. */
  get #allowed(): Budget {
    return this.#given.resolved.budget(this.#given.options.limits?.turns ?? 32)
  }

  /** Returns the next step; undefined if it is a call of the model. */
  next(): Step | undefined {
    const { inbox, closing, request, options, onSampled } = this.#given
    const { why } = closing
    if (this.#fold.stage === 'new') return this.#open()
    if (why === 'abort' || why === 'cancel') return inbox.before({ type: why })
    if (this.#fold.stage === 'queued') return this.#begin()
    const next = nextStep(this.#fold, this.budget())
    switch (next.type) {
      case 'sample':
        return undefined
      case 'run_tools':
        return runCalls(next.calls, merged(options, this.#running()))
      case 'tell_refusals':
        return tellRefusals(next.calls, merged(options, this.#running()))
      case 'compact':
        return this.#compact()
      case 'compact_context':
        return compactContext(
          request,
          merged(options, { ...this.#shared(), teach: this.#teach, promptFields: this.#promptFields, onSampled }),
        )
      case 'end':
        return this.#end(next)
      default:
        return inbox.before(next)
    }
  }

  /** What the prompt's ids do not say of the next turn; undefined for an engine that takes ids. */
  get promptFields(): PromptFields | undefined {
    if (this.#promptFields === undefined || !isDemanded(this.#fold)) return this.#promptFields
    const demand = demandedRecipients(this.#teach())
    return demand === undefined ? this.#promptFields : { ...this.#promptFields, demand }
  }

  /** Prepares a call of the model: what its engine can do, and the constraint of a body that is open. */
  async prepareCall(): Promise<void> {
    const { options, resolved, pause, onRelaxed } = this.#given
    const { strict } = this.budget()
    if (this.#mayBeReplaced) {
      const known = merged(this.#shared(), { engine: options.engine, open: this.#fold.open, pause, onRelaxed })
      resolved.useBudget(await budgetNow(this.#allowed, known))
      this.#mayBeReplaced = false
    }
    if (this.#needsPromptFields) this.#promptFields = await this.#readPromptFields()
    if (!strict.isPaused) return
    await withPauses(strict.prepare(this.#fold.turnTokens), pause)
    const { param, constraint, character } = strict.openBody(this.#fold.turnTokens) ?? {}
    if (param !== undefined && constraint === undefined && character === undefined) onRelaxed(`${param}: ${UNENFORCED}`)
  }

  /** Whether a call of the model has to be prepared. */
  get hasToPrepare(): boolean {
    return this.#mayBeReplaced || this.#needsPromptFields || this.budget().strict.isPaused
  }

  get #needsPromptFields(): boolean {
    return this.#promptFields === undefined && takesMessages(this.budget().capabilities)
  }

  async #readPromptFields(): Promise<PromptFields> {
    const { request, options, pause } = this.#given
    const { operator, prompt } = this.#fold.open
    const { request: whole } = withConversationTools(withAdditions(request, operator))
    const promptFields = await withPauses(readPromptFields(whole, this.#teach(), prompt), pause)
    // A server does not say which of the strings has ended its answer.
    const stop = options.onStopString === undefined ? stopStrings(whole) : []
    return stop.length === 0 ? promptFields : merged(promptFields, { stop })
  }

  async *#open(): AsyncGenerator<EntryBody> {
    const { request, options, resolved, closing, clock, report } = this.#given
    const opening = merged(options, { policy: resolved.policy, onError: report })
    const { entry, prompt, tools } = await openEntry(request, opening, clock(), closing.signal)
    resolved.giveTaught(tools)
    yield options.admitted === undefined ? entry : { ...entry, isQueued: true }
    this.#givePrompt(prompt)
  }

  /** Waits for the turn of a queued response. One that another process has queued has got a place here. */
  async *#begin(): AsyncGenerator<EntryBody> {
    const { inbox, options, closing } = this.#given
    await inbox.wait(Promise.resolve(options.admitted))
    if (!closing.isClosed()) yield { type: 'begin' }
  }

  /** Not shown during writing: the client receives only the sealed summary. */
  async *#compact(): AsyncGenerator<EntryBody> {
    const { inbox, closing, options, onSampled } = this.#given
    const { request, responseId } = this.#fold.open
    const { engine, tokenTable, sealCompaction } = options
    check(sealCompaction !== undefined, 'sealCompaction', 'a function', sealCompaction)
    const context = [...this.#fold.context, ...turnStart(tokenTable)]
    const summary = await inbox.wait(
      summarize(context, request, { engine, tokenTable, signal: closing.signal, onSampled }),
    )
    if (summary === undefined || closing.isClosed()) return
    const item = compactionItem(summary.text, deriveId('cmp', 0, responseId), sealCompaction)
    yield { type: 'item', item, usage: summary.usage }
  }

  *#end(end: Extract<EntryBody, { type: 'end' }>): Generator<EntryBody> {
    const { inbox, resolved } = this.#given
    yield* inbox.all()
    const item = resolved.forms.lastItem(this.#fold, end.reason !== 'stop')
    if (item !== undefined) yield { type: 'item', item }
    yield* inbox.before(end)
  }

  #givePrompt(prompt: PromptIds): void {
    this.#idsAfter = prompt.idsAfter
    this.#fold.givePrompt(prompt.ids)
  }

  #shared() {
    const { inbox, closing, report } = this.#given
    return { fold: this.#fold, inbox, signal: closing.signal, isClosed: closing.isClosed, report }
  }

  #running() {
    const { resolved } = this.#given
    return { ...this.#shared(), resolved: resolved.tools, ...(this.#idsAfter && { idsAfter: this.#idsAfter }) }
  }

  readonly #teach = (): TaughtTools => this.#given.resolved.taught(this.#given.request)
}
