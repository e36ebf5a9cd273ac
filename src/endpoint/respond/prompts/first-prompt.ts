import type { ApprovedCall } from '../../../core/options/options.js'
import type { HostedBuiltin } from '../../../core/recipients/builtin-tools.js'
import type { RecipientPolicy } from '../../../core/recipients/policy.js'
import type { ToolChoice } from '../../../core/recipients/tool-choice.js'
import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import type { Fields } from '../../../shared/fields.js'
import { createWork, type Slices, withPauses } from '../../../shared/slices.js'
import { nextTurn } from '../../flow/next-turn.js'
import type { OpenEntry, PromptRecord } from '../../journal/entry.js'
import type { AttachmentReading } from '../../prompt/attachments.js'
import type { EarlierPrompt } from '../../prompt/known-conversation.js'
import { listingsWith } from '../../prompt/read-input.js'
import type { PromptInProgress, RenderOptions } from '../../prompt/render-prompt.js'
import { type TaughtTools, toolsInSlices } from '../../prompt/taught-tools.js'
import { withAdditions } from '../offered.js'
import type { RespondOptions } from '../options.js'
import { promptFromEarlier } from './earlier-prompt.js'
import { promptBound } from './prompt-bound.js'
import { promptDigest } from './prompt-digest.js'
import type { FirstPrompt, PromptIds } from './prompt-ids.js'
import { summaryRequest } from './summary-request.js'
import { fittingPrompt } from './truncate.js'

/** How the prompts of a response are rendered, according to its first entry. */
export type Rendering = Omit<PromptRecord, 'tokens' | 'digest' | 'listings'>

/** The operator's and the conversation's options for rendering prompts, in addition to those of an entry. */
export type Rendered = Pick<RespondOptions, 'tokenTable' | 'history' | 'known' | 'pause'>

/** {@link Rendered}, and the earlier rendering of the conversation. */
export type RenderedBefore = Rendered & { readonly earlier?: EarlierPrompt }

/** The inputs of the first prompt besides the request. */
export interface FirstPromptOptions {
  readonly rendering: Rendering
  readonly tools: TaughtTools
  readonly isCompaction: boolean
  /** The calls that are to be run before the model does. Default: none. */
  readonly approvedCalls?: readonly ApprovedCall[]
  /** An exclusive limit of prompts in tokens: `promptBound` of the engine. */
  readonly contextLength: number
}

/** The facts that determine the taught tools of a response, besides its request. */
export interface Teaching {
  readonly listings: readonly McpListing[]
  readonly hosted: readonly HostedBuiltin[]
  readonly policy: RecipientPolicy
  readonly choice?: ToolChoice
}

/** Returns the request whose prompt is rendered: that of a compaction asks for the summary. */
export function promptedRequest(request: ResponseRequest, isCompaction: boolean): ResponseRequest {
  return isCompaction ? summaryRequest(request) : request
}

/** Returns the tools of a {@link promptedRequest}, for all prompts of its response. @throws RequestError */
export function taughtTools(
  prompted: ResponseRequest,
  { listings, hosted, policy, choice }: Teaching,
): Slices<TaughtTools> {
  const all = listingsWith(prompted.input, listings)
  return toolsInSlices(prompted as object as Fields, all, policy, hosted, choice)
}

/**
 * Renders the first prompt of a response, for the process that begins it and for one that resumes it. Other work takes
 * turns with it.
 *
 * @param prompted - {@link promptedRequest}
 * @returns undefined if it does not fit
 * @throws RequestError if the request cannot be rendered; the signal's reason
 */
export async function firstPrompt(
  prompted: ResponseRequest,
  { rendering, tools, isCompaction, approvedCalls = [], contextLength }: FirstPromptOptions,
  { earlier, ...options }: RenderedBefore,
  signal?: AbortSignal,
): Promise<FirstPrompt | undefined> {
  const { pause = nextTurn } = options
  const how = promptOptions(rendering, tools, options)
  const work = createWork()
  if (earlier !== undefined && !isCompaction) {
    const max = maxTokensOf(prompted, contextLength)
    const end = await earlier.begin()
    try {
      signal?.throwIfAborted()
      const known = await withPauses(promptFromEarlier(prompted, how, earlier, work, max), pause, signal)
      if (known !== undefined && known.size <= max) return known
    } finally {
      end()
    }
  }
  const pendingApprovals = new Set(approvedCalls.map(({ approvalRequestId }) => approvalRequestId))
  const isPending = pendingApprovals.size > 0 && !isCompaction
  const rendered = fittingPrompt(prompted, isPending ? { ...how, pendingApprovals } : how, work, contextLength)
  const prompt = await withPauses(rendered, pause, signal)
  if (prompt === undefined) return undefined
  const { tokens, messages, untaught, placeholders } = prompt
  const messageCount = messages.filter(({ role }) => role !== 'system' && role !== 'developer').length
  return { size: tokens.length, ...idsOf(prompt), messages, messageCount, untaught, placeholders }
}

function idsOf({ tokens, messages, pending = [] }: PromptInProgress): PromptIds {
  const end = messages.at(-1)?.end ?? 0
  if (pending.length === 0) return { ids: tokens.slice(0, end) }
  const idsAfter = pending.map(({ approvalRequestId, at }, nth) => {
    return [approvalRequestId, tokens.slice(at, pending[nth + 1]?.at ?? end)] as const
  })
  return { ids: tokens.slice(0, pending[0]?.at), idsAfter: new Map(idsAfter) }
}

/** Returns the size up to which a prompt is accepted without dropping anything: it leaves room for an answer. */
function maxTokensOf({ truncation }: ResponseRequest, contextLength: number): number {
  return (truncation === 'auto' ? Math.floor((contextLength * 3) / 4) : contextLength) - 1
}

/** Returns the options for rendering every prompt of a response. */
export function promptOptions(
  { date, images, identity, knowledgeCutoff }: Rendering,
  tools: TaughtTools,
  { tokenTable, history, known }: Rendered,
): RenderOptions {
  return {
    ...(known && { known }),
    ...{ tokenTable, date, tools },
    ...(history && { history }),
    ...(images !== undefined && { images: images as AttachmentReading }),
    ...(identity !== undefined && { identity }),
    ...(knowledgeCutoff !== undefined && { knowledgeCutoff }),
  }
}

/** Returns the servers' listings at the beginning of a response. The conversation has the others. */
export function listingsOfEntry({ listings, prompt }: OpenEntry): readonly McpListing[] {
  return [...listings, ...(prompt.listings ?? [])]
}

/**
 * Renders the first prompt of a response that another process began, from its conversation.
 *
 * @throws HarmonyResponsesError `prompt_differs` if it cannot be rendered, or has other ids than it had there
 */
export async function promptAgain(
  request: ResponseRequest,
  open: OpenEntry,
  teach: () => TaughtTools,
  options: Rendered,
  signal?: AbortSignal,
): Promise<FirstPrompt> {
  const { prompt, isCompaction = false, approvedCalls, capabilities, responseId, operator } = open
  const expected = `${responseId}: expected the conversation whose prompt had ${prompt.tokens} ids`
  let again: FirstPrompt | undefined
  try {
    const contextLength = promptBound(capabilities ?? {})
    const known = { rendering: prompt, tools: teach(), isCompaction, approvedCalls, contextLength }
    again = await firstPrompt(promptedRequest(withAdditions(request, operator), isCompaction), known, options, signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw new HarmonyResponsesError('prompt_differs', `${expected}, got one that cannot be rendered`, { cause: error })
  }
  if (again === undefined) throw new HarmonyResponsesError('prompt_differs', `${expected}, got one that is too long`)
  const { ids } = again
  if (ids.length === prompt.tokens && promptDigest(ids) === prompt.digest) return again
  const got = ids.length === prompt.tokens ? 'others' : `${ids.length}`
  const causes = 'another conversation, policy or version of this library'
  throw new HarmonyResponsesError('prompt_differs', `${expected}, got ${got}: ${causes}`)
}
