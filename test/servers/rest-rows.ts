import { expect, test } from 'vitest'
import type { FittedConstraint, TokenEngine } from '../../src/engines/contract/index.js'
import { compileSchema, createMatcher, matcherOf } from '../../src/engines/grammar/index.js'
import { atOnce } from '../../src/shared/slices.js'
import { readTokens } from '../support/read-tokens.js'
import { encodeHarmony, encodeText, tokenBytes } from '../support/tokens.js'
import { freeAnswer } from './model/scripts.js'
import { everyRest, type Rest } from './rests.js'
import { STRICT_SCHEMAS } from './strict-schemas.js'

/** How many tokens of a rest are sampled: mistakes show in the first ones. */
const MAX = 8
const AT_ONCE = 17

/**
 * Continues an interrupted body from each of its tokens: no grammar of a rest is refused, and the rest is constrained.
 *
 * @param known - the part of a continuation that shows what the model wrote, by default all of it
 */
export function restRows(name: string, engine: () => TokenEngine, known = (text: string): string => text): void {
  test(`a body of each schema is continued from every position on ${name}`, { timeout: 1_800_000 }, async () => {
    const held = await engine().capabilities?.({ constraints: true })
    const rests = [...everyRest()]
    const faults: string[] = []
    async function work(): Promise<void> {
      for (let rest = rests.shift(); rest !== undefined; rest = rests.shift()) {
        const fitted = atOnce(held?.fit?.(rest.constraint) ?? expect.fail('the engine fits nothing'))
        const fault = await continuation(rest, engine(), fitted.constraint).then(
          (said) => faultOf(rest, fitted, said, known(said)),
          (error: unknown) => String(error),
        )
        if (fault !== undefined) faults.push(`${rest.schema}: ${rest.before}|${fault}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    expect(faults).toEqual([])
  })
}

/** Returns what is wrong with a continuation: its text, or that there is none. */
function faultOf(
  { schema, before, canEnd }: Rest,
  { constraint, relaxed }: FittedConstraint,
  said: string,
  shown: string,
): string | undefined {
  if (said === '' && !canEnd) return 'ended at once'
  // Keywords that are reported as unsupported may be violated, but not what the engine was sent.
  const sent = constraint !== undefined && 'grammar' in constraint ? constraint.grammar : undefined
  const isSent = sent === undefined || createMatcher(sent).accept(shown) !== undefined
  return isSent && (relaxed.length > 0 || isBeginning(before + shown, schema)) ? undefined : said
}

async function continuation(
  { before }: Rest,
  engine: TokenEngine,
  constraint: Rest['constraint'] | undefined,
): Promise<string> {
  if (constraint === undefined) throw new Error('no constraint says what follows')
  const prompt = [...encodeHarmony(freeAnswer.prompt), ...encodeHarmony(freeAnswer.answer), ...encodeText(before)]
  const { tokens } = await readTokens(engine.generate(prompt, { constraint, maxTokens: MAX, sampling: { seed: 7 } }))
  // A character may be cut.
  const bytes = tokens.flatMap((token) => [...(tokenBytes(Number(token)) ?? [])])
  return new TextDecoder().decode(Uint8Array.from(bytes), { stream: true })
}

function isBeginning(text: string, schema: string): boolean {
  const { grammar } = atOnce(compileSchema(STRICT_SCHEMAS[schema] as object))
  return atOnce(matcherOf(grammar)).accept(text) !== undefined
}
