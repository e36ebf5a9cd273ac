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
import { REASONING } from '../translate/reasoning-forms.js'
import type { RespondLimits, RespondOptions } from './options.js'

export const aText: OptionCheck = that((value) => typeof value === 'string', 'a string')
export const anEngine: OptionCheck = having(['generate', 'health'], 'a TokenEngine')
export const aTokenTable: OptionCheck = that((value) => Object(value).text !== undefined, 'await loadTokenTable()')
export const aboveZero: OptionCheck = that((value) => typeof value === 'number' && value > 0, 'a number above 0')
export const someTools: OptionCheck = listOf(having(['answers', 'run'], 'a tool'), 'an array of tools')

const RESPOND_LIMITS: OptionTable<RespondLimits> = {
  turns: wholeNumber(1),
  seconds: aboveZero,
  countedTokens: wholeNumber(1),
}

export const RESPOND_OPTIONS: OptionTable<RespondOptions> = {
  engine: anEngine,
  tokenTable: aTokenTable,
  tools: someTools,
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
  returnedArguments: oneOf('text', 'objects'),
  usageByTurn: aBoolean,
  store: aBoolean,
  errorEvent: aBoolean,
  onOpen: aFunction,
  onProgress: aFunction,
  onUnsupportedConstraint: oneOf('relax', 'refuse'),
  onInvalidOutput: aFunction,
  onStopString: aFunction,
  onDiagnostic: aFunction,
  onError: aFunction,
}

/** @throws HarmonyResponsesError `bad_option` */
export function checkRespondOptions(where: string, options: unknown): asserts options is RespondOptions {
  checkOptions<RespondOptions>(where, options, RESPOND_OPTIONS, ['engine', 'tokenTable'])
}
