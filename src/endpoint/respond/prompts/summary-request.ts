import type { ResponseRequest } from '../../../core/responses/request.js'

/** Asks for a summary from which the model alone can continue. */
export const SUMMARY_INSTRUCTIONS = `Summarize our conversation for somebody who will go on with it and has not seen it. Write down:
- what the user wants, with all constraints and preferences, in the user's own words where they matter;
- what has been done and found, with names, paths, numbers, addresses and decisions exactly as they are;
- what is still open, and what should happen next.
Leave out pleasantries and what is no longer of use. Answer with the summary alone.`

/**
 * Returns the request for the summary of a request's conversation. Its tools are known, so that past calls are read,
 * but not taught.
 */
export function summaryRequest(request: ResponseRequest): ResponseRequest {
  const { text: _, input, ...rest } = request
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  const conversation = items
    .filter((item) => !('type' in item && item.type === 'compaction_trigger'))
    // A summary is text, whatever format the conversation sets.
    .map((item) => ('type' in item && item.type === 'configuration_update' ? { ...item, text: null } : item))
  return { ...rest, tool_choice: 'none', input: [...conversation, { role: 'user', content: SUMMARY_INSTRUCTIONS }] }
}
