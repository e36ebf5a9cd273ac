import { adapterRows } from './adapter-rows.js'
import { crashRows } from './crash-rows.js'
import { CONTEXT } from './model/write-models.js'
import { onServer } from './on-server.js'
import { restRows } from './rest-rows.js'
import { SEEDS } from './seeds.js'
import { servedRows } from './served-rows.js'
import { strictRows } from './strict-rows.js'

onServer({ kind: 'llama-server', model: 'sure' }, ({ server, engine, running }) => {
  adapterRows({
    ...{ name: 'llama-server', engine, running, longestPrompt: CONTEXT - 1 },
    // The adapter writes the grammar.
    ...{ sendsHalves: false, refusedBy: 'adapter' },
  })
  servedRows('llama-server', engine)
  crashRows('llama-server', engine, server)
})

/**
 * What comes before bytes that are no UTF-8: the server sends U+FFFD in their place. The limit may cut a character, and
 * the grammars of llama.cpp take an overlong form (F0 86 97 A5) for its character (E6 97 A5, U+65E5).
 */
const beforeBroken = (text: string): string => text.split('\ufffd', 1).join()

onServer({ kind: 'llama-server', model: 'rand' }, ({ engine }) => {
  strictRows('llama-server', engine, SEEDS, [], { known: beforeBroken })
  restRows('llama-server', engine, beforeBroken)
})
