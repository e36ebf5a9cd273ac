import { expect, test } from 'vitest'
import { createLlamaCppEngine } from '../../src/engines/sources/llama-cpp.js'
import { createLlamaServerEngine } from '../../src/engines/sources/llama-server.js'
import { createSglangEngine } from '../../src/engines/sources/sglang.js'
import { createVllmEngine } from '../../src/engines/sources/vllm.js'
import { pageOf } from './pages.js'

const [, table = ''] = /<!-- options -->\n([\s\S]*?)<!-- \/options -->/.exec(pageOf('docs/engines.md')) ?? []
const rows = Array.from(table.matchAll(/^\| `(\w+)` \|[^|]*\| ([^|]*) \|$/gm), ([, name = '', text = '']) => ({
  name,
  engines: (text.split(':')[0] as string).split(', '),
}))

/** The options that an engine has, as it says them when it is given another one. */
async function optionsOf(create: (options: never) => unknown): Promise<string[]> {
  try {
    await create({ qqqqqqqq: 1 } as never)
  } catch (error) {
    const [, names = ''] = /it has (.*)$/.exec((error as Error).message) ?? []
    return names.split(', ')
  }
  return expect.unreachable('it was accepted')
}

test.each([
  ['vLLM', createVllmEngine],
  ['SGLang', createSglangEngine],
  ['llama-server', createLlamaServerEngine],
  ['llama.cpp', createLlamaCppEngine],
] as const)('docs/engines.md has the options of %s, and no other', async (engine, create) => {
  const documented = rows.filter(({ engines }) => engines.includes(engine)).map(({ name }) => name)
  expect(documented.toSorted()).toEqual((await optionsOf(create)).toSorted())
})
