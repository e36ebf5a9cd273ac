export { RequestError, type RequestErrorBody, type RequestErrorCode } from '../request-error.js'
export type { ParsedInputItem, ParsedRequest, ParsedToolChoice } from '../responses/parsed-request.js'
export type { RequestLimits } from './limits.js'
export { type ParseRequestOptions, parseRequest } from './parse-request.js'
