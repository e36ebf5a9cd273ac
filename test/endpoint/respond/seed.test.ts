import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import type { GenerateOptions, TokenEngine } from '../../../src/engines/contract/engine.js'
import { ANSWER, GITHUB, modelOf, type Run, type RunOptions, run, SEARCH } from './scripted.js'

interface Seeded extends Run {
  /** The seed of each call of the engine. */
  readonly seeds: readonly (number | undefined)[]
  readonly diagnostics: readonly Diagnostic[]
}

async function seeded(engine: Partial<TokenEngine>, options: RunOptions = {}): Promise<Seeded> {
  const model = modelOf([SEARCH, ANSWER])
  const seeds: (number | undefined)[] = []
  const diagnostics: Diagnostic[] = []
  const generate = (prompt: readonly number[] | Uint32Array, given?: GenerateOptions) => {
    seeds.push(given?.sampling?.seed)
    return model.generate(prompt, given)
  }
  const done = await run(
    { input: 'Go.', tools: [GITHUB], seed: 7 },
    { engine: { ...model, ...engine, generate }, onDiagnostic: (each) => void diagnostics.push(each), ...options },
  )
  return { ...done, seeds, diagnostics }
}

describe('the seed of a request', () => {
  test.each([
    ['an engine that says nothing of seeds', {}],
    ['an engine that has seeds', { capabilities: async () => ({ hasSeed: true }) }],
  ])('%s gets the seed with every call', async (_, engine) => {
    const { seeds, diagnostics } = await seeded(engine)
    expect([seeds, diagnostics]).toEqual([[7, 7], []])
  })

  test('an engine that has no seeds is not given one, and the host learns it once', async () => {
    const capabilities = async (): Promise<{ hasSeed: boolean }> => ({ hasSeed: false })
    const { seeds, diagnostics, entries, response } = await seeded({ capabilities })
    expect([seeds, response.status]).toEqual([[undefined, undefined], 'completed'])
    expect(diagnostics).toEqual([{ code: 'ignored_parameter', subject: 'seed (the engine has none)', index: -1 }])
    const again = await seeded({ capabilities }, { entries: entries.slice(0, 4) })
    expect([again.seeds, again.diagnostics]).toEqual([[undefined, undefined], []])
  })

  test('a process that continues from entries gives the engine the same seed', async () => {
    const { entries } = await seeded({})
    const { seeds } = await seeded({}, { entries: entries.slice(0, 4) })
    expect(seeds).toEqual([7, 7])
  })
})
