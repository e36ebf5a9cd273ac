import { expect, test } from 'vitest'
import type { Engine } from '../../../src/cli/serve/engines/engine.js'
import { ENGINES } from '../../../src/cli/serve/engines/index.js'
import { createLlamaCppEngine } from '../../../src/engines/sources/llama-cpp.js'
import { createLlamaServerEngine } from '../../../src/engines/sources/llama-server.js'
import { createSglangEngine } from '../../../src/engines/sources/sglang.js'
import { createVllmEngine } from '../../../src/engines/sources/vllm.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'

const url = 'http://localhost:8000'
const CREATORS = await Promise.all(
  Object.values<Engine>(ENGINES).flatMap((row) => ('creator' in row ? [row.creator()] : [])),
)

async function refusal(create: () => unknown): Promise<string> {
  try {
    await create()
  } catch (error) {
    expect(error).toBeInstanceOf(HarmonyResponsesError)
    expect(error).toHaveProperty('code', 'bad_option')
    return (error as HarmonyResponsesError).message
  }
  return expect.unreachable('it was accepted')
}

test.each(CREATORS.map((create) => [create.name, create] as const))(
  '%s refuses an option that it does not have, and one of another type, and never shows a value that may be a key',
  async (name, create) => {
    const wrong: [object, string][] = [
      [{ url, apikey: 'sk-secret' }, `${name}: there is no option "apikey", did you mean apiKey?`],
      [
        { url, Headers: { authorization: 'sk-secret' } },
        `${name}: there is no option "Headers", did you mean headers?`,
      ],
      [{ url, retries: -1 }, 'retries: expected a whole number of at least 0, got -1'],
      [{ url, checkModel: 'no' }, 'checkModel: expected true or false, got "no"'],
      [{ url, fetch: {} }, 'fetch: expected a function, got an object'],
      [{}, 'url: expected an http or https URL'],
    ]
    for (const [options, message] of wrong) {
      const said = await refusal(() => create(options as never))
      expect(said).toContain(message)
      expect(said).not.toContain('secret')
    }
    expect(() => create({ url, apiKey: undefined, retries: undefined } as never)).not.toThrow()
  },
)

test('an engine refuses the options of another kind of server', async () => {
  expect(await refusal(() => createSglangEngine({ url, model: 'a' } as never))).toContain('no option "model"')
  expect(await refusal(() => createLlamaServerEngine({ url, contextSize: 5 } as never))).toContain(
    'no option "contextSize"',
  )
  expect(await refusal(() => createVllmEngine({ url, contextSize: 0 }))).toContain(
    'contextSize: expected a whole number',
  )
})

test('createLlamaCppEngine refuses an option that it does not have before it loads anything', async () => {
  expect(await refusal(() => createLlamaCppEngine({ modelPath: 'a.gguf', contextsize: 5 } as never))).toBe(
    'createLlamaCppEngine: there is no option "contextsize", did you mean contextSize?',
  )
  expect(await refusal(() => createLlamaCppEngine({} as never))).toContain(
    'modelPath: expected the path of a GGUF file',
  )
})
