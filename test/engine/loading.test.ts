import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLlamaCppEngine } from '../../src/engines/sources/llama-cpp.js'
import { encodeHarmony } from '../support/tokens.js'
import { drain } from './drain.js'
import { cpuLlama, models } from './model.js'
import { plainAnswer } from './scripts.js'

const llama = await cpuLlama()
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'model-'))
})

afterEach(() => rm(folder, { recursive: true }))

afterAll(() => llama.dispose())

describe('an engine', () => {
  test('an engine loads llama.cpp itself if it is given none', async () => {
    const engine = await createLlamaCppEngine({ modelPath: models.sure, gpu: false, threads: 1, contextSize: 256 })
    const { ids } = await drain(engine.generate(encodeHarmony(plainAnswer.prompt)))
    expect(ids).toEqual(encodeHarmony(plainAnswer.answer))
    await engine.dispose()
  })

  test('an engine reports its backend and its memory', async () => {
    const engine = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 512, parallel: 2 })
    expect(engine).toMatchObject({ gpu: false, contextSize: 512, parallel: 2 })
    await expect(engine.health()).resolves.toBeUndefined()
    await engine.dispose()
  })

  test('loading a model reports its progress', async () => {
    const shares: number[] = []
    const onProgress = (share: number): void => void shares.push(share)
    const engine = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 256, onProgress })
    await engine.dispose()
    expect(shares.at(-1)).toBe(1)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
  })

  test('loading a model stops when it is aborted', async () => {
    const abort = new AbortController()
    const onProgress = (): void => abort.abort(new Error('changed my mind'))
    const loading = createLlamaCppEngine({ modelPath: models.sure, llama, signal: abort.signal, onProgress })
    await expect(loading).rejects.toThrow('changed my mind')
  })

  test.for([
    ['<|call|>', '<|cull|>', '<|call|> as token 200012, got no token'],
    ['Website', 'Webcite', 'token 42586 to be "Website", got "Webcite"'],
  ] as const)('loading refuses a model in whose vocabulary %s is %s', async ([own, other, expected]) => {
    const model = await readFile(models.sure)
    model.write(other, model.indexOf(ggufString(own)) + LENGTH_BYTES)
    const modelPath = join(folder, 'model.gguf')
    await writeFile(modelPath, model)
    await expect(createLlamaCppEngine({ modelPath, llama, contextSize: 256 })).rejects.toMatchObject({
      name: 'HarmonyResponsesError',
      code: 'bad_option',
      message: `modelPath: expected a gpt-oss model with the o200k_harmony vocabulary: ${expected}`,
    })
  })

  test.for([
    ['there is no file', undefined],
    ['the file is not a model', 'not a model'],
  ] as const)('loading fails if %s', async ([, text]) => {
    const modelPath = join(folder, 'model.gguf')
    if (text !== undefined) await writeFile(modelPath, text)
    await expect(createLlamaCppEngine({ modelPath, llama })).rejects.toMatchObject({
      name: 'EngineError',
      code: 'server_error',
    })
  })
})

const LENGTH_BYTES = 8

/** A text as the file encodes it: its length, then its bytes. */
function ggufString(text: string): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, Buffer.from(text)])
}
