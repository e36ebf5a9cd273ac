import { TRANSLATOR_OPTIONS } from '../../core/options/check-translate-options.js'
import { checkOptions, type OptionCheck, type OptionTable, picked } from '../../shared/options/check-options.js'
import {
  aboveZero,
  aFunction,
  anObject,
  anything,
  aSignal,
  aText,
  having,
  listOf,
  oneOf,
  optionsOf,
  wholeNumber,
} from '../../shared/options/checks.js'
import { RENDER_PROMPT_OPTIONS } from '../prompt/render-prompt.js'
import { anApprovalPolicy, anOffer } from './check-offered.js'
import { type RespondLimits, type RespondOptions, TRANSLATED, type TranslateEntriesOptions } from './options.js'

export const anEngine: OptionCheck = having(['generate', 'health'], 'a TokenEngine')
export const someTools: OptionCheck = listOf(having(['answers', 'run'], 'a tool'), 'an array of tools')

const RESPOND_LIMITS: OptionTable<RespondLimits> = {
  turns: wholeNumber(1),
  seconds: aboveZero,
  countedTokens: wholeNumber(1),
}

export const RESPOND_OPTIONS: OptionTable<RespondOptions> = {
  ...picked(TRANSLATOR_OPTIONS, TRANSLATED),
  ...picked(TRANSLATOR_OPTIONS, ['responseId', 'clock', 'tokenTable', 'approvedCalls']),
  ...picked(RENDER_PROMPT_OPTIONS, ['known', 'history', 'images', 'identity', 'knowledgeCutoff']),
  engine: anEngine,
  date: aFunction,
  began: wholeNumber(0),
  tools: someTools,
  owner: aText,
  offered: anOffer,
  approval: anApprovalPolicy,
  approvals: oneOf('ask', 'refuse'),
  maxSearches: wholeNumber(1),
  limits: optionsOf(RESPOND_LIMITS),
  engineRestarts: wholeNumber(0),
  delay: aFunction,
  pause: aFunction,
  sealForm: aFunction,
  sealCompaction: aFunction,
  append: aFunction,
  addition: anything,
  earlier: anything,
  entries: listOf(anObject, 'an array of entries'),
  admitted: having(['then'], 'a promise'),
  signal: aSignal,
  onOpen: aFunction,
  onProgress: aFunction,
  onUnsupportedConstraint: oneOf('relax', 'refuse'),
  onInvalidOutput: aFunction,
  returnedArguments: oneOf('text', 'objects'),
  onStopString: aFunction,
}

/** The options of {@link respond} mean the same here, or nothing. */
export const TRANSLATE_ENTRIES_OPTIONS: OptionTable<RespondOptions & TranslateEntriesOptions> = {
  ...RESPOND_OPTIONS,
  ...picked(TRANSLATOR_OPTIONS, ['trace']),
}

/** @throws HarmonyResponsesError `bad_option` */
export function checkRespondOptions(where: string, options: unknown): asserts options is RespondOptions {
  checkOptions<RespondOptions>(where, options, RESPOND_OPTIONS, ['engine', 'tokenTable'])
}
