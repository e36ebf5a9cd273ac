import { expect, test } from 'vitest'
import type { Engine } from '../../src/cli/serve/engines/engine.js'
import { ENGINES } from '../../src/cli/serve/engines/index.js'
import { createLlamaCppEngine } from '../../src/engines/sources/llama-cpp.js'
import { pageOf } from './pages.js'

const [, table = ''] = /<!-- options -->\n([\s\S]*?)<!-- \/options -->/.exec(pageOf('docs/engines.md')) ?? []
const rows = Array.from(table.matchAll(/^\| `(\w+)` \|[^|]*\| ([^|]*) \|$/gm), ([, name = '', text = '']) => ({
  name,
  engines: (text.split(':')[0] as string).toLowerCase().split(', '),
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

/** By the names of their options of `serve`: how to import what creates each. */
const served = Object.entries<Engine>(ENGINES).flatMap(([name, row]) =>
  'creator' in row ? [[name, row.creator] as const] : [],
)

test.each([...served, ['llama.cpp', async () => createLlamaCppEngine] as const])(
  'docs/engines.md has the options of %s, and no other',
  async (engine, creator) => {
    const create = await creator()
    const documented = rows.filter(({ engines }) => engines.includes(engine)).map(({ name }) => name)
    expect(documented.toSorted()).toEqual((await optionsOf(create)).toSorted())
  },
)
