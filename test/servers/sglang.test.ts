import { adapterRows } from './adapter-rows.js'
import { crashRows, deadSchedulerRow } from './crash-rows.js'
import { CONTEXT } from './model/write-models.js'
import { onServer } from './on-server.js'
import { servedRows } from './served-rows.js'

onServer({ kind: 'sglang', model: 'sure' }, ({ server, engine, running }) => {
  adapterRows({ name: 'SGLang', engine, running, longestPrompt: CONTEXT - 7 })
  servedRows('SGLang', engine)
  crashRows('SGLang', engine, server)
  deadSchedulerRow(engine, server)
})
