import { describe, expect, test } from 'vitest'
import { loadTokenTable } from '../../../../src/core/tokens/load-token-table.js'
import type { Constraint } from '../../../../src/engines/contract/index.js'
import {
  createLlamaCppEngine,
  EngineError,
  type LlamaCppEngineOptions,
} from '../../../../src/engines/sources/llama-cpp.js'
import { HarmonyResponsesError } from '../../../../src/shared/errors.js'
import { atOnce } from '../../../../src/shared/slices.js'
import { constraintLaws } from '../../../support/constraint-laws.js'
import { FakeModel, type FakeSequence, fakeLlama, type Writes } from '../../../support/fake-llama.js'
import { encodeHarmony, m } from '../../../support/tokens.js'

const table = await loadTokenTable()
const head = encodeHarmony('<|start|>system<|message|>You are ChatGPT.<|end|>')
const ask = (text: string): number[] => [
  ...head,
  ...encodeHarmony(`<|start|>user<|message|>${text}<|end|><|start|>assistant`),
]
const answer = encodeHarmony('<|channel|>final<|message|>Hello there.<|return|>')

/** A model that answers every prompt. */
const replies: Writes = (tokens) => {
  const from = tokens.lastIndexOf(m.start) + 2
  return answer[tokens.length - from] ?? m.return
}

async function makeEngine(
  options: Partial<LlamaCppEngineOptions> = {},
  model: FakeModel = new FakeModel(table, replies),
) {
  const llama = fakeLlama(model)
  const engine = await createLlamaCppEngine({ modelPath: 'model.gguf', llama, ...options })
  return { engine, model, llama, sequences: (): FakeSequence[] => model.contexts[0]?.sequences ?? [] }
}

async function idsOf(tokens: AsyncIterable<unknown>): Promise<unknown[]> {
  const ids = []
  for await (const token of tokens) ids.push(token)
  return ids
}

async function errorOf(run: () => unknown): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  return undefined
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

constraintLaws('llama.cpp', async () => (await makeEngine()).engine, ['json_schema', 'regex', 'gbnf'])

describe('capabilities', () => {
  test('capabilities are the context length, and what can be written in GBNF', async () => {
    const { engine } = await makeEngine({ contextSize: 512 })
    const { fit: asFitted, ...rest } = (await engine.capabilities?.()) ?? {}
    expect(rest).toEqual({
      contextLength: 512,
      constraints: ['json_schema', 'regex', 'gbnf'],
      hasConstrainedLogprobs: true,
    })
    const of = (constraint: Constraint) => atOnce(asFitted?.(constraint) ?? expect.fail('none'))
    expect(of({ jsonSchema: { type: 'object' } }).relaxed).toEqual([])
    expect(of({ regex: '(?=a)' })).toMatchObject({ constraint: undefined, relaxed: [{ path: '' }] })
    const { relaxed } = of({ jsonSchema: { properties: { a: { uniqueItems: true } } } })
    expect(relaxed.map(({ path }) => path)).toEqual(['/properties/a/uniqueItems'])
  })

  test('a constraint needs node-llama-cpp, whose absence costs the sequence nothing', async () => {
    const { engine } = await makeEngine()
    const error = await errorOf(() => engine.generate(ask('Hi.'), { constraint: { regex: 'a' } }).next())
    expect(error).toMatchObject({ name: 'EngineError', message: expect.stringContaining('node-llama-cpp') })
    expect(await idsOf(engine.generate(ask('Hi.')))).toEqual(answer)
  })
})

describe('loading', () => {
  test('loading reports its progress, and gives the context the requested options', async () => {
    const shares: number[] = []
    const { engine, model, llama } = await makeEngine({
      onProgress: (share) => shares.push(share),
      contextSize: 512,
      parallel: 3,
      threads: 2,
      gpuLayers: 5,
    })
    expect(shares).toEqual([0.5, 1])
    expect(llama.loaded).toMatchObject([{ modelPath: 'model.gguf', gpuLayers: 5 }])
    expect(model.createOptions).toEqual({ contextSize: 512, sequences: 3, swaFullCache: true, threads: 2 })
    expect(engine).toMatchObject({ gpu: false, contextSize: 512, parallel: 3 })
  })

  test('loading leaves unspecified options to llama.cpp', async () => {
    const { model } = await makeEngine({ swaFullCache: false })
    expect(model.createOptions).toEqual({ contextSize: 'auto', sequences: 1, swaFullCache: false })
  })

  test.each([
    [
      '<|channel|> as token 200005, got no token',
      {
        tokenize: (text: string) =>
          text === '<|channel|>' ? [1, 2] : [...new FakeModel(table, replies).tokenize(text)],
      },
    ],
    ['<|startoftext|> as token 199998, got 5', { tokenize: () => [5] }],
    ['token 199', { detokenize: () => 'other' }],
    ['201088 tokens, got 1000', { iterateAllTokens: () => new Uint8Array(1000) }],
  ])('loading refuses a model that is not gpt-oss: %s', async (words, differs) => {
    const model = new FakeModel(table, replies, differs)
    const error = await errorOf(() => makeEngine({}, model))
    expect(error).toBeInstanceOf(HarmonyResponsesError)
    expect(error).toMatchObject({ code: 'bad_option' })
    expect((error as Error).message).toMatch(/^modelPath: expected a gpt-oss model/)
    if (words !== 'token 199') expect((error as Error).message).toContain(words)
    expect(model.disposed).toBe(true)
  })

  test("loading reports in llama.cpp's words why a model or a context is unavailable, and frees the rest", async () => {
    const llama = fakeLlama(new FakeModel(table, replies))
    llama.loadModel = async () => {
      throw new Error('ENOENT: no such file or directory')
    }
    expect(await errorOf(() => createLlamaCppEngine({ modelPath: 'x', llama }))).toMatchObject({
      name: 'EngineError',
      code: 'server_error',
      message: 'The model cannot be loaded: ENOENT: no such file or directory',
    })
    const model = new FakeModel(table, replies, {
      createContext: async () => {
        throw new Error('A context size of 512 is too large')
      },
    })
    const failed = await errorOf(() => makeEngine({}, model))
    expect(failed).toMatchObject({ message: 'The context cannot be created: A context size of 512 is too large' })
    expect(model.disposed).toBe(true)
  })

  test('loading stops when its signal aborts', async () => {
    const call = new AbortController()
    const model = new FakeModel(table, replies)
    const llama = fakeLlama(model)
    const options = { modelPath: 'x', llama, signal: call.signal, onProgress: () => call.abort(new Error('enough')) }
    expect(await errorOf(() => createLlamaCppEngine(options))).toMatchObject({ message: 'enough' })
    expect(model.disposed).toBe(true)
    expect(llama.disposed).toBe(0)
  })

  test('loading needs node-llama-cpp, and says how to get it', async () => {
    const error = await errorOf(() => createLlamaCppEngine({ modelPath: 'x' }))
    expect(error).toBeInstanceOf(EngineError)
    expect((error as Error).message).toBe('node-llama-cpp is not installed: npm install node-llama-cpp@3')
  })

  test.each([
    ['modelPath', { modelPath: '' }],
    ['gpu', { gpu: 'rocm' }],
    ['gpu', { gpu: false, llama: fakeLlama(new FakeModel(table, replies)) }],
    ['gpuLayers', { gpuLayers: -1 }],
    ['contextSize', { contextSize: 'large' }],
    ['parallel', { parallel: 0 }],
    ['threads', { threads: 0.5 }],
    ['swaFullCache', { swaFullCache: 1 }],
    ['onProgress', { onProgress: 1 }],
    ['signal', { signal: 1 }],
    ['llama', { llama: {} }],
  ])('loading refuses a wrong %s', async (what, options) => {
    const error = await errorOf(() => createLlamaCppEngine({ modelPath: 'x', ...options } as LlamaCppEngineOptions))
    expect(error).toBeInstanceOf(HarmonyResponsesError)
    expect((error as Error).message).toMatch(new RegExp(`^${what}: expected `))
  })
})

describe('calls', () => {
  test('calls run as many at once as there are sequences, and the rest wait their turn', async () => {
    const { engine, sequences } = await makeEngine({ parallel: 2 })
    const order: number[] = []
    const calls = [1, 2, 3, 4, 5].map(async (n) => {
      const ids = await idsOf(engine.generate(ask(`${n}`)))
      order.push(n)
      return ids
    })
    expect(await Promise.all(calls)).toEqual([answer, answer, answer, answer, answer])
    expect(order).toEqual([1, 2, 3, 4, 5])
    expect(sequences()).toHaveLength(2)
    expect(sequences().some(({ mixed, open }) => mixed || open > 0)).toBe(false)
  })

  test('calls go to the sequence that holds the longest beginning of the prompt', async () => {
    const { engine, sequences } = await makeEngine({ parallel: 2 })
    const first = ask('the first of two questions that are longer than what all have in common')
    const second = ask('another one of two questions that are longer than what all have in common')
    await idsOf(engine.generate(first))
    await idsOf(engine.generate(second))
    // The beginning that all prompts share does not bring the second conversation to the sequence of the first.
    expect(sequences().map(({ tokens }) => tokens.slice(0, first.length))).toEqual([first, second])
    for (const prompt of [first, second, first, first, second]) {
      const next = [...prompt, ...answer, ...ask('more')]
      const stream = engine.generate(next)
      await stream.next()
      const holder = sequences().find((one) => one.open === 1)
      expect(holder?.tokens.slice(0, prompt.length)).toEqual(prompt)
      await stream.return()
    }
  })

  test('calls that wait leave the queue when they are aborted or left', async () => {
    const { engine, sequences } = await makeEngine()
    const running = engine.generate(ask('one'))
    await running.next()
    const call = new AbortController()
    const aborted = errorOf(() => engine.generate(ask('two'), { signal: call.signal }).next())
    const left = engine.generate(ask('three'))
    const over = left.next()
    const last = idsOf(engine.generate(ask('four')))
    await turn()
    call.abort(new Error('enough'))
    await left.return()
    expect(await aborted).toMatchObject({ message: 'enough' })
    expect((await over).done).toBe(true)
    await running.return()
    expect(await last).toEqual(answer)
    expect(sequences()[0]?.asked.filter((one) => 'adapt' in one)).toHaveLength(2)
  })

  test('calls that do not fit are refused without waiting', async () => {
    const { engine } = await makeEngine({ contextSize: 64 })
    await engine.generate(ask('one')).next()
    const error = await errorOf(() => engine.generate(new Array(64).fill(5)).next())
    expect(error).toMatchObject({ code: 'context_length_exceeded' })
  })

  test('calls are refused at once if their arguments are wrong', async () => {
    const { engine } = await makeEngine()
    expect(() => engine.generate([])).toThrow('promptTokens: expected at least one token id')
  })

  test('calls that failed leave no broken sequence after', async () => {
    const { engine, sequences } = await makeEngine()
    const stream = engine.generate(ask('one'))
    await stream.next()
    const [broken] = sequences()
    if (broken) broken.failure = new Error('Eval has failed')
    expect(await errorOf(() => stream.next())).toMatchObject({ message: 'llama.cpp failed: Eval has failed' })
    expect(await idsOf(engine.generate(ask('one')))).toEqual(answer)
    expect(sequences().map(({ disposed }) => disposed)).toEqual([true, false])
  })
})

describe('dispose', () => {
  test('dispose ends open, waiting and later calls with server_error', async () => {
    const { engine, model, llama } = await makeEngine()
    const open = engine.generate(ask('one'))
    await open.next()
    const waiting = errorOf(() => engine.generate(ask('two')).next())
    await turn()
    await engine.dispose()
    await engine.dispose()
    const gone = { name: 'EngineError', code: 'server_error', message: 'The engine has been disposed.' }
    expect(await waiting).toMatchObject(gone)
    expect(await errorOf(() => open.next())).toMatchObject(gone)
    expect(await errorOf(() => engine.generate(ask('three')).next())).toMatchObject(gone)
    expect(await errorOf(() => engine.health())).toMatchObject(gone)
    expect(model.disposed).toBe(true)
    expect(llama.disposed).toBe(0)
  })

  test('dispose is noticed if the context was disposed from outside', async () => {
    const { engine, model } = await makeEngine()
    await engine.health()
    await model.contexts[0]?.dispose()
    expect(await errorOf(() => engine.health())).toMatchObject({ code: 'server_error' })
    expect(await errorOf(() => engine.generate(ask('one')).next())).toMatchObject({ code: 'server_error' })
  })
})
