import type { TokenEngine, UnsupportedConstraint } from '../../src/engines/contract/index.js'
import { compileSchema, createMatcher, type MatcherState, matcherOf } from '../../src/engines/grammar/index.js'
import { atOnce } from '../../src/shared/slices.js'
import { validatorOf } from '../support/json-schema-judge.js'
import { compacted, withoutExponents } from './blanks.js'

/** What a server enforces of a schema: all that was sent to it. */
export interface Enforced {
  readonly allows: (body: string) => boolean
  /** Whether an unfinished body can become an allowed one. */
  readonly isBeginning: (text: string) => boolean
}

/** Returns what is enforced of a schema of which something is relaxed. */
export async function enforcedBy(engine: TokenEngine, jsonSchema: object): Promise<Enforced> {
  const capabilities = await engine.capabilities?.({ constraints: true })
  if (capabilities?.fit === undefined) throw new Error('the engine fits nothing, but a keyword was relaxed')
  const { constraint, relaxed } = atOnce(capabilities.fit({ jsonSchema: { ...jsonSchema } }))
  if (constraint === undefined || 'regex' in constraint) throw new Error('a schema was sent as something else')
  if ('jsonSchema' in constraint) {
    const { allows, isBeginning } = bySchema(withHeldFormats(constraint.jsonSchema, relaxed))
    return { allows, isBeginning: (text) => isBeginning(withoutExponents(text)) }
  }
  const start = createMatcher(constraint.grammar)
  return {
    allows: (body) => start.accept(body)?.isComplete ?? false,
    isBeginning: (text) => start.accept(text) !== undefined,
  }
}

/** What is enforced by a schema without relaxed parts. */
export function bySchema(schema: object): Enforced {
  let start: MatcherState | undefined
  return {
    allows: (body) => validatorOf(schema)(JSON.parse(body)),
    isBeginning(text) {
      start ??= atOnce(matcherOf(atOnce(compileSchema(schema)).grammar))
      return start.accept(compacted(text)) !== undefined
    },
  }
}

/** Drops the formats if one of them is held in part: a backend may write 30 February, which is no date. */
function withHeldFormats(schema: object, relaxed: readonly UnsupportedConstraint[]): object {
  if (!relaxed.some(({ message }) => message.includes('a part of the format'))) return schema
  const isFormat = (keyword: string, value: unknown): boolean => keyword === 'format' && typeof value === 'string'
  return JSON.parse(JSON.stringify(schema, (keyword, value: unknown) => (isFormat(keyword, value) ? undefined : value)))
}
