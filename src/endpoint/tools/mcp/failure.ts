import type { CallResult } from '../../../core/responses/call-result.js'
import { bounded } from './bounded.js'

const NO_RESULT = 'The MCP server answered with something that is not a tool result.'
export const NO_LIST = 'The MCP server could not list its tools.'
export const CANCELLED = 'The call was cancelled.'
export const LATE = 'The MCP server did not answer in time.'

/** A call that was not sent, because too many were running and waiting. */
export class ServerBusy extends Error {
  override readonly name = 'ServerBusy'

  constructor(concurrency: number, queue: number) {
    super(`A call was refused: ${concurrency} run at this server and ${queue} wait, the limit of both.`)
  }
}

/** An answer to a call that is not the result of a tool. */
export class NotAResult extends Error {
  override readonly name = 'NotAResult'

  constructor() {
    super(NO_RESULT)
  }
}

/** The data of the error for a lost connection: compared by identity, so that no server can forge it. */
export const LOST: object = Object.freeze({})

/** A failed call as the model sees it, and whether to inform the operator. */
export interface McpFailure {
  readonly error: NonNullable<CallResult['error']>
  /** Whether the server or its connection is at fault, rather than the call. */
  readonly isOperators: boolean
}

/**
 * Describes an error that the SDK threw. A server's own words about a call are passed on; any other message may contain
 * addresses and paths, and becomes a neutral sentence.
 *
 * @param max - the limit of the server's words, in bytes
 * @param conceal - removes secrets from these words. It gets all of them: a part may end within one
 */
export function mcpFailureOf(error: unknown, max: number, conceal: (text: string) => string): McpFailure {
  const cause = causeOf(error)
  if (cause !== 'refused') return { error: { message: SENTENCES[cause] }, isOperators: true }
  const { code, message } = error as { code: number; message: string }
  // Version 1 of the SDK prefixes the server's message with this.
  const words = message.replace(/^(?:MCP error -?\d+: )+/, '')
  return { error: { code, message: bounded(conceal(words), max) }, isOperators: false }
}

/** Whether the connection may be at fault, so that a new one is worth a try. A slow server does not count. */
export function isBrokenConnection(error: unknown): boolean {
  return ['gone', 'unreachable'].includes(causeOf(error))
}

/** Whether the server itself answered, with an error of the protocol. */
export function isRefusal(error: unknown): boolean {
  return causeOf(error) === 'refused'
}

/** Whether a server behind HTTP no longer knows the session, and therefore has not begun the call. */
export function isUnknownSession(error: unknown): boolean {
  const { name, code, status } = Object(error) as Readonly<Record<string, unknown>>
  return (status ?? (name === 'Error' ? code : undefined)) === 404
}

/** Whether the server expects other parameters as headers than its list of tools asked for: `HeaderMismatch` of MCP. */
export function isOutdatedTool(error: unknown): boolean {
  return causeOf(error) === 'refused' && (error as { readonly code?: unknown }).code === -32020
}

/** `refused`: by the server, with an error of the protocol. */
type Cause = 'refused' | 'late' | 'gone' | 'no result' | 'busy' | 'unreachable'

const SENTENCES: Readonly<Record<Exclude<Cause, 'refused'>, string>> = {
  late: LATE,
  gone: 'The MCP server closed the connection before it answered.',
  'no result': NO_RESULT,
  busy: 'The MCP server has too many calls to run.',
  unreachable: 'The MCP server could not be reached.',
}

/** The SDK's own codes: strings in version 2; in version 1, numbers that look like the protocol's. */
const CODES: Readonly<Record<'McpError' | 'SdkError', ReadonlyMap<unknown, Cause>>> = {
  McpError: new Map<unknown, Cause>([
    [-32001, 'late'],
    [-32000, 'gone'],
  ]),
  SdkError: new Map<unknown, Cause>([
    ['REQUEST_TIMEOUT', 'late'],
    ['CONNECTION_CLOSED', 'gone'],
    ['INVALID_RESULT', 'no result'],
  ]),
}

/** Classifies errors by name: there are two packages, each may be installed twice, and HTTP errors have numbers too. */
function causeOf(error: unknown): Cause {
  const { name, code, data } = Object(error) as Readonly<Record<string, unknown>>
  switch (name) {
    case 'ProtocolError':
      return data === LOST ? 'gone' : 'refused'
    case 'McpError':
      return CODES.McpError.get(code) ?? 'refused'
    case 'SdkError':
      return CODES.SdkError.get(code) ?? 'unreachable'
    // Version 1 throws the errors of its schemas.
    case 'ZodError':
    case '$ZodError':
      return 'no result'
    case 'NotAResult':
      return 'no result'
    case 'ServerBusy':
      return 'busy'
    case 'TimeoutError':
    case 'AbortError':
      return 'late'
    default:
      return 'unreachable'
  }
}
