import { statSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * Returns a check that a path still leads to the opened file. The system keeps a deleted file for those who have opened it: all
 * that is written to it is lost with the last of them.
 *
 * @returns a function that throws if the file was deleted, moved or replaced
 */
export function sameFile(file: string): () => void {
  // A process may change its folder.
  const path = file === '' || file.startsWith(':') ? undefined : resolve(file)
  const opened = identityOf(path)
  return () => {
    const now = identityOf(path)
    if (now === opened) return
    const what = now === undefined ? 'deleted or moved' : 'replaced by another file'
    throw new Error(`the database ${file} was ${what} while it was open: put it back, or start again`)
  }
}

/** @param path - undefined for a database that is no file */
function identityOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev} ${found.ino}`
}
