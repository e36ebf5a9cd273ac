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

/** The part of a request that determines which tools exist and which the model may call. */
export interface ToolsRequest extends Formatted {
  readonly tools?: Parameters<typeof declareTools>[0]
  readonly choice: ToolChoice
}

/** The tools that a translator needs. */
export interface ResolvedTools {
  readonly policy: RecipientPolicy
  readonly declared: DeclaredTools
  /** Classifies a message of the model. A call that `tool_choice` excludes is unavailable. */
  readonly classify: Classifier
}

/**
 * The resolved tools of a request: created by {@link resolveTools}, and passed to all code that teaches, classifies or
 * runs them.
 */
export interface RequestTools extends ResolvedTools {
  readonly choice: ToolChoice
  /**
   * The call that the first turn must make: none for a request without tools, even if its `tool_choice` demands one.
   */
  readonly demand: DemandedCall | undefined
  /** Classifies a message of the conversation so far: an earlier request had its own `tool_choice`. */
  readonly classifyPast: Classifier
  /**
   * Returns the recipient of a client's tool; for an undeclared one, the spelling that is still classified as a call of
   * it.
   */
  functionRecipient(name: string, namespace?: string): string
  mcpRecipient(serverLabel: string, name: string): string
}

/**
 * Resolves the tools of a request.
 *
 * @param listings - the listings of its MCP servers
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
      // A recipient of one word names both the server and the tool: `python`, which the request excluded.
      return recipient ?? (serverLabel === name ? name : (spellings[0] as string))
    },
  }
}
