import { expect } from 'vitest'
import { type ParseRequestOptions, parseRequest, RequestError } from '../../../src/endpoint/request/index.js'

/** The error for a body. */
export function errorOf(body: unknown, options: ParseRequestOptions = {}): RequestError {
  try {
    parseRequest(body, options)
  } catch (error) {
    expect(error).toBeInstanceOf(RequestError)
    return error as RequestError
  }
  throw new Error(`no error: ${JSON.stringify(body).slice(0, 200)}`)
}

/** The error that a client gets for a body, in short: `param code: message`. */
export function refusal(body: unknown, options?: ParseRequestOptions): string {
  const { param, code, message } = errorOf(body, options).body.error
  return `${param} ${code}: ${message}`
}

/** A request with this one item. */
export function withItem(item: unknown): { input: unknown[] } {
  return { input: [item] }
}

/** A request with these tools. */
export function withTools(...tools: unknown[]): { input: string; tools: unknown[] } {
  return { input: 'hi', tools }
}

/** A body with a search of files by these filters. */
export function fileSearch(filters: unknown): { input: string; tools: unknown[] } {
  return { input: 'hi', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'], filters }] }
}
