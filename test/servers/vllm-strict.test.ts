import { beforeAll, expect, test } from 'vitest'
import { askFirst, FIRST_REQUESTS } from './first-requests.js'
import { onServer } from './on-server.js'
import { restRows } from './rest-rows.js'
import { strictRows } from './strict-rows.js'

/** One, twenty in `npm run test:full`, or SERVERS_SEEDS. */
const COUNT = Number(process.env['SERVERS_SEEDS'] ?? (process.env['SERVERS_FULL'] ? 20 : 1))
const SEEDS = Array.from({ length: COUNT }, (_, nth) => nth + 1)

const inPart = (name: string): string => `The engine's grammar backend enforces a part of the format '${name}'.`
const not = (keyword: string): string => `The engine's grammar backend does not enforce '${keyword}' here.`

const NOT_HELD = {
  guidance: [],
  xgrammar: ['email', 'duration', 'hostname'].map(inPart),
  other: [
    ...['minimum', 'maximum', 'properties', 'required', 'additionalProperties', 'pattern'].map(not),
    ...[inPart('date'), inPart('date-time'), not('format'), inPart('time')],
    ...['oneOf', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum', 'allOf'].map(not),
  ],
} as const

for (const backend of ['guidance', 'xgrammar'] as const) {
  onServer({ kind: 'vllm', model: 'rand', flags: ['--structured-outputs-config.backend', backend] }, ({ engine }) => {
    strictRows(backend, engine, SEEDS, NOT_HELD[backend])
    restRows(backend, engine)
  })
}

/** A server without a configured backend, after each kind of first request that chooses one: in `npm run test:full`. */
for (const [first, { schema, backend }] of process.env['SERVERS_FULL'] ? Object.entries(FIRST_REQUESTS) : []) {
  onServer({ kind: 'vllm', model: 'rand', title: `after ${first}` }, ({ engine, server }) => {
    beforeAll(() => askFirst(server(), schema))
    const name = `auto after ${first}`
    strictRows(name, engine, SEEDS, NOT_HELD[backend], backend !== 'other')
    if (backend !== 'other') restRows(name, engine)
    else {
      test('behind outlines, the engine holds schemas and regular expressions, and no rest of a body', async () => {
        expect((await engine().capabilities?.())?.constraints).toEqual(['json_schema', 'regex'])
      })
    }
  })
}
