import type { Listing } from '../options/mcp-listing.js'
import type { TranslatorOptions } from '../options/options.js'
import { resolvePolicy } from '../recipients/policy.js'
import { type ResolvedTools, resolveTools } from '../recipients/request-tools.js'
import { readToolChoice } from '../recipients/tool-choice.js'
import type { ResponseRequest } from '../responses/request.js'

type ToolOptions = Pick<TranslatorOptions, 'policy' | 'mcpApproval' | 'knownListings'>

export type ResolveTools = (
  request: ResponseRequest,
  listings: readonly Listing[],
  options: ToolOptions,
) => ResolvedTools

/**
 * Resolves the tools of a request.
 *
 * @throws HarmonyResponsesError `bad_option` if it declares an invalid tool
 */
export const resolveToolsOf: ResolveTools = (
  { tools, tool_choice, text },
  listings,
  { policy, mcpApproval, knownListings = [] },
) => {
  const request = { tools, text, choice: readToolChoice(tool_choice) }
  return resolveTools(request, [...listings, ...knownListings], resolvePolicy(policy, mcpApproval))
}
