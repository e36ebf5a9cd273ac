import type { EngineServer } from '../../../engines/contract/engine-server.js'
import { type Fields, isFields } from '../../../shared/fields.js'
import { outOfRange } from '../../../shared/request-error.js'
import { notAnObject } from '../../request/parse-request.js'
import { modelOfAlias } from '../model-aliases.js'
import { cacheSaltOf } from './engine-for.js'
import type { Setup } from './setup.js'

/** The fields of all known servers that separate prefix caches: with a salt of another owner, a client could test guesses. */
const SALTS: readonly string[] = ['cache_salt', 'extra_key']

/**
 * Returns a body as the engine's server gets it: the name of its own model in place of one of ours, and the salt of the
 * owner's part of the prefix cache in place of the client's. All else is the client's.
 *
 * @throws RequestError if it is no object, or has a number that JavaScript would change; EngineError
 */
export async function passedBody(
  { models, options }: Pick<Setup, 'models' | 'options'>,
  server: EngineServer,
  body: unknown,
  { owner, signal }: { readonly owner: string; readonly signal: AbortSignal },
): Promise<Fields> {
  if (!isFields(body)) throw notAnObject(body)
  for (const [name, value] of Object.entries(body)) checkNumber(name, value)
  const salt = await cacheSaltOf(options, owner)
  const own = salt === undefined ? body : withoutSalts(body)
  const { cacheSaltField } = server
  return {
    ...own,
    ...(await modelField(body['model'], models, () => server.models(signal))),
    ...(salt !== undefined && cacheSaltField !== undefined && { [cacheSaltField]: salt }),
  }
}

/** A seed may have 64 bits, and would reach the engine rounded. */
function checkNumber(name: string, value: unknown): void {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return
  const bound = value < 0 ? { min: Number.MIN_SAFE_INTEGER } : { max: Number.MAX_SAFE_INTEGER }
  throw outOfRange(name, 'integer', bound, value)
}

function withoutSalts(body: Fields): Fields {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !SALTS.includes(name)))
}

/** A name that the server itself has, or that is none of ours, stays as it is. */
async function modelField(
  given: unknown,
  models: readonly string[],
  namesOf: () => Promise<readonly string[]>,
): Promise<Fields> {
  const isOurs = models.includes(given as string) || modelOfAlias(given, models) !== undefined
  if (!isOurs) return {}
  const names = await namesOf()
  const [own] = names
  return own === undefined || names.includes(given as string) ? {} : { model: own }
}
