import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLlamaCppEngine, type LlamaCppEngine } from '../../src/engines/sources/llama-cpp.js'
import { encodeHarmony } from '../support/tokens.js'
import { drain, take } from './drain.js'
import { cpuLlama, models } from './model.js'
import { endless, plainAnswer } from './scripts.js'

const llama = await cpuLlama()
let engine: LlamaCppEngine

beforeAll(async () => {
  engine = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 512 })
})

afterAll(() => llama.dispose())

const MIB = 1024 * 1024

/** A request that ends in one of the possible ways. */
async function request(number: number): Promise<void> {
  const abort = new AbortController()
  const stream = engine.generate(encodeHarmony(endless.prompt), { maxTokens: 3, signal: abort.signal })
  switch (number % 4) {
    case 0:
      await drain(stream)
      break
    case 1:
      await take(stream, 1)
      await stream.return()
      break
    case 2:
      await take(stream, 1)
      abort.abort(new Error('enough'))
      await expect(stream.next()).rejects.toThrow('enough')
      break
    case 3:
      await drain(engine.generate(encodeHarmony(plainAnswer.prompt), { maxTokens: 2, logprobs: 2 }))
  }
}

test('memory is stable over 1,000 requests, however they end', async () => {
  const megabytes = async (requests: number): Promise<number> => {
    for (let number = 0; number < requests; number++) await request(number)
    return process.memoryUsage.rss() / MIB
  }
  // During the first hundreds the allocators' pools still grow.
  const sizes = [await megabytes(250), await megabytes(250), await megabytes(250), await megabytes(250)]
  const growth = sizes.slice(1).map((size, index) => size - (sizes[index] as number))
  // A leak grows with every request; the allocators' pools and the collector's heap only occasionally. 100 MB are 0.4
  // MB a request: less than one state of the sampler, which has a number for each token of the vocabulary.
  expect(Math.min(...growth)).toBeLessThan(100)
})
