import { HarmonyResponsesError } from '../errors.js'
import type { OpenEntry, PromptRecord } from '../journal/entry.js'
import { nextTurn } from '../next-turn.js'
import type { AttachmentPolicy } from '../prompt/attachments.js'
import type { EarlierPrompt } from '../prompt/known-conversation.js'
import type { RenderPromptOptions } from '../prompt/render-prompt.js'
import type { HostedBuiltin } from '../prompt/untaught-tools.js'
import type { McpListing } from '../responses/mcp-listing.js'
import type { ResponseRequest } from '../responses/request.js'
import { createWork, withPauses } from '../slices.js'
import { promptFromEarlier } from './earlier-prompt.js'
import type { RespondOptions } from './options.js'
import { promptDigest } from './prompt-digest.js'
import type { FirstPrompt } from './prompt-ids.js'
import { summaryRequest } from './summarize.js'
import { fittingPrompt } from './truncate.js'

/** How the prompts of a response are rendered, as its first entry says it. */
export type Rendering = Omit<PromptRecord, 'tokens' | 'digest' | 'listings'>

/** The options of the operator's and of the conversation that prompts are rendered with, besides those of an entry. */
export type Rendered = Pick<RespondOptions, 'tokenTable' | 'history' | 'policy' | 'known' | 'pause'>

/** {@link Rendered}, and what was rendered before of the conversation. */
export type RenderedBefore = Rendered & { readonly earlier?: EarlierPrompt }

/** What the first prompt depends on, besides the request. */
export interface FirstPromptOptions {
  readonly rendering: Rendering
  readonly listings: readonly McpListing[]
  readonly isCompaction: boolean
  readonly contextLength: number | undefined
}

/**
 * The first prompt of a response: for the process that begins it, and for one that goes on with it. Others take turns while
 * it is rendered.
 *
 * @returns undefined if it does not fit
 * @throws RequestError if the request cannot be rendered; the signal's reason
 */
export async function firstPrompt(
  request: ResponseRequest,
  { rendering, listings, isCompaction, contextLength }: FirstPromptOptions,
  { earlier, ...options }: RenderedBefore,
  signal?: AbortSignal,
): Promise<FirstPrompt | undefined> {
  const { pause = nextTurn } = options
  const how = promptOptions(rendering, listings, options)
  const work = createWork()
  if (earlier !== undefined && !isCompaction) {
    const most = mostOf(request, contextLength)
    const known = await withPauses(promptFromEarlier(request, how, earlier, work, most), pause, signal)
    if (known !== undefined && known.size <= most) return known
  }
  const rendered = fittingPrompt(isCompaction ? summaryRequest(request) : request, how, work, contextLength)
  const prompt = await withPauses(rendered, pause, signal)
  if (prompt === undefined) return undefined
  const { tokens, messages, untaught, placeholders } = prompt
  const said = messages.filter(({ role }) => role !== 'system' && role !== 'developer').length
  return { size: tokens.length, ids: tokens.slice(0, messages.at(-1)?.end ?? 0), said, untaught, placeholders }
}

/** How many tokens a prompt has that is not refused and of which nothing has to be dropped: an answer has room beside it. */
function mostOf({ truncation }: ResponseRequest, contextLength: number = Number.POSITIVE_INFINITY): number {
  return (truncation === 'auto' ? Math.floor((contextLength * 3) / 4) : contextLength) - 1
}

/** How the prompts of a response are rendered, by whoever renders them. */
export function promptOptions(
  { date, hosted, images, identity, knowledgeCutoff }: Rendering,
  listings: readonly McpListing[],
  { tokenTable, history, policy, known }: Rendered,
): RenderPromptOptions {
  return {
    ...(known && { known }),
    ...{ tokenTable, date, listings, hosted: hosted as readonly HostedBuiltin[] },
    ...(policy !== undefined && { policy }),
    ...(history && { history }),
    ...(images !== undefined && { images: images as AttachmentPolicy }),
    ...(identity !== undefined && { identity }),
    ...(knowledgeCutoff !== undefined && { knowledgeCutoff }),
  }
}

/** What the servers of a response listed when it began. The conversation has the rest. */
export function listingsOfEntry({ listings, prompt }: OpenEntry): readonly McpListing[] {
  return [...listings, ...(prompt.listings ?? [])]
}

/**
 * The first prompt of a response that another process began, from its conversation.
 *
 * @throws HarmonyResponsesError `prompt_differs` if it cannot be rendered, or has other ids than it had there
 */
export async function promptAgain(
  request: ResponseRequest,
  open: OpenEntry,
  options: Rendered,
  signal?: AbortSignal,
): Promise<Uint32Array> {
  const { prompt, isCompaction = false, capabilities, responseId } = open
  const expected = `${responseId}: expected the conversation whose prompt had ${prompt.tokens} ids`
  let ids: Uint32Array | undefined
  try {
    const listings = listingsOfEntry(open)
    const known = { rendering: prompt, listings, isCompaction, contextLength: capabilities?.contextLength }
    ids = (await firstPrompt(request, known, options, signal))?.ids
  } catch (error) {
    signal?.throwIfAborted()
    throw new HarmonyResponsesError('prompt_differs', `${expected}, got one that cannot be rendered`, { cause: error })
  }
  if (ids === undefined) throw new HarmonyResponsesError('prompt_differs', `${expected}, got one that is too long`)
  if (ids.length === prompt.tokens && promptDigest(ids) === prompt.digest) return ids
  const got = ids.length === prompt.tokens ? 'others' : `${ids.length}`
  const causes = 'another conversation, policy or version of this library'
  throw new HarmonyResponsesError('prompt_differs', `${expected}, got ${got}: ${causes}`)
}
