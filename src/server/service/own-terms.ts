import { RequestError } from '../../request-error.js'

/**
 * An error about the whole conversation, in terms of the request: its own items are numbered as the client numbers them,
 * and what came before them is its `previous_response_id`.
 *
 * @param places - for each item of the conversation, where the request has it; undefined if it did not bring the item
 */
export function inOwnTerms(error: unknown, places: readonly (number | undefined)[]): unknown {
  if (!(error instanceof RequestError) || error.param === null) return error
  const param = paramInOwnTerms(error.param, places)
  if (param === error.param) return error
  const message = error.body.error.message.replaceAll(error.param, param)
  return new RequestError(message, { param, code: error.code, status: error.status })
}

/** A parameter of the whole conversation, in terms of the request: see {@link inOwnTerms}. */
export function paramInOwnTerms(param: string, places: readonly (number | undefined)[]): string {
  const [at, index] = /^input\[(\d+)\]/.exec(param) ?? []
  if (at === undefined) return param
  const own = places[Number(index)]
  return own === undefined ? 'previous_response_id' : param.replace(at, `input[${own}]`)
}
