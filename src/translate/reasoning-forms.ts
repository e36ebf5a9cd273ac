import type { ResponseRequest } from '../responses/request.js'

/** How the model's reasoning is shown: as it is, or as a summary. */
export type ReasoningForm = 'raw' | 'summary'

/** What a host can choose. */
export type ReasoningOption = ReasoningForm | 'both' | 'hidden'

/** The forms that each choice means. */
export const REASONING: Readonly<Record<ReasoningOption, readonly ReasoningForm[]>> = {
  raw: ['raw'],
  summary: ['summary'],
  both: ['raw', 'summary'],
  hidden: [],
}

/** The forms in which reasoning is shown: the host's choice, else a summary if the request asks for one. */
export function reasoningForms(
  choice: ReasoningOption | undefined,
  request: ResponseRequest,
): readonly ReasoningForm[] {
  const { summary, generate_summary } = Object(request.reasoning) as { summary?: unknown; generate_summary?: unknown }
  const isAsked = SUMMARIES.includes(summary ?? generate_summary)
  return REASONING[choice ?? (isAsked ? 'summary' : 'raw')]
}

/** What a request can ask of a summary; `generate_summary` is its older name. */
const SUMMARIES: readonly unknown[] = ['auto', 'concise', 'detailed']
