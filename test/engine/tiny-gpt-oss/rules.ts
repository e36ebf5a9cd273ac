import { showToken } from '../../support/tokens.js'

/** Tokens that the model emits, one after the other, when its context ends with `after`. */
export interface Script {
  /** The prompt. Only its last tokens matter, as many as the model looks back on; fewer hold in more contexts. */
  readonly after: readonly number[]
  readonly emit: readonly number[]
}

/** If the context ends with these tokens, this token follows. The longest matching rule decides. */
export interface Rule {
  /** The last tokens of the context, newest first. */
  readonly context: readonly number[]
  readonly next: number
}

/**
 * The rules by which a model emits scripts: one for each token, with the last `history` tokens before it.
 *
 * A script may run into a context that it had before. There it begins to repeat itself, for ever.
 *
 * @throws Error if a context would need two different tokens to follow
 */
export function compileRules(scripts: readonly Script[], history: number): Rule[] {
  const rules = new Map<string, Rule>()
  for (const { after, emit } of scripts) {
    if (after.length === 0) throw new Error('a script has to come after at least one token')
    const tokens = [...after, ...emit]
    for (const [index, next] of emit.entries()) {
      const at = after.length + index
      const context = tokens.slice(Math.max(0, at - history), at)
      const key = context.join()
      const other = rules.get(key)
      if (other !== undefined && other.next !== next) throw ambiguous(context, other.next, next)
      rules.set(key, { context: context.reverse(), next })
    }
  }
  return [...rules.values()]
}

function ambiguous(context: readonly number[], one: number, other: number): Error {
  const shown = context.map(showToken).join(' ')
  return new Error(
    `ambiguous scripts: after ${shown} would have to follow both ${showToken(one)} and ${showToken(other)}. ` +
      `Make the last ${context.length} tokens before them differ, or let the model look back further (history)`,
  )
}
