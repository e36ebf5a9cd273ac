import { expect, test } from 'vitest'
import { FIRST_SPECIAL } from '../../src/core/harmony/vocabulary.js'
import type { Constraint, TokenEngine } from '../../src/engines/contract/index.js'
import { readTokens } from '../support/read-tokens.js'
import { decodeTokens, encodeHarmony } from '../support/tokens.js'
import { freeAnswer } from './model/scripts.js'

const SUM = 'start: number ("+" number)+\nnumber: "1" | "22" | "333"'

/** Lark grammars, which are sent as the client wrote them, on a model that draws every token at random. */
export function larkRows(name: string, engine: () => TokenEngine): void {
  const bodyOf = async (grammar: string, seed: number): Promise<string> => {
    const constraint: Constraint = { grammar, syntax: 'lark' }
    const prompt = encodeHarmony(freeAnswer.prompt + freeAnswer.answer)
    const { tokens } = await readTokens(engine().generate(prompt, { constraint, maxTokens: 12, sampling: { seed } }))
    return decodeTokens(tokens.map(Number).filter((id) => id < FIRST_SPECIAL))
  }

  test(`a Lark grammar holds a body on ${name}`, async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      // The limit may cut it.
      expect(await bodyOf(SUM, seed)).toMatch(/^(1|22|333)\+((1|22|333)\+)*(1|22?|33?3?)?$/)
    }
  })

  test(`a Lark grammar that cannot be read is refused on ${name}`, async () => {
    await expect(bodyOf('start: number', 1)).rejects.toMatchObject({ name: 'EngineError', code: 'invalid_prompt' })
  })
}
