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

onServer({ kind: 'llama-server', model: 'rand' }, ({ engine }) => {
  strictRows('llama-server', engine, SEEDS, [])
  restRows('llama-server', engine)
})
