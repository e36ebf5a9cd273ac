import { HarmonyResponsesError } from '../../../../shared/errors.js'
import { merged } from '../../../../shared/merged.js'
import type { ByteHold } from '../../../flow/byte-budget.js'
import type { Entry, OpenEntry } from '../../../journal/entry.js'
import type { MessageSpan } from '../../../prompt/prompt-message.js'
import type { FirstPrompt } from '../../../respond/prompts/prompt-ids.js'
import { promptOfEntry } from '../../../respond/prompts/prompt-of-entry.js'
import type { FinishedResponse } from '../../../stores/store.js'
import { resumedConversation } from '../conversation/resumed-conversation.js'
import { shownItems } from '../conversation/shown-items.js'
import { PROMPT_TOKEN_BYTES, takeOrRefuse } from '../limits/memory.js'
import type { Setup } from '../setup.js'
import type { HiddenContent } from './hidden-tokens.js'
import type { TracedPrompt, TracedPromptMessage } from './response-trace.js'

/** The maximum number of ids of a prompt in a trace. */
export const TRACED_PROMPT_IDS = 65_536

/** A response whose prompt is traced. */
export interface PromptOfResponse {
  readonly responseId: string
  readonly owner: string
  readonly open: OpenEntry & Entry
  /** The responses that it continues. */
  readonly responses: readonly FinishedResponse[]
  readonly hiding: HiddenContent
  readonly held: ByteHold
}

/** Renders the prompt of a response again, and says which item each of its tokens came from. */
export async function tracedPrompt(setup: Setup, given: PromptOfResponse): Promise<TracedPrompt> {
  const { responseId, owner, open, responses, held } = given
  const { tokens } = open.prompt
  takeOrRefuse(held, tokens * PROMPT_TOKEN_BYTES)
  const { request, history } = resumedConversation(setup, responses, open)
  const options = merged(setup.respondOptions(responseId, owner, { store: true }), { history, pause: setup.pause })
  try {
    const prompt = await promptOfEntry(request, open, options)
    return { tokens, messages: messagesOf(setup, prompt, request.input as readonly { readonly id?: string }[], given) }
  } catch (error) {
    if (error instanceof HarmonyResponsesError && error.code === 'prompt_differs') return { tokens, messages: null }
    throw error
  }
}

function messagesOf(
  { options }: Setup,
  { ids, messages = [] }: FirstPrompt,
  input: readonly { readonly id?: string }[],
  { open, responses, hiding }: PromptOfResponse,
): TracedPromptMessage[] {
  // A truncated prompt counts the items that are left.
  const isWhole = open.request.truncation !== 'auto'
  const shown = hiding.calls
    ? new Set(
        [...shownItems(options.offeredCalls, responses), ...open.input].map((item) => (item as { id?: string }).id),
      )
    : undefined
  return messages.flatMap(({ item, ...span }) => {
    // Results that are still to come follow `ids`.
    if (span.start >= ids.length) return []
    const id = isWhole && item !== undefined ? input[item]?.id : undefined
    const isHidden = hides(span, { isItem: item !== undefined, isShown: shown === undefined || shown.has(id) })
    const { role, start, end } = span
    const its = isHidden || end > TRACED_PROMPT_IDS ? null : [...ids.subarray(start, end)]
    const place = { ...(item !== undefined && { item }), ...(id !== undefined && { item_id: id }) }
    return [{ ...(isHidden ? { role, start, end } : { ...span, ...place }), ids: its }]
  })

  /** Whether clients are not shown the text of a message. */
  function hides(
    { role, channel, recipient }: Omit<MessageSpan, 'item'>,
    { isItem, isShown }: { readonly isItem: boolean; readonly isShown: boolean },
  ): boolean {
    const isInstructions = !isItem && (role === 'system' || role === 'developer')
    if (isInstructions) return open.operator !== undefined
    const isDialogue = role === 'user' || role === 'developer' || role === 'system' || channel === 'final'
    if (isDialogue) return false
    if (hiding.reasoning && role === 'assistant' && recipient === undefined && channel !== 'commentary') return true
    return !isShown
  }
}
