import type { Classifier } from './classify.js'
import { type DeclaredTools, declareTools } from './declared-tools.js'
import { type Formatted, narrowToFormat } from './format-classifier.js'
import { looseNames } from './loose-names.js'
import type { RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'
import { createRequestClassifier } from './request-classifier.js'
import { addressOf, functionSpellings, mcpSpellings } from './spellings.js'
import { type DemandedCall, FREE_CHOICE, type ToolChoice } from './tool-choice.js'
import { hintsOf, type Listed } from './tool-hints.js'

/** What of a request decides which tools there are, and what the model may call. */
export interface ToolsRequest extends Formatted {
  readonly tools?: Parameters<typeof declareTools>[0]
  readonly choice: ToolChoice
}

/** The tools that a translator needs. */
export interface ResolvedTools {
  readonly policy: RecipientPolicy
  readonly declared: DeclaredTools
  /** What a message of the model becomes. A call of what `tool_choice` excludes is unavailable. */
  readonly classify: Classifier
}

/**
 * The tools of a request, resolved: made once, by {@link resolveTools}, and handed to whatever teaches them, classifies
 * by them, or runs them.
 */
export interface RequestTools extends ResolvedTools {
  readonly choice: ToolChoice
  /** What the first turn has to call: of a request without tools nothing, whatever its `tool_choice`. */
  readonly demand: DemandedCall | undefined
  /** What a message of the conversation addressed: an earlier request had a `tool_choice` of its own. */
  readonly classifyPast: Classifier
  /** The recipient of a client's tool; of one that is not declared, the spelling that is a call of it nevertheless. */
  functionRecipient(name: string, namespace?: string): string
  mcpRecipient(serverLabel: string, name: string): string
}

/**
 * Resolves the tools of a request.
 *
 * @param listings - what its MCP servers listed
 * @throws HarmonyResponsesError `bad_option` if a tool is malformed
 */
export function resolveTools(
  { tools, choice, text }: ToolsRequest,
  listings: readonly Listed[],
  policy: RecipientPolicy,
): RequestTools {
  const declared = declareTools(tools, hintsOf(listings))
  const named = { declared, policy, namedLoosely: looseNames(declared, policy, listings) }
  const address = (callee: Recipient, spellings: readonly string[]): string | undefined =>
    addressOf(callee, spellings, declared, policy)
  return {
    policy,
    declared,
    choice,
    demand: (tools ?? []).length === 0 ? undefined : choice.demand,
    classify: narrowToFormat({ text }, createRequestClassifier({ ...named, choice })),
    classifyPast: createRequestClassifier({ ...named, choice: FREE_CHOICE }),
    functionRecipient(name, namespace) {
      const spellings = functionSpellings(name, namespace)
      const at = namespace === undefined ? {} : { namespace }
      const recipient =
        address({ kind: 'function_call', name, ...at, declared: true }, spellings) ??
        address({ kind: 'custom_tool_call', name, ...at }, spellings)
      return recipient ?? (spellings.at(-1) as string)
    },
    mcpRecipient(serverLabel, name) {
      const spellings = mcpSpellings(serverLabel, name)
      const recipient = address({ kind: 'mcp_call', serverLabel, name, available: true }, spellings)
      // A recipient of one word names both: `python`, which the request excluded.
      return recipient ?? (serverLabel === name ? name : (spellings[0] as string))
    },
  }
}
