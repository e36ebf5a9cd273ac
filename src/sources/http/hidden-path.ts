import { EngineError } from '../../engine/engine-error.js'

/** The statuses of a path that the server lacks, or that a proxy reserves for the server's administrator. */
const HIDDEN: readonly (number | undefined)[] = [401, 403, 404, 405]

/** Whether a request failed because its path is absent or reserved, so that another path may answer. */
export function isHiddenPath(error: unknown): boolean {
  return error instanceof EngineError && HIDDEN.includes(error.status)
}
