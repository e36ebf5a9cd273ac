import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import {
  type BuiltinTool,
  builtinNamed,
  builtinOfItem,
  builtinsCalled,
} from '../../../core/recipients/builtin-tools.js'
import type { Recipient } from '../../../core/recipients/recipient.js'
import type { RequestTools } from '../../../core/recipients/request-tools.js'
import type { DemandedCall } from '../../../core/recipients/tool-choice.js'
import { createDetokenizer } from '../../../core/tokens/detokenizer.js'
import { encoderOf } from '../../../core/tokens/encoder.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { OpenEntry } from '../../journal/entry.js'
import { developerText } from '../../prompt/developer-text.js'
import { renderMessages } from '../../prompt/render-messages.js'
import { isAnyOf } from './callees.js'

/**
 * A call that the request demands, as the host begins it. The model thinks first, since gpt-oss calls tools badly
 * otherwise; then the host writes the header of the call, as far as the request determines it, and the model continues.
 */
export interface ForcedCall {
  /** The beginning of the turn: the header of the model's reasoning. */
  readonly reasoning: readonly number[]
  /** The tokens after the reasoning: the header of the call, complete or up to the name that the model chooses. */
  readonly header: readonly number[]
  /** The recipients among which the model chooses the one after the header; absent if it is not constrained. */
  readonly names?: readonly string[]
  /** Whether the request demands one tool by name, and therefore one call. */
  readonly isNamed: boolean
  /** The message that reminds the model, once, if it makes no call. */
  readonly reminder: readonly number[]
  /** The client's error if it makes none after that. */
  readonly unmet: string
  /** Returns the rest of the header after a name. */
  restOf(name: string): readonly number[]
  /** Returns the text of ids. */
  textOf(tokens: readonly number[]): string
}

/** Whether one tool is demanded, by its name or type. */
function isNamed({ of }: DemandedCall): boolean {
  return of !== 'any' && of !== 'server'
}

/** Returns the demanded tool in the client's spelling. */
function demandText(demand: DemandedCall): string {
  if (demand.of === 'any') return 'a tool'
  if (demand.of === 'server') return demand.label === undefined ? "'mcp'" : `a tool of '${demand.label}'`
  return `'${demand.of === 'builtin' ? demand.type : demand.name}'`
}

/** Does not name the tool: the header of the call, which the host writes next, does. */
function reminderOf(tokenTable: TokenTable, isHarmony: boolean): readonly number[] {
  const instructions = `${REMINDER}${isHarmony ? HOW : '.'} Do not answer in words.`
  const content = developerText({ instructions, namespaces: [], formats: [] }) ?? instructions
  return Array.from(renderMessages([{ role: 'developer', content }], { tokenTable }).tokens)
}

const REMINDER = 'You did not call any of the tools that you were told of. You must call one now'
const HOW = ': write its name after "to=", and its arguments as JSON.'

/** A piece of a header: text, or a special token. */
type Piece = string | number

const JSON_BODY: readonly Piece[] = [' ', SPECIAL.constrain, 'json', SPECIAL.message]
const CODE_BODY: readonly Piece[] = [' code', SPECIAL.message]
const TEXT_BODY: readonly Piece[] = [SPECIAL.message]
const BODIES = { json: JSON_BODY, code: CODE_BODY, text: TEXT_BODY } as const

/** Returns the call that `tool_choice` demands; undefined if it leaves the choice to the model, or there is no tool. */
export function forcedCall(
  { callees = [], capabilities }: OpenEntry,
  tools: RequestTools,
  tokenTable: TokenTable,
): ForcedCall | undefined {
  const { demand } = tools
  if (demand === undefined) return undefined
  const [only, ...others] = callees
  const bodyOf = (recipient: string): readonly Piece[] => bodyOfKind(tools.classify(recipient, undefined).kind)
  let pieces = headerOf(demand, tools)
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
    isNamed: isNamed(demand),
    reminder: reminderOf(tokenTable, capabilities?.takes !== 'messages'),
    unmet: `The model did not call ${demandText(demand)}, although 'tool_choice' demands it.`,
    restOf: (name) => idsOf(bodyOf(name)),
    textOf(tokens) {
      const detokenizer = createDetokenizer(tokenTable)
      return tokens.map((id) => detokenizer.push(id)).join('') + detokenizer.flush()
    },
  }
}

/** Returns the channel on which the models were trained to call a tool, also for an MCP server that replaces it. */
function channelOf(recipient: string): string {
  const [call] = builtinsCalled(recipient)
  return call === undefined ? 'commentary' : builtinNamed(call.tool).channel
}

/** Returns the end of a call's header. */
function bodyOfKind(kind: Recipient['kind']): readonly Piece[] {
  const builtin = builtinOfItem(kind)
  if (builtin !== undefined) return BODIES[builtinNamed(builtin).body]
  return kind === 'custom_tool_call' ? TEXT_BODY : JSON_BODY
}

// A name that the model completes ends before its dot: `.search` is one token, and `.` another.
function headerOf(demand: DemandedCall, tools: RequestTools): readonly Piece[] | undefined {
  switch (demand.of) {
    case 'any':
      return ['commentary to=']
    case 'function':
      return [`commentary to=${tools.functionRecipient(demand.name)}`, ...JSON_BODY]
    case 'custom':
      return [`commentary to=${tools.functionRecipient(demand.name)}`, ...TEXT_BODY]
    case 'server':
      return [`commentary to=${demand.label ?? ''}`]
    case 'server_tool':
      return [`commentary to=${tools.mcpRecipient(demand.label ?? '', demand.name)}`, ...JSON_BODY]
    case 'builtin':
      return builtinHeader(demand.builtin)
  }
}

function builtinHeader(builtin: BuiltinTool | undefined): readonly Piece[] | undefined {
  if (builtin === undefined) return undefined
  const { address, channel, body } = builtinNamed(builtin)
  return [`${channel} to=${address}`, ...(isAnyOf(builtin) ? [] : BODIES[body])]
}
