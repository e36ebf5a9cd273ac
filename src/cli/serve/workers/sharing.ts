import { UsageError } from '../../io.js'
import { OPTIONS, type ServeValues } from '../options.js'
import { isReadOnce, type Secret, STORE_VARIABLE } from '../secrets.js'
import type { ServeOption } from '../serve-option.js'
import type { ServeSettings } from '../settings.js'

/**
 * Refuses what workers cannot share.
 *
 * @param values - the options as they were given, by their names
 * @throws UsageError
 */
export function checkShared(
  values: ServeValues & { readonly config?: string | undefined },
  settings: ServeSettings,
): void {
  const { keys, store } = settings
  if (store === undefined) {
    throw new UsageError(
      `--workers: expected only with --store or ${STORE_VARIABLE}: without it, a response is known to one worker alone`,
    )
  }
  for (const [name, { workers }] of Object.entries<ServeOption>(OPTIONS)) {
    const { is, about, isRead } = workers
    const given = values[name as keyof ServeValues]
    if (given === undefined || given === false) continue
    if (is === 'refused') throw new UsageError(`--${name}: expected without --workers: ${about}`)
    if (isRead && typeof given === 'string') checkFile({ name: `--${name}`, file: given, isShown: true })
  }
  if (settings.engine === 'replay' && settings.target === '-') throw readOnce('--replay', 'standard input')
  for (const secret of [...Object.values(keys), store]) if (secret !== undefined) checkFile(secret)
}

function checkFile(secret: Secret): void {
  if ('file' in secret && isReadOnce(secret))
    throw readOnce(secret.name, secret.file === '-' ? 'standard input' : 'a pipe')
}

function readOnce(name: string, got: string): UsageError {
  return new UsageError(`${name}: expected a file with --workers, each of which reads it, got ${got}`)
}
