import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import type { TranslatorOptions } from '../../core/options/options.js'
import { type PolicyName, policies } from '../../core/recipients/policy.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import type { HarmonyToken, HostMessage, StreamEnd } from '../../core/tokens/token-source.js'
import { describe, HarmonyResponsesError } from '../../shared/errors.js'

/** A token chunk as JSON: a `Uint32Array` becomes an array. */
export type FixtureChunk =
  | HarmonyToken
  | readonly HarmonyToken[]
  | string
  /** Tokens of the host, as `HostTokens` has them. */
  | { readonly host: readonly number[] | string | HostMessage }

/** The translator's options besides the request, as data. */
export interface FixtureSetup
  extends Pick<TranslatorOptions, 'mcpListings' | 'approvedCalls' | 'mcpApproval' | 'reasoning' | 'responseMessages'> {
  /** The recipient policy: a preset's name. */
  readonly policy?: PolicyName
  /** Whether citation marks become annotations. */
  readonly citations?: boolean
}

/** A captured or handmade token stream, as one JSON file. Other keys are ignored. */
export interface TokenFixture {
  readonly version: 1
  /** A name, for people. */
  readonly name: string
  /** Where it came from: an engine, a bug report, or written by hand. */
  readonly origin?: string
  /** The Responses create request that the stream answers. A recording omits secrets and input. */
  readonly request?: ResponseRequest
  /** The server's knowledge besides the request and the tokens. */
  readonly setup?: FixtureSetup
  /** Start of the response, in Unix seconds. */
  readonly created_at?: number
  /** The chunks, split as they were captured. */
  readonly tokens: readonly FixtureChunk[]
  /** The return value of the source. */
  readonly end?: StreamEnd
}

// The description of each schema states its expectation, which becomes the middle of the error message.
const TOKEN_ID = 'a token id (a whole number from 0)'
const tokenId = z.int(TOKEN_ID).nonnegative(TOKEN_ID)
const string = z.string('a string')
// An engine may exclude a token. JSON writes the logarithm of 0 as null.
const logprob = z.preprocess(
  (value) => (value === null ? -Infinity : value),
  z.custom<number>((value) => typeof value === 'number', 'a number'),
)
const count = z.int('a token count').nonnegative('a token count')

const topLogprob = z.object({ id: tokenId, logprob }, '{id, logprob}')
const scoredToken = z.object(
  { id: tokenId, logprob: logprob.exactOptional(), topLogprobs: z.array(topLogprob, 'an array').exactOptional() },
  '{id, logprob}',
)
const hostMessage = z.object({ author: string, text: string, channel: string.exactOptional() }, '{author, text}')
const hostTokens = z.object(
  { host: z.union([z.array(tokenId), string, hostMessage], 'an array of token ids, text, or {author, text}') },
  '{host}',
)
const token = z.union([tokenId, scoredToken], `${TOKEN_ID} or {id, logprob}`)
const chunk = z.union(
  [tokenId, z.array(token), string, hostTokens, scoredToken],
  `${TOKEN_ID}, an array of them, {id, logprob}, text or {host}`,
)

const request = z.looseObject(
  {
    model: string.exactOptional(),
    tools: z
      .array(z.looseObject({ type: string }, 'a tool'), 'an array of tools')
      .nullable()
      .exactOptional(),
    include: z.array(string, 'an array of strings').nullable().exactOptional(),
  },
  'a Responses create request',
)

const usage = z.object(
  {
    inputTokens: count.exactOptional(),
    cachedTokens: count.exactOptional(),
    outputTokens: count.exactOptional(),
    reasoningTokens: count.exactOptional(),
  },
  'token counts',
)

const listedTool = z.looseObject({ name: string, description: string.nullable().exactOptional() }, 'a tool')
const listing = z.object(
  {
    serverLabel: string,
    tools: z.array(listedTool, 'an array of tools').exactOptional(),
    error: string.exactOptional(),
  },
  '{serverLabel, tools} or {serverLabel, error}',
)
const approvedCall = z.object(
  { approvalRequestId: string, serverLabel: string, name: string, arguments: string },
  '{approvalRequestId, serverLabel, name, arguments}',
)

const policyNames = Object.keys(policies) as PolicyName[]

const setup = z.object(
  {
    policy: z.enum(policyNames, `one of ${policyNames.join(', ')}`).exactOptional(),
    mcpApproval: z.enum(['always', 'never'], 'always or never').exactOptional(),
    mcpListings: z.array(listing, 'an array of listings').exactOptional(),
    approvedCalls: z.array(approvedCall, 'an array of calls').exactOptional(),
    reasoning: z.enum(['raw', 'summary', 'both', 'hidden'], 'raw, summary, both or hidden').exactOptional(),
    responseMessages: z.boolean('true or false').exactOptional(),
    citations: z.boolean('true or false').exactOptional(),
  },
  '{policy, mcpApproval, mcpListings, approvedCalls, reasoning, responseMessages, citations}',
)

const end = z.object(
  {
    reason: z
      .enum(['stop', 'max_output_tokens', 'content_filter'], 'stop, max_output_tokens or content_filter')
      .exactOptional(),
    usage: usage.exactOptional(),
  },
  '{reason, usage}',
)

/** The shape of a {@link TokenFixture}. Its messages are meant for {@link parseTokenFixture}. */
const tokenFixtureSchema: z.ZodType<TokenFixture> = z.object(
  {
    version: z.literal(1, '1'),
    name: string,
    origin: string.exactOptional(),
    request: request.exactOptional(),
    setup: setup.exactOptional(),
    created_at: z.number('unix seconds').exactOptional(),
    tokens: z.array(chunk, 'an array of token chunks'),
    end: end.exactOptional(),
  },
  'a token fixture',
)

/**
 * Checks that a value is a token fixture, and copies its known fields.
 *
 * @throws HarmonyResponsesError `bad_fixture`, in one line: `tokens[3]: expected a token id ..., got -1`
 *
 * @example
 * ```ts
 * import { parseTokenFixture } from 'harmony-responses/sources/replay'
 *
 * const fixture = parseTokenFixture({ version: 1, name: 'hi', tokens: [200005, 17196, 200008, 12194, 0, 200002] })
 * console.log(fixture.tokens.length) // 6
 * ```
 */
export function parseTokenFixture(value: unknown): TokenFixture {
  const { data, error } = tokenFixtureSchema.safeParse(value, { reportInput: true })
  if (data !== undefined) return data
  const [first] = error.issues
  if (first === undefined) throw error
  const { path, message, input } = sharpest(first)
  const place = path.length === 0 ? 'fixture' : toDotPath(path)
  throw new HarmonyResponsesError('bad_fixture', `${place}: expected ${message}, got ${describe(input)}`)
}

/**
 * Reads the text of a token fixture's file.
 *
 * @throws HarmonyResponsesError `bad_fixture`, in one line: where the JSON is invalid, or as {@link parseTokenFixture}
 *
 * @example
 * ```ts
 * import { readTokenFixture } from 'harmony-responses/sources/replay'
 *
 * const fixture = readTokenFixture(json)
 * console.log(fixture.name) // plain-answer
 * ```
 */
export function readTokenFixture(text: string): TokenFixture {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    // JavaScript engines quote the position or the surrounding text, which may contain line breaks.
    const reason = (error as Error).message.replace(/[\s\p{Cc}]+/gu, ' ')
    throw new HarmonyResponsesError('bad_fixture', `fixture: expected JSON, got invalid JSON: ${reason}`)
  }
  return parseTokenFixture(value)
}

/** The deepest issue of a union without a matching branch, because its branch fits best. */
function sharpest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  return issue.errors
    .flat()
    .map((inner) => sharpest({ ...inner, path: [...issue.path, ...inner.path] }))
    .filter(({ input }) => input !== undefined)
    .reduce<z.core.$ZodIssue>((best, inner) => (inner.path.length > best.path.length ? inner : best), issue)
}
