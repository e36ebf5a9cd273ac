import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import {
  aBoolean,
  aFunction,
  anObject,
  anything,
  aSignal,
  aString,
  aTokenTable,
  listOf,
  oneOf,
  optionsOf,
  wholeNumber,
} from '../../shared/options/checks.js'
import { aPolicy } from '../recipients/check-policy.js'
import type { HostUsage } from '../tokens/token-source.js'
import { checkList } from './check-list.js'
import { checkListings, type TranslateOptions, type TranslatorOptions } from './options.js'
import { REASONING } from './reasoning-forms.js'

/* Kept out of the core, whose own small table is in `options.ts`: this one would exceed its size. */

const tokens = wholeNumber(0, Number.MAX_SAFE_INTEGER, 'tokens')

const USAGE: OptionTable<HostUsage> = {
  inputTokens: tokens,
  cachedTokens: tokens,
  outputTokens: tokens,
  reasoningTokens: tokens,
}

export const TRANSLATOR_OPTIONS: OptionTable<TranslatorOptions> = {
  responseId: aString,
  clock: aFunction,
  request: anObject,
  tokenTable: aTokenTable,
  ids: aFunction,
  usage: optionsOf(USAGE),
  calls: oneOf('live', 'whole'),
  policy: aPolicy,
  mcpApproval: oneOf('always', 'never'),
  reasoning: oneOf(...Object.keys(REASONING)),
  sealReasoning: aFunction,
  sealApproval: aFunction,
  citations: aFunction,
  mcpListings: (value, path) => checkListings(path, value),
  knownListings: (value, path) => checkListings(path, value),
  knownFiles: anObject,
  approvedCalls: (value, path) => checkList(path, value, ['approvalRequestId', 'serverLabel', 'name', 'arguments']),
  containerId: aString,
  usageByTurn: aBoolean,
  store: aBoolean,
  responseMessages: aBoolean,
  inputMessages: listOf(anything, 'an array'),
  trustToolMessages: aBoolean,
  onDiagnostic: aFunction,
  onError: aFunction,
  errorEvent: aBoolean,
  trace: aFunction,
  parser: aFunction,
}

const TRANSLATE_OPTIONS: OptionTable<TranslateOptions> = { ...TRANSLATOR_OPTIONS, signal: aSignal }

/** @throws HarmonyResponsesError `bad_option` */
export function checkTranslatorOptions(options: unknown): void {
  checkOptions('Translator', options, TRANSLATOR_OPTIONS)
}

/**
 * @param where - the function that was called
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkTranslateOptions(where: string, options: unknown): void {
  checkOptions(where, options, TRANSLATE_OPTIONS)
}
