import type { Diagnostic } from '../../core/diagnostics/diagnostic.js'
import { UNKNOWN_POLICIES, UnknownParts, type UnknownPolicy } from '../../core/diagnostics/unknown-parts.js'
import { lookUp } from '../../core/recipients/policy.js'
import type { ParsedRequest } from '../../core/responses/parsed-request.js'
import { isFields } from '../../shared/fields.js'
import { merged } from '../../shared/merged.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, oneOf, optionsOf } from '../../shared/options/checks.js'
import {
  invalidType,
  missingParameter,
  RequestError,
  unknownParameter,
  unsupportedParameter,
} from '../../shared/request-error.js'
import { atOnce, createWork, type Slices, type Work } from '../../shared/slices.js'
import { checkConsistency } from './consistency.js'
import { type CheckedRequest, FIELDS, type Field, request } from './fields.js'
import { findUnknown } from './find-unknown.js'
import { errorOf } from './issue-error.js'
import { checkSize, REQUEST_LIMITS, type RequestLimits, resolveLimits } from './limits.js'
import { pathOf } from './path.js'
import { inSlices, type UnknownEntries } from './schemas/resumed.js'

/** Options of `parseRequest`. */
export interface ParseRequestOptions {
  /** The limits on the size of a request. Each has a default. */
  readonly limits?: RequestLimits
  /**
   * How to treat fields that no parameter, item or tool has, and items, tools and parts of content of types that nobody
   * knows. `skip` (default): they are left out, as clients of other servers and of newer APIs expect; of a part of
   * content the model reads its `text`, or its type. `refuse`: an error, as at OpenAI, which finds misspelled names.
   */
  readonly unknown?: UnknownPolicy
  /** Receives what was left out: one `unknown_input` for each request that has any. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void
}

export const PARSE_REQUEST_OPTIONS: OptionTable<ParseRequestOptions> = {
  limits: optionsOf(REQUEST_LIMITS),
  unknown: oneOf(...UNKNOWN_POLICIES),
  onDiagnostic: aFunction,
}

/**
 * Checks the body of a Responses create request, or a `response.create` message of a WebSocket.
 *
 * The result has every parameter in its type, without nulls and unknown fields, and can be passed to `translate`,
 * `toGenerateOptions` and `renderPrompt`. JSON Schemas in it are the body's own objects, not copies.
 *
 * @param body - the parsed JSON
 * @throws RequestError the client's mistake, in OpenAI's words
 * @throws HarmonyResponsesError `bad_option`: the body is not JSON, or an option is wrong
 *
 * @example
 * ```ts
 * import { parseRequest, RequestError } from 'harmony-responses/request'
 *
 * try {
 *   parseRequest({ model: 'gpt-oss', input: 'Say hi.', temperature: 'hot' })
 * } catch (error) {
 *   if (!(error instanceof RequestError)) throw error
 *   console.log(error.status, error.param, error.code) // 400 temperature invalid_type
 * }
 * ```
 */
export function parseRequest(body: unknown, options: ParseRequestOptions = {}): ParsedRequest {
  return atOnce(parseRequestInSlices(body, options, createWork()))
}

/** Does the same in slices. */
export function* parseRequestInSlices(
  body: unknown,
  options: ParseRequestOptions | undefined,
  work: Work,
): Slices<ParsedRequest> {
  checkOptions('parseRequest', options ?? {}, PARSE_REQUEST_OPTIONS)
  const { limits, unknown = 'skip', onDiagnostic } = options ?? {}
  yield* checkSize(body, resolveLimits(limits), work)
  if (!isFields(body)) throw notAnObject(body)
  checkNotChatCompletions(body)
  const parameters = readable(body)
  const isRefused = unknown === 'refuse'
  const entries: UnknownEntries = new Map()
  const result = yield* inSlices(() => request.safeParse(parameters), work, isRefused ? undefined : entries)
  if (!result.success) throw errorOf(result.error.issues, parameters)
  const found = new UnknownParts()
  yield* findUnknown(parameters, result.data, {
    ...{ entries, work },
    onUnknown(path, type) {
      if (isRefused) throw unknownParameter(pathOf(path))
      found.add(path, type)
    },
  })
  const diagnostic = found.diagnostic()
  if (diagnostic !== undefined) onDiagnostic?.(diagnostic)
  const parsed = normalized(result.data)
  checkConsistency(parsed)
  return parsed
}

/** Returns the error for a body that is no object. */
export function notAnObject(body: unknown): RequestError {
  const { message, code } = invalidType('body', 'an object', body)
  return new RequestError(message, { code })
}

/**
 * Returns the parameters that matter: those that are neither ignored nor blank. @throws RequestError for an unsupported
 * one
 */
function readable(body: { readonly [name: string]: unknown }): { readonly [name: string]: unknown } {
  const parameters = Object.entries(body).filter(([name, value]) => {
    const field: Field | undefined = lookUp(FIELDS, name)
    if (isBlank(name, value) || (field?.support === 'ignored' && field.schema === undefined)) return false
    if (field?.support === 'refused') throw unsupportedParameter(name)
    return true
  })
  return Object.fromEntries(parameters)
}

/**
 * Whether a value stands for an absent one: clients in some languages cannot omit a parameter. An empty input is an
 * input.
 */
function isBlank(name: string, value: unknown): boolean {
  if (value === '' && name !== 'input') return true
  return value == null || (isFields(value) && Object.keys(value).length === 0)
}

/** Renames old parameters, and drops those that only a WebSocket sends. */
function normalized({ type: _, reasoning, ...parsed }: CheckedRequest): ParsedRequest {
  const { generate_summary, ...otherSettings } = { ...reasoning }
  const settings = generate_summary === undefined ? otherSettings : { summary: generate_summary, ...otherSettings }
  const generate = parsed.prompt_cache_options?.prewarm === true ? { generate: false } : {}
  const entries = Object.entries(merged(parsed, { reasoning: settings, ...generate }))
  // An object whose fields were all null is blank by now.
  return Object.fromEntries(entries.filter(([name, value]) => !isBlank(name, value)))
}

/** Parameters of Chat Completions, and their names here. Ignoring them would change the client's answer. */
const MOVED: { readonly [name: string]: string } = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  functions: 'tools',
  function_call: 'tool_choice',
}

/**
 * Tells a client that speaks Chat Completions how to phrase its request here.
 *
 * @throws RequestError
 */
function checkNotChatCompletions(body: { readonly [name: string]: unknown }): void {
  for (const [name, moved] of Object.entries(MOVED)) {
    if (!Object.hasOwn(body, name) || body[name] == null) continue
    throw unsupportedParameter(name, `In the Responses API, this parameter has moved to '${moved}'.`)
  }
  const tools = Object.hasOwn(body, 'tools') && Array.isArray(body['tools']) ? body['tools'] : []
  for (const [index, tool] of tools.entries()) checkFlat(tool, `tools[${index}]`)
  if (Object.hasOwn(body, 'tool_choice')) checkFlat(body['tool_choice'], 'tool_choice')
}

/** Rejects a nested tool: `{ type, function: { name } }` is `{ type, name }` here. */
function checkFlat(tool: unknown, path: string): void {
  if (!isFields(tool) || tool['type'] !== 'function' || tool['name'] !== undefined || !isFields(tool['function']))
    return
  const { message, param, code } = missingParameter(`${path}.name`)
  const hint = `In the Responses API, the fields of '${path}.function' are fields of '${path}'.`
  throw new RequestError(`${message} ${hint}`, { param, code })
}
