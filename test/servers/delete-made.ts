import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Deletes a folder, if it is there. @throws Error if it lacks the mark of those that were made here: it is somebody else's */
export function deleteMade(folder: string, mark: string): void {
  if (!existsSync(folder)) return
  if (!existsSync(join(folder, mark))) throw new Error(`SERVERS_DIR: ${folder} was not made by these tests: move it`)
  rmSync(folder, { recursive: true })
}
