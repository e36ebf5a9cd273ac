import { RequestError, withParam } from '../../../../shared/request-error.js'

/**
 * Rebases an error from the whole conversation onto the request: an item of the request gets the client's index, and an
 * item of an earlier response becomes `previous_response_id`.
 *
 * @param places - for each item of the conversation, its index in the request; undefined for an item of an earlier response
 */
export function rebase(error: unknown, places: readonly (number | undefined)[]): unknown {
  if (!(error instanceof RequestError) || error.param === null) return error
  return withParam(error, rebaseParam(error.param, places))
}

/** Rebases one parameter: see {@link rebase}. */
export function rebaseParam(param: string, places: readonly (number | undefined)[]): string {
  const [at, index] = /^input\[(\d+)\]/.exec(param) ?? []
  if (at === undefined) return param
  const own = places[Number(index)]
  return own === undefined ? 'previous_response_id' : param.replace(at, `input[${own}]`)
}
