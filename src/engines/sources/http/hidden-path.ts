import { EngineError } from '../../contract/engine-error.js'

/** Statuses of a missing path: 401 and 403 too, since a proxy may require an administrator's key for it. */
const HIDDEN: readonly (number | undefined)[] = [401, 403, 404, 405]

/** Whether a request failed because its path is absent or reserved, so that another path may answer. */
export function isHiddenPath(error: unknown): boolean {
  return error instanceof EngineError && HIDDEN.includes(error.status)
}
