import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a writable folder and its parents. One at a time: the `recursive` of Node 20 retries forever, at full load,
 * where the system creates no folders (`/proc/x`).
 *
 * @throws the errors of Node's `mkdir` and `access`
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const parent = dirname(path)
    // Of the root, macOS says EISDIR and Windows EPERM.
    const found = code === 'ENOENT' ? undefined : await stat(path).catch(() => undefined)
    if (found?.isDirectory()) return await access(path, constants.W_OK)
    if (code !== 'ENOENT' || parent === path) throw error
    await makeFolder(parent)
    await mkdir(path)
  }
}
