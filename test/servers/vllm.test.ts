import { adapterRows } from './adapter-rows.js'
import { crashRows } from './crash-rows.js'
import { CONTEXT } from './model/write-models.js'
import { onServer } from './on-server.js'
import { ownRows } from './own-rows.js'
import { servedRows } from './served-rows.js'

onServer({ kind: 'vllm', model: 'sure' }, ({ server, engine, running }) => {
  adapterRows({ name: 'vLLM', engine, running, longestPrompt: CONTEXT - 1 })
  servedRows('vLLM', engine)
  ownRows(server)
  crashRows('vLLM', engine, server)
})
