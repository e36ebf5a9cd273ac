import cluster from 'node:cluster'
import type { Io } from '../../io.js'
import type { ServeValues } from '../options.js'
import type { ServeSettings } from '../settings.js'
import { checkShared } from './sharing.js'

/**
 * Serves one port by several processes until told to stop: this one starts them, or is one of them. Returns the exit code.
 *
 * @param values - the options as they were given, by their names
 * @throws UsageError
 */
export async function serveByWorkers(
  settings: ServeSettings,
  values: ServeValues & { readonly config: string | undefined },
  io: Io,
): Promise<number> {
  checkShared(values, settings)
  const { worker } = cluster
  if (worker === undefined) return (await import('./run-workers.js')).runWorkers(settings, io)
  return (await import('./serve-as-worker.js')).serveAsWorker(worker, settings, io)
}
