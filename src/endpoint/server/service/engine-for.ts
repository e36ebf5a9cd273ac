import type { TokenEngine } from '../../../engines/contract/index.js'
import { ANONYMOUS, type Caller } from './caller.js'
import type { Setup } from './setup.js'
import { sha256 } from './sha256.js'

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
  const isShared = owner === ANONYMOUS || options.sharedPrefixCache === true
  if (isShared && trace === undefined) return engine
  const cacheSalt = isShared ? undefined : await sha256(`prefix cache of ${owner}`)
  const given = { ...(trace && { trace }), ...(cacheSalt !== undefined && { cacheSalt }) }
  const { capabilities } = engine
  return {
    generate: (prompt, options) => engine.generate(prompt, { ...given, ...options }),
    health: (options) => engine.health(options),
    ...(capabilities && { capabilities: (options) => capabilities.call(engine, options) }),
  }
}
