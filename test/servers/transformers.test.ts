import { adapterRows } from './adapter-rows.js'
import { CONTEXT } from './model/write-models.js'
import { NOT_HELD } from './not-held.js'
import { onServer } from './on-server.js'
import { restRows } from './rest-rows.js'
import { seedRow } from './seed-row.js'
import { FEW_SEEDS } from './seeds.js'
import { strictRows } from './strict-rows.js'

onServer({ kind: 'transformers', model: 'sure' }, ({ engine, running }) => {
  adapterRows({ name: 'transformers', engine, running, longestPrompt: CONTEXT - 1, hasPromptCache: false })
})

onServer({ kind: 'transformers', model: 'rand' }, ({ engine }) => {
  strictRows('transformers', engine, FEW_SEEDS, NOT_HELD.guidance)
  restRows('transformers', engine)
  seedRow('transformers', engine)
})
