import { expect, test } from 'vitest'
import type { TokenEngine } from '../../src/engine/index.js'
import { compileSchema, matcherOf } from '../../src/grammar/index.js'
import { atOnce } from '../../src/slices.js'
import { readTokens } from '../support/read-tokens.js'
import { encodeHarmony, encodeText, tokenBytes } from '../support/tokens.js'
import { freeAnswer } from './model/scripts.js'
import { everyRest, type Rest } from './rests.js'
import { STRICT_SCHEMAS } from './strict-schemas.js'

/** How many tokens of a rest are sampled: mistakes show in the first ones. */
const MOST = 8
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
        const { before, schema } = rest
        const { constraint, relaxed } = atOnce(held?.fit?.(rest.constraint) ?? expect.fail('the engine fits nothing'))
        const said = await continuation(rest, engine(), constraint).then(known, (error: unknown) => String(error))
        // Keywords that are reported as unsupported may be violated.
        if (relaxed.length === 0 && !isBeginning(before + said, schema)) faults.push(`${schema}: ${before}|${said}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    expect(faults).toEqual([])
  })
}

async function continuation(
  { before }: Rest,
  engine: TokenEngine,
  constraint: Rest['constraint'] | undefined,
): Promise<string> {
  if (constraint === undefined) throw new Error('no constraint says what follows')
  const prompt = [...encodeHarmony(freeAnswer.prompt), ...encodeHarmony(freeAnswer.answer), ...encodeText(before)]
  const { tokens } = await readTokens(engine.generate(prompt, { constraint, maxTokens: MOST, sampling: { seed: 7 } }))
  // A character may be cut.
  const bytes = tokens.flatMap((token) => [...(tokenBytes(Number(token)) ?? [])])
  return new TextDecoder().decode(Uint8Array.from(bytes), { stream: true })
}

function isBeginning(text: string, schema: string): boolean {
  const { grammar } = atOnce(compileSchema(STRICT_SCHEMAS[schema] as object))
  return atOnce(matcherOf(grammar)).accept(text) !== undefined
}
