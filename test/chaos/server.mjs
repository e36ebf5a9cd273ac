// A server of the chaos: node server.mjs, with its settings in CHAOS and an IPC channel.

import { createSeal, parseSealKeys } from '../../dist/endpoint/seal/index.js'
import { serveResponses } from '../../dist/endpoint/server/node.js'
import { loadTokenTable } from '../../dist/index.js'
import { createModel } from './model.mjs'
import { STORES } from './stores/stores.mjs'
import { createTool } from './tools.mjs'

const settings = JSON.parse(process.env.CHAOS)
const tell = (message) => process.connected && process.send(message, () => {})

/** The duration of store calls from now on, in milliseconds. */
let slowness = 0
function slowed(store) {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function' || ['close', 'backup'].includes(name)) return value
      return async (...given) => {
        if (slowness > 0) await new Promise((resolve) => setTimeout(resolve, slowness))
        return await value.apply(target, given)
      }
    },
  })
}

const tokenTable = await loadTokenTable()
const store = await STORES[settings.store].open(settings.place)
const engine = createModel({ tokenTable, tokenMs: settings.tokenMs })
const server = await serveResponses({
  engine,
  tokenTable,
  store: slowed(store),
  seal: createSeal(parseSealKeys(settings.sealKeys)),
  tools: [createTool(settings)],
  onDisconnect: { graceMs: 120_000 },
  limits: { leaseSeconds: settings.leaseSeconds, concurrency: 2000, queue: 2000 },
  keepAliveMs: 500,
  port: 0,
  onMetric({ type, goesOn, reason }) {
    if (type === 'response_taken_over') tell({ type: 'taken_over', goesOn, reason })
    if (type === 'engine_restarted') tell({ type: 'engine_restarted' })
  },
  onError: (error) => tell({ type: 'error', message: `${error?.message ?? error}`, stack: error?.stack }),
})

process.on('message', ({ type, ms }) => {
  if (type === 'slow') slowness = ms
  if (type === 'engine_dies') engine.die()
})
process.on('SIGTERM', async () => {
  const doing = { what: 'closing' }
  setTimeout(
    () => tell({ type: 'stops_late', ...doing, load: server.service.load, waits: process.getActiveResourcesInfo() }),
    10_000,
  )
  await server.close({ graceMs: 5000 })
  doing.what = 'closing its store'
  await store.close?.()
  process.exit(0)
})
tell({ type: 'listens', port: server.port })
