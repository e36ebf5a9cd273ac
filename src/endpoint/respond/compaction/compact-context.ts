import type { Diagnostic } from '../../../core/diagnostics/diagnostic.js'
import { deriveId } from '../../../core/options/ids.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { encoderOf } from '../../../core/tokens/encoder.js'
import type { HostUsage } from '../../../core/tokens/token-source.js'
import type { PromptFields } from '../../../engines/contract/prompt-fields.js'
import { callSafely } from '../../../shared/call-safely.js'
import { check } from '../../../shared/errors.js'
import { createWork, type Slices, type Work, withPauses } from '../../../shared/slices.js'
import { nextTurn } from '../../flow/next-turn.js'
import type { CompactedPrompt, CompactionEntry, EntryBody } from '../../journal/entry.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import { writeWindow } from '../../prompt/compacted-window.js'
import type { ReadMessage } from '../../prompt/conversation.js'
import { isAnswer } from '../../prompt/drop-reasoning.js'
import { readRequestInSlices } from '../../prompt/prompt-messages.js'
import { type Prompt, type RenderOptions, renderPromptInSlices } from '../../prompt/render-prompt.js'
import type { TaughtTools } from '../../prompt/taught-tools.js'
import { createTokenBuffer } from '../../prompt/token-buffer.js'
import type { Inbox } from '../inbox.js'
import { withAdditions } from '../offered.js'
import type { RespondOptions } from '../options.js'
import { promptOptions } from '../prompts/first-prompt.js'
import { isContextFull } from '../sampling/call-end.js'
import { type SummaryAttempt, summarizeContext } from './summarize.js'

export interface CompactContextOptions extends RespondOptions {
  readonly fold: ResponseFold
  readonly inbox: Inbox
  readonly signal: AbortSignal
  readonly isClosed: () => boolean
  readonly report: (error: unknown) => void
  /** The tools of its prompts. */
  readonly teach: () => TaughtTools
  /** For an engine that takes messages. */
  readonly promptFields?: PromptFields | undefined
  /** Called with the first token of the summary. */
  readonly onSampled: () => void
}

/** The limit of a summary, in tokens; also at most half of a turn's input limit. */
const MAX_SUMMARY_TOKENS = 4096

/**
 * Makes the model summarize the conversation so far. Yields the entry with the prompt that the response continues with,
 * so that a process that resumes needs neither the summary nor the key that sealed it.
 *
 * @throws the engine's errors, unless its context is too full for a summary
 */
export async function* compactContext(
  request: ResponseRequest,
  options: CompactContextOptions,
): AsyncGenerator<EntryBody> {
  const { fold, inbox, isClosed, pause = nextTurn, signal } = options
  const limit = fold.open.compactAbove ?? Number.POSITIVE_INFINITY
  const max = Math.min(MAX_SUMMARY_TOKENS, Math.max(Math.floor(limit / 2), 1))
  const writing = summarizeContext(fold.context, max, request, options).catch(withoutRoom)
  let attempt: SummaryAttempt | NoAttempt | undefined
  while (attempt === undefined) {
    attempt = await inbox.wait(writing)
    if (isClosed()) return
    yield* inbox.all()
  }
  const { text, usage } = attempt
  const entry: CompactionEntry = {
    type: 'compaction',
    ...(usage && { usage: withoutReasoning(usage) }),
    ...(text !== undefined && { compacted: await withPauses(compactedBy(text, request, options), pause, signal) }),
  }
  yield* inbox.before(entry)
  // The entry has been applied. Notified once: from now on the response is not compacted again.
  if (fold.isIncompressible) notify(text === undefined ? 'compaction_failed' : 'compaction_too_long', options)
}

/**
 * Drops the reasoning count: it would replace the response's own, and a summary has no reasoning, because the host
 * begins its answer.
 */
function withoutReasoning({ reasoningTokens: _, ...usage }: HostUsage): HostUsage {
  return usage
}

/** The engine has not started. */
type NoAttempt = { readonly [Field in keyof SummaryAttempt]?: undefined }

/** Handles a conversation without room for its summary, which may still have room for an answer. */
function withoutRoom(error: unknown): NoAttempt {
  if (isContextFull(error)) return {}
  throw error
}

function notify(code: Diagnostic['code'], { fold, onDiagnostic, report }: CompactContextOptions): void {
  callSafely(onDiagnostic, { code, subject: `${fold.open.compactAbove} tokens`, index: -1 }, report)
}

function* compactedBy(
  summary: string,
  request: ResponseRequest,
  options: CompactContextOptions,
): Slices<CompactedPrompt> {
  const work = createWork()
  const { fold, sealCompaction, history = [], teach } = options
  check(sealCompaction !== undefined, 'sealCompaction', 'a function', sealCompaction)
  const { open, compactions } = fold
  const given = withAdditions(request, open.operator)
  const rendering = promptOptions(open.prompt, teach(), options)
  const userTexts = yield* unanswered(given, rendering, options, work)
  const text = writeWindow({ ...userTexts, summary })
  // Derived from the response: the translator's own ids belong to the host's items.
  const id = deriveId('cmp', compactions, `${open.responseId} compaction`)
  const item = { type: 'compaction', id, encrypted_content: sealCompaction(text, id) } as const
  // A later request that drops nothing sends these items, so that it renders to the same tokens.
  const { input } = given
  const compacted = { ...given, input: [...(Array.isArray(input) ? input : []), item] } as ResponseRequest
  const rendered = { ...rendering, history: [...history, { sealed: item.encrypted_content, text }] }
  const { tokens, messages } = (yield* renderPromptInSlices(compacted, rendered, work)) as Prompt
  const start = messages.find(({ role }) => role !== 'system' && role !== 'developer')?.start ?? 0
  return { item, prompt: Array.from(tokens.subarray(0, messages.at(-1)?.end ?? 0)), start }
}

/** Returns the user's unanswered messages: the latest in any case, earlier ones while they are short. */
function* unanswered(
  request: ResponseRequest,
  rendering: RenderOptions,
  { fold, tokenTable }: CompactContextOptions,
  work: Work,
): Slices<{ readonly before: readonly string[]; readonly after: readonly string[] }> {
  const { read, unread } = unansweredIn((yield* readRequestInSlices(request, rendering, work)).conversation)
  const userTexts = [...read, ...unread]
  const encode = encoderOf(tokenTable)
  let room = Math.floor((fold.open.compactAbove ?? Number.POSITIVE_INFINITY) * KEPT_SHARE)
  let first = userTexts.length - 1
  for (; first >= 0; first--) {
    const ids = createTokenBuffer()
    // Counted only as far as there is room.
    const isFitting = room >= 0 && (yield* encode.into(userTexts[first] as string, ids, work, room))
    room = isFitting ? room - ids.length : -1
    if (room < 0 && first < userTexts.length - 1) break
  }
  // In this response, the model has read all of them.
  const border = fold.turns > 0 ? userTexts.length : read.length
  return { before: userTexts.slice(first + 1, border), after: userTexts.slice(Math.max(first + 1, border)) }
}

/** The share of a turn's input limit that the user's own words may take, except for the latest message. */
const KEPT_SHARE = 1 / 4

/** The user's messages that are not answered yet, oldest first. */
interface Unanswered {
  /** Those that the model has read, since it has written something after them. */
  readonly read: readonly string[]
  readonly unread: readonly string[]
}

/** Returns the unanswered messages of a conversation. */
function unansweredIn(conversation: readonly ReadMessage[]): Unanswered {
  const open = conversation.slice(conversation.findLastIndex(isAnswer) + 1)
  const worked = open.findLastIndex(({ role }) => role === 'assistant' || role === 'tool')
  const userTexts = (messages: readonly ReadMessage[]): string[] =>
    messages.flatMap(({ role, content, isSummary }) => (role === 'user' && !isSummary ? [content] : []))
  return { read: userTexts(open.slice(0, worked + 1)), unread: userTexts(open.slice(worked + 1)) }
}
