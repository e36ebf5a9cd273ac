import type { ResponsesAppOptions } from '../options.js'
import type { ResponseService } from '../service/response-service.js'
import { type CountingProcess, createAdminProcess } from './admin.js'
import { type CheckedPart, checkParts } from './parts.js'
import type { AdminCancelled } from './types.js'

/** Answers that come every few seconds, whoever uses the server. */
const QUIET = /^\/(?:healthz|readyz|health|admin\/.*)$/

/** Opens the figures of an app for its operator. @param service - returns the service, once it is open */
export function openAdmin(options: ResponsesAppOptions, service: () => ResponseService | undefined): CountingProcess {
  const { clock = () => Date.now() / 1000, now = () => performance.now(), pages = {}, operatorPages = {} } = options
  const own = new Set([...Object.keys(pages), ...Object.keys(operatorPages)])
  return createAdminProcess({
    clock,
    isQuiet: (route) => QUIET.test(route) || own.has(route),
    running: () => service()?.observer?.running() ?? [],
    sampled: () => service()?.observer?.sampled ?? 0,
    load: () => service()?.load ?? { running: 0, waiting: 0 },
    memory: () => service()?.memory ?? { used: 0, total: 0 },
    async parts() {
      const opened = service()
      return opened === undefined ? [] : await checkParts(partsOf(options, opened), now, opened.report)
    },
    cancel: async (responseId) => (await service()?.cancelRun(responseId)) as AdminCancelled['status'] | undefined,
  })
}

function partsOf({ engine, parts = [] }: ResponsesAppOptions, service: ResponseService): readonly CheckedPart[] {
  const { models, isStoreInMemory } = service
  // One engine has one entry, under its first name.
  const engines = typeof engine === 'function' ? models : models.slice(0, 1)
  return [
    ...engines.map((name): CheckedPart => ({ type: 'engine', name, check: () => service.health(name) })),
    ...parts,
    { type: 'store', name: isStoreInMemory ? 'memory' : 'database', check: () => service.checkStore() },
  ]
}
