import { check } from '../errors.js'
import { checkOptions, type OptionCheck, type OptionTable } from '../options/check-options.js'
import {
  aBoolean,
  aFunction,
  anObject,
  anything,
  aSignal,
  aString,
  having,
  listOf,
  oneOf,
  optionsOf,
  that,
  wholeNumber,
} from '../options/checks.js'
import { ATTACHMENT_POLICIES } from '../prompt/attachments.js'
import { undatedType } from '../recipients/builtin-tools.js'
import { declareMcpServer } from '../recipients/mcp-server.js'
import { REASONING } from '../translate/reasoning-forms.js'
import type { Offered } from './offered.js'
import type { RespondLimits, RespondOptions } from './options.js'

export const aText: OptionCheck = that((value) => typeof value === 'string', 'a string')
export const anEngine: OptionCheck = having(['generate', 'health'], 'a TokenEngine')
export const aTokenTable: OptionCheck = that((value) => Object(value).text !== undefined, 'await loadTokenTable()')
export const aboveZero: OptionCheck = that((value) => typeof value === 'number' && value > 0, 'a number above 0')
export const someTools: OptionCheck = listOf(having(['answers', 'run'], 'a tool'), 'an array of tools')

const aRule: OptionCheck = (rule, path) =>
  void declareMcpServer({ type: 'mcp', server_label: 'any', require_approval: rule as never }, `${path}: `)

export const anApprovalPolicy: OptionCheck = (value, path) => {
  check(value !== null, path, "'always', 'never', { always, never } or a function", value)
  if (typeof value !== 'function') aRule(value, path)
}

/** The types of tools that a host can run: others would be offered to no use. */
const OFFERED_TYPES: readonly string[] = ['mcp', 'web_search', 'code_interpreter', 'shell']

const anOfferedTool: OptionCheck = (tool, path) => {
  const { type, server_label: label } = Object(tool) as Readonly<Record<string, unknown>>
  const isKnown = typeof type === 'string' && OFFERED_TYPES.includes(undatedType(type))
  check(isKnown, path, `a tool of type ${OFFERED_TYPES.join(', ')}`, type ?? tool)
  if (type !== 'mcp') return
  check(typeof label === 'string' && label !== '', `${path}.server_label`, 'a label', label)
  declareMcpServer(tool as never, `${path}.`)
}

const OFFERED: OptionTable<Offered> = {
  tools: listOf(anOfferedTool, 'an array of tools'),
  instructions: aText,
  onClash: oneOf('refuse', 'client'),
  allowedTools: oneOf('narrow', 'ignore'),
}

export const anOffer: OptionCheck = optionsOf(OFFERED)

const RESPOND_LIMITS: OptionTable<RespondLimits> = {
  turns: wholeNumber(1),
  seconds: aboveZero,
  countedTokens: wholeNumber(1),
}

export const RESPOND_OPTIONS: OptionTable<RespondOptions> = {
  engine: anEngine,
  tokenTable: aTokenTable,
  tools: someTools,
  offered: anOffer,
  approval: anApprovalPolicy,
  approvals: oneOf('ask', 'refuse'),
  responseId: aString,
  clock: aFunction,
  limits: optionsOf(RESPOND_LIMITS),
  pause: aFunction,
  known: anObject,
  sealReasoning: aFunction,
  sealForm: aFunction,
  sealApproval: aFunction,
  sealCompaction: aFunction,
  approvedCalls: listOf(anObject, 'an array of approved calls'),
  append: aFunction,
  addition: anything,
  earlier: anything,
  entries: listOf(anObject, 'an array of entries'),
  signal: aSignal,
  history: listOf(anObject, 'an array of entries of the history'),
  images: oneOf(...ATTACHMENT_POLICIES),
  identity: aText,
  knowledgeCutoff: aText,
  // Checked where it is resolved: once for a response.
  policy: anything,
  mcpApproval: oneOf('always', 'never'),
  reasoning: oneOf(...Object.keys(REASONING)),
  citations: aFunction,
  containerId: aString,
  calls: oneOf('live', 'whole'),
  usageByTurn: aBoolean,
  store: aBoolean,
  errorEvent: aBoolean,
  onOpen: aFunction,
  onProgress: aFunction,
  onUnsupportedConstraint: oneOf('relax', 'refuse'),
  onInvalidOutput: aFunction,
  onDiagnostic: aFunction,
  onError: aFunction,
}

/** @throws HarmonyResponsesError `bad_option` */
export function checkRespondOptions(where: string, options: unknown): asserts options is RespondOptions {
  checkOptions<RespondOptions>(where, options, RESPOND_OPTIONS, ['engine', 'tokenTable'])
}
