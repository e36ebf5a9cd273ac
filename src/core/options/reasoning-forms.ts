import type { ResponseRequest } from '../responses/request.js'

/** A form of the model's reasoning on the wire: raw text or a summary. @inline */
export type ReasoningForm = 'raw' | 'summary'

/** The host's choices. */
export type ReasoningVisibility = ReasoningForm | 'both' | 'hidden'

/** The forms of each choice. */
export const REASONING: Readonly<Record<ReasoningVisibility, readonly ReasoningForm[]>> = {
  raw: ['raw'],
  summary: ['summary'],
  both: ['raw', 'summary'],
  hidden: [],
}

/**
 * Returns the forms in which reasoning is sent: the host's choice, else a summary if the request asks for one, else
 * raw.
 */
export function reasoningForms(
  choice: ReasoningVisibility | undefined,
  request: ResponseRequest,
): readonly ReasoningForm[] {
  const { summary, generate_summary } = Object(request.reasoning) as { summary?: unknown; generate_summary?: unknown }
  const isAsked = SUMMARIES.includes(summary ?? generate_summary)
  return REASONING[choice ?? (isAsked ? 'summary' : 'raw')]
}

/** The values of `reasoning.summary` and of `generate_summary`, its older name. */
const SUMMARIES: readonly unknown[] = ['auto', 'concise', 'detailed']
