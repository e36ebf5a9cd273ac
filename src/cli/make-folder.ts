import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder that can be written to, and those above it. One at a time: the `recursive` of Node 20 tries for ever, on
 * one core, where the system makes no folders (`/proc/x`).
 *
 * @throws as `mkdir` and `access` of Node
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const parent = dirname(path)
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return await access(path, constants.W_OK)
    if (code !== 'ENOENT' || parent === path) throw error
    await makeFolder(parent)
    await mkdir(path)
  }
}
