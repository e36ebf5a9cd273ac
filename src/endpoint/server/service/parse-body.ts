import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import { createWork, withPauses } from '../../../shared/slices.js'
import { parseRequestInSlices } from '../../request/parse-request.js'
import type { Caller } from './caller.js'
import type { Setup } from './setup.js'

/** Parses a body as a request. @throws RequestError */
export async function parseBody(
  { options, notice, pause }: Setup,
  body: unknown,
  { signal }: Pick<Caller, 'signal'>,
): Promise<ParsedRequest> {
  const parsing = { ...options.request, onDiagnostic: notice }
  return await withPauses(parseRequestInSlices(body, parsing, createWork()), pause, signal)
}
