import type { ResponseRequest } from '../../../core/responses/request.js'
import type { HostUsage } from '../../../core/tokens/token-source.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { EngineCapabilities } from '../../../engines/contract/constraint.js'
import type { TokenEngine } from '../../../engines/contract/engine.js'
import { checkOptions, type OptionTable, picked } from '../../../shared/options/check-options.js'
import { aFunction, aString } from '../../../shared/options/checks.js'
import { contextLengthExceeded } from '../../../shared/request-error.js'
import { createWork, type Pause, withPauses } from '../../../shared/slices.js'
import { nextTurn } from '../../flow/next-turn.js'
import { writeSummary } from '../../prompt/compacted-window.js'
import { PROMPT_OPTIONS, withTools } from '../../prompt/prompt-messages.js'
import { type RenderPromptOptions, renderPromptInSlices } from '../../prompt/render-prompt.js'
import { RESPOND_OPTIONS } from '../check-respond-options.js'
import type { SealCompaction } from '../options.js'
import { promptBound } from '../prompts/prompt-bound.js'
import { summaryRequest } from '../prompts/summary-request.js'
import { summarize } from './summarize.js'

/** A compacted conversation in one item, which a later request sends in place of everything before it. */
export interface CompactionItem {
  readonly type: 'compaction'
  /** The id that was given as `itemId`. */
  readonly id: string
  /** The sealed summary: the client keeps it and cannot read it. */
  readonly encrypted_content: string
}

/** Options of `compact`. */
export interface CompactOptions
  extends Pick<RenderPromptOptions, 'history' | 'images' | 'identity' | 'knowledgeCutoff' | 'policy' | 'known'> {
  /** The engine of the model that summarizes. */
  readonly engine: TokenEngine
  /** The vocabulary, by which texts become ids. */
  readonly tokenTable: TokenTable
  /** The date that the model is told, `YYYY-MM-DD`. Default: none. */
  readonly date?: string
  /** Seals the summary: a function of `seal.forResponse`. */
  readonly sealCompaction: SealCompaction
  /** The unique id of the item: `cmp_` and random digits. */
  readonly itemId: string
  /** Aborts the call of the model. */
  readonly signal?: AbortSignal
  /** As in `respond`. */
  readonly pause?: Pause
}

const COMPACT_OPTIONS: OptionTable<CompactOptions> = {
  ...picked(RESPOND_OPTIONS, ['engine', 'tokenTable', 'history', 'images', 'identity', 'knowledgeCutoff', 'policy']),
  ...picked(RESPOND_OPTIONS, ['known', 'signal', 'pause']),
  ...picked(PROMPT_OPTIONS, ['date']),
  sealCompaction: aFunction,
  itemId: aString,
}

/** A compaction, and its cost in tokens. */
export interface CompactionResult {
  /** The item, which a later request sends in place of the conversation. */
  readonly item: CompactionItem
  /** The tokens that the summary took. */
  readonly usage: HostUsage
}

/**
 * Compacts the conversation of a request: the model summarizes it, and the sealed summary is one item, which a later
 * request sends in place of the conversation. Unseal it and pass it as `history`.
 *
 * @throws RequestError if the conversation cannot be rendered, or does not fit into the engine's context
 * @throws EngineError if the engine fails, or the model writes no summary
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { compact } from 'harmony-responses/respond'
 * import { createSeal, createNonce } from 'harmony-responses/seal'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const seal = createSeal([{ id: 'k1', key: sealKey }])
 * const { item } = await compact(request, {
 *   engine: scriptedEngine([answer('The user said hi.')]),
 *   tokenTable: await loadTokenTable(),
 *   itemId: `cmp_${crypto.randomUUID()}`,
 *   sealCompaction: seal.forResponse({ caller: userId, nonce: createNonce() }).sealCompaction,
 * })
 * console.log(item.type) // compaction
 * ```
 */
export async function compact(request: ResponseRequest, options: CompactOptions): Promise<CompactionResult> {
  checkOptions('compact', options, COMPACT_OPTIONS, ['engine', 'tokenTable', 'sealCompaction', 'itemId'])
  const { engine, sealCompaction, itemId } = options
  const { signal = new AbortController().signal, pause = nextTurn } = options
  const bound = await boundOf(engine, signal)
  const prompted = summaryRequest(request)
  const rendering = renderPromptInSlices(
    prompted,
    withTools(prompted, { ...options, date: options.date }),
    createWork(),
    bound - 1,
  )
  const prompt = await withPauses(rendering, pause, signal)
  if (prompt === undefined) throw contextLengthExceeded(bound)
  const { text, usage } = await summarize(prompt.tokens, request, options)
  return { item: compactionItem(text, itemId, sealCompaction), usage }
}

/** An engine that does not report its limit refuses longer prompts itself. */
async function boundOf(engine: TokenEngine, signal: AbortSignal): Promise<number> {
  const unknown = (): EngineCapabilities => ({})
  return promptBound((await engine.capabilities?.({ signal, constraints: false }).catch(unknown)) ?? {})
}

export function compactionItem(summary: string, id: string, seal: SealCompaction): CompactionItem {
  return { type: 'compaction', id, encrypted_content: seal(writeSummary(summary), id) }
}
