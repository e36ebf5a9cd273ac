import type { RecipientPolicy } from '../../core/recipients/policy.js'
import { type RequestTools, resolveTools } from '../../core/recipients/request-tools.js'
import { readToolChoice } from '../../core/recipients/tool-choice.js'
import type { OpenEntry } from '../journal/entry.js'
import { withTerms } from './offered.js'

/** Returns the tools of a response, from its first entry: for its translator, its budget and its calls. */
export function responseTools(
  { request, operator, listings, knownListings = [] }: OpenEntry,
  policy: RecipientPolicy,
): RequestTools {
  const { tools, tool_choice: choice, text } = withTerms(request, operator)
  return resolveTools({ tools, text, choice: readToolChoice(choice) }, [...listings, ...knownListings], policy)
}
