import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'

/** Readable and writable by the owner alone. Windows has no such modes: a file there has the rules of its folder. */
export const PRIVATE_MODE = 0o600

/** Creates an empty file for its owner alone, unless it is there. */
export function createPrivateFile(path: string): void {
  if (existsSync(path)) return
  closeSync(openSync(path, 'a', PRIVATE_MODE))
  chmodSync(path, PRIVATE_MODE)
}

/**
 * Creates a file with a text for its owner alone, unless it is there: of several processes, one creates it.
 *
 * @param link - makes a file appear whole under a second name
 * @throws Node's error, if it cannot be written
 */
export function writePrivately(path: string, text: string, link: (from: string, to: string) => void = linkSync): void {
  const draft = `${path}.${crypto.randomUUID()}`
  try {
    writeFileSync(draft, text, { mode: PRIVATE_MODE, flag: 'wx' })
    try {
      link(draft, path)
    } catch {
      // Not every file system has links: FAT, exFAT and shares of a network do not.
      copyFileSync(draft, path, constants.COPYFILE_EXCL)
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Returns the mode of a file that others than its owner may use, in octal digits; otherwise undefined. */
export function sharedMode(path: string, platform: string = process.platform): string | undefined {
  const mode = platform === 'win32' ? 0 : (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
  return (mode & 0o077) === 0 ? undefined : mode.toString(8).padStart(3, '0')
}
