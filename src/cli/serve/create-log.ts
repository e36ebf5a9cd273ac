import type { Io } from '../io.js'
import { createJsonLog } from './json-log.js'
import type { RequestLog } from './log-entries.js'
import { createRequestLog } from './request-log.js'
import type { ServeSettings } from './settings.js'

/** Creates the log of `--log`, on standard error. */
export function createLog({ log }: Pick<ServeSettings, 'log'>, io: Io): RequestLog {
  if (log === 'json') return createJsonLog(() => `${io.today()}T${io.time()}Z`, io.complain)
  return createRequestLog(() => io.time(), io.screen.hasColors, io.complain)
}
