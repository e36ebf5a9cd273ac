import { expect, test } from 'vitest'
import { createLlamaServerEngine } from '../../src/engines/sources/llama-server.js'
import { errorOf } from '../support/error-of.js'
import { readTokens } from '../support/read-tokens.js'
import { encodeHarmony } from '../support/tokens.js'
import { adapterRows } from './adapter-rows.js'
import { crashRows } from './crash-rows.js'
import { keyRows, WITH_KEY } from './key-rows.js'
import * as said from './model/scripts.js'
import { CONTEXT } from './model/write-models.js'
import { onServer } from './on-server.js'
import { restRows } from './rest-rows.js'
import { seedRow } from './seed-row.js'
import { SEEDS } from './seeds.js'
import { servedRows } from './served-rows.js'
import { strictRows } from './strict-rows.js'

onServer({ kind: 'llama-server', model: 'sure' }, ({ server, engine, running }) => {
  adapterRows({
    ...{ name: 'llama-server', engine, running, longestPrompt: CONTEXT - 1 },
    // The adapter writes the grammar.
    ...{ sendsHalves: false, refusedBy: 'adapter' },
  })
  servedRows('llama-server', engine, running)
  crashRows('llama-server', engine, server)
})

onServer(
  { kind: 'llama-server', model: 'sure', flags: ['--ctx-size', '512', '--parallel', '2', '--kv-unified'] },
  ({ engine }) => {
    test('llama-server fails calls that together exceed its context, each after its tokens, and answers the next', async () => {
      const given: unknown[][] = [[], []]
      const calls = given.map(async (tokens) => {
        for await (const more of engine().generate(encodeHarmony(said.endless.prompt))) tokens.push(...[more].flat())
      })
      const failures = await Promise.all(calls.map(errorOf))
      for (const failure of failures) expect(failure).toMatchObject({ code: 'server_error', status: 500 })
      for (const tokens of given) {
        expect(tokens.length).toBeGreaterThan(100)
        const begun = encodeHarmony(said.endless.answer)
        expect(tokens.slice(0, begun.length)).toEqual(begun)
      }
      const { tokens } = await readTokens(engine().generate(encodeHarmony(said.hello.prompt)))
      expect(tokens).toEqual(encodeHarmony(said.hello.answer))
    })
  },
)

onServer({ kind: 'llama-server', model: 'sure', flags: WITH_KEY }, ({ server }) => {
  keyRows('llama-server', (options) => createLlamaServerEngine({ url: server().url, ...options }))
})

/**
 * What comes before bytes that are no UTF-8: the server sends U+FFFD in their place. The limit may cut a character, and
 * the grammars of llama.cpp take an overlong form (F0 86 97 A5) for its character (E6 97 A5, U+65E5).
 */
const beforeBroken = (text: string): string => text.split('\ufffd', 1).join()

onServer({ kind: 'llama-server', model: 'rand' }, ({ engine }) => {
  strictRows('llama-server', engine, SEEDS, [], { known: beforeBroken })
  restRows('llama-server', engine, beforeBroken)
  seedRow('llama-server', engine)
})
