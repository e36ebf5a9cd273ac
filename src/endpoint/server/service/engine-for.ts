import type { TokenEngine } from '../../../engines/contract/index.js'
import { sha256 } from '../../../shared/system/sha256.js'
import { ANONYMOUS, type Caller } from './caller.js'
import type { ServiceOptions } from './options.js'
import type { Setup } from './setup.js'

/**
 * Returns the engine of a model, with what each call of this caller tells it: the request's trace context, and a salt that
 * separates the owner's part of the prefix cache. The salt is a hash, so that an engine's log does not name owners.
 *
 * @throws RequestError if there is no such model
 */
export async function engineFor(
  { engineOf, options }: Setup,
  model: string,
  { owner, trace }: Pick<Caller, 'owner' | 'trace'>,
): Promise<TokenEngine> {
  const engine = engineOf(model)
  const cacheSalt = await cacheSaltOf(options, owner)
  if (cacheSalt === undefined && trace === undefined) return engine
  const given = { ...(trace && { trace }), ...(cacheSalt !== undefined && { cacheSalt }) }
  const { capabilities } = engine
  return {
    generate: (prompt, options) => engine.generate(prompt, { ...given, ...options }),
    health: (options) => engine.health(options),
    ...(capabilities && { capabilities: (options) => capabilities.call(engine, options) }),
  }
}

/** Returns the salt of an owner's part of the prefix cache; undefined if all owners share it. */
export async function cacheSaltOf(
  { sharedPrefixCache }: Pick<ServiceOptions, 'sharedPrefixCache'>,
  owner: string,
): Promise<string | undefined> {
  if (owner === ANONYMOUS || sharedPrefixCache === true) return undefined
  return await sha256(`prefix cache of ${owner}`)
}
