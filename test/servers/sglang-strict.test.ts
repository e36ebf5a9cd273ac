import { NOT_HELD } from './not-held.js'
import { onServer } from './on-server.js'
import { restRows } from './rest-rows.js'
import { SEEDS } from './seeds.js'
import { strictRows } from './strict-rows.js'

for (const [named, backend] of [
  ['xgrammar', 'xgrammar'],
  ['llguidance', 'guidance'],
] as const) {
  onServer({ kind: 'sglang', model: 'rand', flags: ['--grammar-backend', named] }, ({ engine }) => {
    strictRows(`SGLang with ${named}`, engine, SEEDS, NOT_HELD[backend])
    restRows(`SGLang with ${named}`, engine)
  })
}
