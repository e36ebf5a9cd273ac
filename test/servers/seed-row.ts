import { expect, test } from 'vitest'
import type { TokenEngine } from '../../src/engines/contract/index.js'
import { readTokens } from '../support/read-tokens.js'
import { encodeHarmony } from '../support/tokens.js'
import { freeAnswer } from './model/scripts.js'

/** A seed on a model that draws every token at random. */
export function seedRow(name: string, engine: () => TokenEngine): void {
  test(`a seed on ${name} draws the same tokens again, and another one others`, async () => {
    const prompt = encodeHarmony(freeAnswer.prompt + freeAnswer.answer)
    const drawn = async (seed: number) =>
      (await readTokens(engine().generate(prompt, { sampling: { seed }, maxTokens: 12 }))).tokens
    const first = await drawn(5)
    expect(first).not.toHaveLength(0)
    expect(await drawn(5)).toEqual(first)
    expect(await drawn(6)).not.toEqual(first)
  })
}
