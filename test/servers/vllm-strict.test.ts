import { beforeAll, expect, test } from 'vitest'
import { createVllmEngine } from '../../src/engines/sources/vllm.js'
import { askFirst, FIRST_REQUESTS, FOR_GUIDANCE } from './first-requests.js'
import { larkRows } from './lark-rows.js'
import { NOT_HELD, TRAPS_NOT_HELD } from './not-held.js'
import { onServer } from './on-server.js'
import { ownCall } from './own-call.js'
import { restRows } from './rest-rows.js'
import { seedRow } from './seed-row.js'
import { SEEDS } from './seeds.js'
import { type ServerOptions, startServer } from './server.js'
import { strictRows } from './strict-rows.js'
import { TRAP_SCHEMAS } from './strict-schemas.js'
import { takeOverRow } from './take-over-row.js'

for (const backend of ['guidance', 'xgrammar'] as const) {
  onServer({ kind: 'vllm', model: 'rand', flags: ['--structured-outputs-config.backend', backend] }, ({ engine }) => {
    strictRows(backend, engine, SEEDS, NOT_HELD[backend])
    strictRows(`${backend}, with its traps`, engine, SEEDS, TRAPS_NOT_HELD, { schemas: TRAP_SCHEMAS })
    restRows(backend, engine)
    seedRow(backend, engine)
    larkRows(backend, engine)
  })
}

/** A server without a configured backend, after each kind of first request that chooses one: in `npm run test:full`. */
for (const [first, { schema, backend }] of process.env['SERVERS_FULL'] ? Object.entries(FIRST_REQUESTS) : []) {
  onServer({ kind: 'vllm', model: 'rand', title: `after ${first}` }, ({ engine, server }) => {
    beforeAll(() => askFirst(server(), { json: schema }))
    const name = `auto after ${first}`
    strictRows(name, engine, SEEDS, NOT_HELD[backend])
    if (backend !== 'other') restRows(name, engine)
    else {
      test('behind outlines, the engine holds schemas and regular expressions, and no rest of a body', async () => {
        expect((await engine().capabilities?.())?.constraints).toEqual(['json_schema', 'regex'])
      })
    }
  })
}

/** A process takes a response over that another one began, and finds another backend: in `npm run test:full`. */
const BACKENDS = ['guidance', 'xgrammar'] as const
for (const [from, to] of process.env['SERVERS_FULL'] ? [BACKENDS, BACKENDS.toReversed()] : []) {
  const onBackend = (backend = ''): ServerOptions => ({
    ...{ kind: 'vllm', model: 'rand', flags: ['--structured-outputs-config.backend', backend] },
  })
  onServer({ ...onBackend(from), title: `before ${to}` }, ({ engine, server }) => {
    takeOverRow(`${from}`, `${to}`, {
      engine,
      server,
      async startOther() {
        const { url, stop } = await startServer(onBackend(to))
        return { engine: createVllmEngine({ url }), stop }
      },
    })
  })
}

/** vLLM's own tool calling beside ours, on a server that leaves the backend to the first request: in `npm run test:full`. */
const OWN_TOOLS = {
  kind: 'vllm',
  model: 'sure',
  flags: ['--enable-auto-tool-choice', '--tool-call-parser', 'openai'],
} as const

if (process.env['SERVERS_FULL']) {
  onServer({ ...OWN_TOOLS, title: 'asked by the engine first' }, ({ engine, server }) => {
    test("vLLM's own tool calling works after the engine has asked for the backend", async () => {
      expect((await engine().capabilities?.({ constraints: true }))?.constraints).toContain('json_schema')
      expect(await ownCall(server())).toEqual({ name: 'get_weather', arguments: { city: 'Paris', unit: 'celsius' } })
    })
  })

  onServer({ ...OWN_TOOLS, title: 'asked for Lark first' }, ({ server }) => {
    test("vLLM's own tool calling fails if the first request is Lark, so that the engine asks with a structural tag", async () => {
      await askFirst(server(), FOR_GUIDANCE)
      await expect(ownCall(server())).rejects.toMatchObject({ status: 500 })
    })
  })
}
