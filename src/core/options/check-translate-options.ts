import { check, HarmonyResponsesError } from '../../shared/errors.js'
import { checkOptions, type OptionCheck, type OptionTable } from '../../shared/options/check-options.js'
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
import type { CitationStage } from '../citations/citation-stage.js'
import { createPages } from '../citations/pages.js'
import { aPolicy } from '../recipients/check-policy.js'
import type { McpListing } from '../responses/mcp-listing.js'
import type { ResponseRequest } from '../responses/request.js'
import type { HostUsage } from '../tokens/token-source.js'
import { checkList } from './check-list.js'
import { checkPages } from './check-pages.js'
import type { TranslateOptions, TranslatorOptions } from './options.js'
import { REASONING } from './reasoning-forms.js'

const tokens = wholeNumber(0, Number.MAX_SAFE_INTEGER, 'tokens')

const USAGE: OptionTable<HostUsage> = {
  inputTokens: tokens,
  cachedTokens: tokens,
  outputTokens: tokens,
  reasoningTokens: tokens,
}

const listings: OptionCheck = (value, path) => {
  checkList(path, value, ['serverLabel'])
  for (const { serverLabel, tools, error } of value as readonly McpListing[]) {
    checkList(`${path} of ${serverLabel}: tools`, tools, ['name'])
    check(typeof (error ?? '') === 'string', `${path} of ${serverLabel}: error`, 'a string', error)
  }
}

const aRequest: OptionCheck = (value, path) => {
  anObject(value, path)
  // A fetch Request has no `tools` or `model`, so it would be read as an empty request.
  check(!('json' in (value as object)), path, 'the parsed body (await request.json())', value)
  const include: unknown = (value as ResponseRequest).include ?? []
  const isList = Array.isArray(include) && include.every((what) => typeof what === 'string')
  check(isList, `${path}.include`, 'an array of strings', include)
}

/** Accepts a citation stage. */
const aCitationStage: OptionCheck = (value, path) => {
  aFunction(value, path)
  check(isStage(value as CitationStage), path, 'urlCitations()', value)
}

export const TRANSLATOR_OPTIONS: OptionTable<TranslatorOptions> = {
  responseId: aString,
  clock: aFunction,
  request: aRequest,
  tokenTable: aTokenTable,
  ids: aFunction,
  usage: optionsOf(USAGE),
  calls: oneOf('live', 'whole'),
  policy: aPolicy,
  mcpApproval: oneOf('always', 'never'),
  reasoning: oneOf(...Object.keys(REASONING)),
  sealReasoning: aFunction,
  sealApproval: aFunction,
  citations: aCitationStage,
  mcpListings: listings,
  knownListings: listings,
  knownFiles: anObject,
  knownPages: checkPages,
  approvedCalls: (value, path) => checkList(path, value, ['approvalRequestId', 'serverLabel', 'name', 'arguments']),
  knownContainerId: aString,
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
  checkOptions('Translator', options, TRANSLATOR_OPTIONS, ['responseId', 'clock'])
}

/**
 * @param where - the function that was called
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkTranslateOptions(where: string, options: unknown): void {
  checkOptions(where, options, TRANSLATE_OPTIONS, ['responseId', 'clock'])
}

/**
 * Checks the counts of a model call.
 *
 * @param where - the method that was called
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkUsage(where: string, usage: unknown): void {
  checkOptions(where, usage, USAGE, [], where)
}

/**
 * Whether it is a stage: a stage returns [] for empty input. `urlCitations` itself, passed without being called,
 * rejects that as its options.
 */
function isStage(citations: CitationStage): boolean {
  try {
    const result: unknown = citations(
      { held: '', tokens: [], length: 0 },
      { text: '', tokens: [], isLast: true },
      createPages(),
    )
    return Array.isArray(result)
  } catch (error) {
    if (error instanceof HarmonyResponsesError) return false
    throw error
  }
}
