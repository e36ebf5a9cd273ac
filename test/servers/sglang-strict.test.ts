import { expect, test } from 'vitest'
import { readTokens } from '../support/read-tokens.js'
import { encodeHarmony } from '../support/tokens.js'
import { freeAnswer } from './model/scripts.js'
import { NOT_HELD, TRAPS_NOT_HELD } from './not-held.js'
import { onServer } from './on-server.js'
import { restRows } from './rest-rows.js'
import { FEW_SEEDS, SEEDS } from './seeds.js'
import { strictRows } from './strict-rows.js'
import { TRAP_SCHEMAS } from './strict-schemas.js'

const FLAG = '--grammar-backend'

for (const [named, backend] of [
  ['xgrammar', 'xgrammar'],
  ['llguidance', 'guidance'],
] as const) {
  onServer({ kind: 'sglang', model: 'rand', flags: [FLAG, named] }, ({ engine }) => {
    strictRows(`SGLang with ${named}`, engine, SEEDS, NOT_HELD[backend])
    strictRows(`SGLang with ${named}, with its traps`, engine, SEEDS, TRAPS_NOT_HELD, { schemas: TRAP_SCHEMAS })
    restRows(`SGLang with ${named}`, engine)
  })
}

onServer({ kind: 'sglang', model: 'rand', flags: [FLAG, 'outlines'] }, ({ engine }) => {
  strictRows('SGLang with outlines', engine, FEW_SEEDS, NOT_HELD.other)
})

onServer({ kind: 'sglang', model: 'rand', flags: [FLAG, 'none'] }, ({ engine }) => {
  test('SGLang without a grammar backend holds no constraint, and is sent none', async () => {
    expect((await engine().capabilities?.({ constraints: true }))?.constraints).toEqual([])
    const call = engine().generate(encodeHarmony(freeAnswer.prompt), { constraint: { regex: 'a' }, maxTokens: 2 })
    await expect(readTokens(call)).rejects.toMatchObject({ code: 'bad_option' })
  })
})
