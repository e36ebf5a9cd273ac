import { BROWSER, CONTAINER, PYTHON } from '../harmony/namespaces.js'
import { SPECIAL } from '../harmony/vocabulary.js'
import { developerText } from '../prompt/developer-text.js'
import { renderMessages } from '../prompt/render-messages.js'
import { teachTools } from '../prompt/taught-tools.js'
import { PATCH_RECIPIENT } from '../recipients/apply-patch.js'
import { undatedType } from '../recipients/builtin-tools.js'

import { declareTools } from '../recipients/declared-tools.js'
import { type PolicyName, type RecipientPolicy, resolvePolicy } from '../recipients/policy.js'
import { createRequestClassifier } from '../recipients/request-classifier.js'
import type { ResponseRequest } from '../responses/request.js'
import { createDetokenizer } from '../tokens/detokenizer.js'
import { encoderOf } from '../tokens/encoder.js'
import type { TokenTable } from '../tokens/token-table.js'

/**
 * A call that the request demands, as the host begins it. The model thinks first, since gpt-oss calls tools badly
 * without; then the host writes the header of the call, as far as the request decides it, and the model goes on.
 */
export interface ForcedCall {
  /** What the turn begins with: the header of the model's reasoning. */
  readonly reasoning: readonly number[]
  /** What follows the reasoning: the header of the call, whole or up to the name that the model chooses. */
  readonly header: readonly number[]
  /** The recipients that the model chooses from, one of which follows the header; absent if it is not held to any. */
  readonly names?: readonly string[]
  /** Whether the request demands one tool, by its name: one call is then what it demands. */
  readonly isNamed: boolean
  /** The message with which the model is reminded, once, if it makes no call. */
  readonly reminder: readonly number[]
  /** What the client is told if it makes none after that. */
  readonly unmet: string
  /** What follows a name: the rest of the header. */
  restOf(name: string): readonly number[]
  /** The text of ids. */
  textOf(tokens: readonly number[]): string
}

export interface ForcedCallOptions {
  readonly tokenTable: TokenTable
  readonly policy?: RecipientPolicy | PolicyName
  /** Those of the open entry. */
  readonly callees?: readonly string[] | undefined
}

/** Whether `tool_choice` demands one tool, by its name or by its type. */
function isNamed(choice: unknown): boolean {
  const { type, name } = Object(choice) as { readonly type?: string; readonly name?: unknown }
  return type !== undefined && type !== 'allowed_tools' && !(type === 'mcp' && name == null)
}

/** What `tool_choice` demands a call of, as the client wrote it. */
function demandOf(choice: unknown): string {
  const { type, name, server_label: label } = Object(choice) as { readonly [field: string]: unknown }
  if (type === undefined || type === 'allowed_tools') return 'a tool'
  return label != null && name == null ? `a tool of '${label}'` : `'${name ?? type}'`
}

/** Says nothing of the tool: the header of the call, which the host writes next, does. */
function reminderOf(tokenTable: TokenTable): readonly number[] {
  const content = developerText({ instructions: REMINDER, namespaces: [], formats: [] }) ?? REMINDER
  return Array.from(renderMessages([{ role: 'developer', content }], { tokenTable }).tokens)
}

const REMINDER =
  'You did not call any of the tools that you were told of. You must call one now: write its name after "to=", and its ' +
  'arguments as JSON. Do not answer in words.'

/** A piece of a header: text, or a special token. */
type Piece = string | number

const JSON_BODY: readonly Piece[] = [' ', SPECIAL.constrain, 'json', SPECIAL.message]
const CODE_BODY: readonly Piece[] = [' code', SPECIAL.message]
const TEXT_BODY: readonly Piece[] = [SPECIAL.message]

/** The call that `tool_choice` demands; undefined if it leaves the choice to the model, or there is no tool. */
export function forcedCall(request: ResponseRequest, options: ForcedCallOptions): ForcedCall | undefined {
  const { tokenTable, policy, callees = [] } = options
  const [only, ...others] = callees
  const bodyOf = bodiesOf(request, policy)
  let pieces = (request.tools ?? []).length === 0 ? undefined : headerOf(request, policy)
  if (pieces === undefined) return undefined
  if (others.length > 0) pieces = ['commentary to=']
  else if (only !== undefined) pieces = [`${channelOf(only)} to=${only}`, ...bodyOf(only)]
  const encode = encoderOf(tokenTable)
  const idsOf = (all: readonly Piece[]): number[] =>
    all.flatMap((piece) => (typeof piece === 'number' ? [piece] : encode(piece)))
  return {
    reasoning: idsOf([SPECIAL.channel, 'analysis', SPECIAL.message]),
    header: idsOf([SPECIAL.start, 'assistant', SPECIAL.channel, ...pieces]),
    ...(others.length > 0 && { names: callees }),
    isNamed: isNamed(request.tool_choice),
    reminder: reminderOf(tokenTable),
    unmet: `The model did not call ${demandOf(request.tool_choice)}, although 'tool_choice' demands it.`,
    restOf: (name) => idsOf(bodyOf(name)),
    textOf(tokens) {
      const detokenizer = createDetokenizer(tokenTable)
      return tokens.map((id) => detokenizer.push(id)).join('') + detokenizer.flush()
    },
  }
}

/** The channel on which the models were trained to call a tool. */
function channelOf(recipient: string): string {
  return recipient === PYTHON || recipient.startsWith(`${BROWSER}.`) ? 'analysis' : 'commentary'
}

/** How the header of a call ends, by its recipient. */
function bodiesOf(
  request: ResponseRequest,
  policy?: RecipientPolicy | PolicyName,
): (recipient: string) => readonly Piece[] {
  const tools = declareTools(request.tools)
  const classify = createRequestClassifier({ listings: [] }, tools, resolvePolicy(policy))
  return (recipient) => {
    switch (classify(recipient, undefined).kind) {
      case 'custom_tool_call':
      case 'apply_patch_call':
        return TEXT_BODY
      case 'code_interpreter_call':
      case 'web_search_call':
        return CODE_BODY
      default:
        return JSON_BODY
    }
  }
}

// A name that the model completes ends before its dot: `.search` is one token, and `.` another.
function headerOf(request: ResponseRequest, policy?: RecipientPolicy | PolicyName): readonly Piece[] | undefined {
  const { tool_choice: choice } = request
  if (choice === 'required') return ['commentary to=']
  if (typeof choice !== 'object' || choice === null) return undefined
  const { type, name, mode, server_label: label } = choice as { readonly [field: string]: string | undefined }
  const tools = teachTools({ tools: request.tools }, [], resolvePolicy(policy))
  switch (undatedType(type ?? '')) {
    case 'allowed_tools':
      return mode === 'required' ? ['commentary to='] : undefined
    case 'function':
      return [`commentary to=${tools.functionRecipient(name ?? '')}`, ...JSON_BODY]
    case 'custom':
      return [`commentary to=${tools.functionRecipient(name ?? '')}`, ...TEXT_BODY]
    case 'mcp':
      if (name == null) return [`commentary to=${label ?? ''}`]
      return [`commentary to=${tools.mcpRecipient(label ?? '', name)}`, ...JSON_BODY]
    case 'apply_patch':
      return [`commentary to=${PATCH_RECIPIENT}`, ...TEXT_BODY]
    case 'code_interpreter':
      return [`analysis to=${PYTHON}`, ...CODE_BODY]
    case 'web_search':
      return [`analysis to=${BROWSER}`]
    case 'shell':
    case 'local_shell':
      return [`commentary to=${CONTAINER}.exec`, ...JSON_BODY]
    default:
      return undefined
  }
}
