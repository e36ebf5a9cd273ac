import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Llama, type LlamaContextSequence, type LlamaModel, readGgufFileInfo, type Token } from 'node-llama-cpp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPECIAL, VOCABULARY_SIZE } from '../../../src/core/harmony/vocabulary.js'
import { encodeHarmony } from '../../support/tokens.js'
import { cpuLlama, models } from '../model.js'
import { afterCall, ask, call, endless, endlessText, longPrompt, plainAnswer, splitEmoji } from '../scripts.js'
import { writeTinyGptOss } from './tiny-gpt-oss.js'

let llama: Llama
let model: LlamaModel
let sequence: LlamaContextSequence

beforeAll(async () => {
  llama = await cpuLlama()
  model = await llama.loadModel({ modelPath: models.sure })
  const context = await model.createContext({ contextSize: 2048 })
  sequence = context.getSequence()
})

afterAll(() => llama.dispose())

/** The engine's answer to a prompt, up to a token that ends the turn. */
async function generate(
  on: LlamaContextSequence,
  prompt: readonly number[],
  { maxTokens = 200, ...options }: { maxTokens?: number; temperature?: number } = {},
): Promise<number[]> {
  const tokens: number[] = []
  for await (const token of on.evaluate(prompt as Token[], { yieldEogToken: true, ...options })) {
    tokens.push(token)
    if (on.model.isEogToken(token) || tokens.length === maxTokens) break
  }
  return tokens
}

/** The same, with nothing before the prompt. */
async function generateAfresh(
  ...[prompt, options]: [readonly number[], { maxTokens?: number; temperature?: number }?]
) {
  await sequence.clearHistory()
  return generate(sequence, prompt, options)
}

describe('the file of a tiny gpt-oss', () => {
  test('the file of a tiny gpt-oss is read by others as a gpt-oss model with the vocabulary o200k_harmony', async () => {
    const { metadata, tensorCount } = await readGgufFileInfo(models.sure, { logWarnings: false })
    expect(metadata.general.architecture).toBe('gpt-oss')
    expect(tensorCount).toBe(3 + 2 * 19)
    expect(metadata.tokenizer.ggml.tokens).toHaveLength(VOCABULARY_SIZE)
    expect(metadata.tokenizer.ggml.tokens[SPECIAL.channel]).toBe('<|channel|>')
  })

  test('the file of a tiny gpt-oss has at most 50 MB', async () => {
    expect((await stat(models.sure)).size).toBeLessThan(50e6)
  })
})

describe('the engine knows the vocabulary of a tiny gpt-oss', () => {
  test('the engine recognizes the vocabulary of a tiny gpt-oss by its texts, in any script', () => {
    const text = 'Bücher, 書籍 and हिन्दी 🌦️\n\t"\u0000\u00ad"'
    expect(model.detokenize(encodeHarmony(text) as Token[])).toBe(text)
  })

  test('the engine recognizes the vocabulary of a tiny gpt-oss by its special tokens', () => {
    for (const [name, id] of Object.entries(SPECIAL)) expect(model.tokenize(`<|${name}|>`, true)).toEqual([id])
  })

  test('the engine knows which tokens of a tiny gpt-oss end a turn', () => {
    const ending = Object.entries(SPECIAL).filter(([, id]) => model.isEogToken(id as Token))
    expect(ending.map(([name]) => name)).toEqual(['endoftext', 'return', 'call'])
  })
})

describe('a tiny gpt-oss on the real engine', () => {
  test.for([0, 1])(
    'a tiny model writes its script, special tokens included, at temperature %s',
    async (temperature) => {
      const said = await generateAfresh(encodeHarmony(call.prompt), { temperature })
      expect(said).toEqual(encodeHarmony(call.answer))
    },
  )

  test('a tiny gpt-oss continues in a second turn', async () => {
    const first = await generateAfresh(encodeHarmony(call.prompt))
    // The last token was sampled, but the engine has not seen it yet.
    const rest = encodeHarmony(afterCall.prompt).slice(encodeHarmony(call.prompt).length + first.length - 1)
    expect(await generate(sequence, rest)).toEqual(encodeHarmony(afterCall.answer))
  })

  test('a tiny gpt-oss writes tokens that are not text by themselves', async () => {
    expect(encodeHarmony('🌦️')).toEqual([64364, 99, 15148])
    expect(await generateAfresh(encodeHarmony(splitEmoji.prompt))).toEqual(encodeHarmony(splitEmoji.answer))
  })

  test('a tiny gpt-oss sees only the end of a long prompt', async () => {
    expect(await generateAfresh(longPrompt(plainAnswer, 1500))).toEqual(encodeHarmony(plainAnswer.answer))
  })

  test('a tiny gpt-oss never ends if its script comes back to its beginning', async () => {
    const said = await generateAfresh(encodeHarmony(endless.prompt), { maxTokens: 200 })
    const header = encodeHarmony('<|channel|>final<|message|>')
    expect(said.slice(0, header.length)).toEqual(header)
    const text = model.detokenize(said.slice(header.length) as Token[])
    expect(text).toBe(endlessText(20).slice(0, text.length))
    expect(said).toHaveLength(200)
  })

  test('a tiny gpt-oss ends at once if nothing is scripted', async () => {
    expect(await generateAfresh(encodeHarmony(ask('Something else?')))).toEqual([SPECIAL.return])
  })
})

describe('a tiny gpt-oss of one script', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tiny-gpt-oss-'))
  })

  afterAll(() => rm(folder, { recursive: true }))

  test('a tiny model looks back as many tokens as configured, and writes its fallback if nothing matches', async () => {
    const modelPath = join(folder, 'one.gguf')
    const after = Array.from({ length: 14 }, (_, index) => 1000 + index)
    writeTinyGptOss(modelPath, { scripts: [{ after, emit: [5, 6, 7] }], history: 14, fallback: SPECIAL.endoftext })
    const other = await llama.loadModel({ modelPath })
    const context = await other.createContext({ contextSize: 256, sequences: 2 })

    expect(await generate(context.getSequence(), after)).toEqual([5, 6, 7, SPECIAL.endoftext])
    // Only the oldest of the tokens that it sees is another one.
    expect(await generate(context.getSequence(), [999, ...after.slice(1)])).toEqual([SPECIAL.endoftext])
    await other.dispose()
  })

  test('a tiny model without a fallback finds every token as likely where its script does not go on', async () => {
    const modelPath = join(folder, 'any.gguf')
    writeTinyGptOss(modelPath, { scripts: [{ after: [1000, 1001], emit: [5] }], fallback: 'any' })
    const other = await llama.loadModel({ modelPath })
    const sequence = (await other.createContext({ contextSize: 256 })).getSequence()

    const steps = sequence.evaluateWithMetadata(
      [1000, 1001] as Token[],
      { probabilities: true },
      { temperature: 1, topK: 0, topP: 1 },
    )
    expect((await steps.next()).value?.token).toBe(5)
    const likelihoods = [...((await steps.next()).value?.probabilities.values() ?? [])]
    expect(likelihoods).toHaveLength(VOCABULARY_SIZE)
    for (const likelihood of [Math.max(...likelihoods.slice(0, 9)), likelihoods.at(-1) ?? 0]) {
      expect(likelihood * VOCABULARY_SIZE).toBeCloseTo(1)
    }
    await other.dispose()
  })
})
