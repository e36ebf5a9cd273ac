/**
 * The body of a create request, checked and typed. docs/request.md lists every parameter.
 *
 * @packageDocumentation
 */

export type { ParsedInputItem, ParsedRequest, ParsedToolChoice } from '../../core/responses/parsed-request.js'
export { RequestError, type RequestErrorBody, type RequestErrorCode } from '../../shared/request-error.js'
export type { RequestLimits } from './limits.js'
export { type ParseRequestOptions, parseRequest } from './parse-request.js'
