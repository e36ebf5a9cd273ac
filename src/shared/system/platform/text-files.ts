import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { PRIVATE_MODE } from './private-files.js'

/** Decodes a file of UTF-8, or of UTF-16 with a byte order mark, as PowerShell writes what it redirects. The mark is left out. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  const isLittle = first === 0xff && second === 0xfe
  const isBig = first === 0xfe && second === 0xff
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8').decode(bytes)
}

export async function readText(path: string): Promise<string> {
  return decodeText(await readFile(path))
}

/** Writes a whole file: its readers see all of it or nothing. */
export async function writeWhole(path: string, pieces: Iterable<string>): Promise<void> {
  const draft = `${path}.part`
  try {
    await writeFile(draft, pieces)
    await replaceFile(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

/**
 * Appends to a file, which is created for its owner alone if it is missing. The text is one write, so that texts of several
 * processes do not mix on a local disk; `appendFile` would write long ones in parts.
 */
export async function appendPrivately(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', PRIVATE_MODE)
  try {
    // A disk that is full takes a part, and refuses the rest.
    for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray((await file.write(rest)).bytesWritten)
  } finally {
    await file.close()
  }
}

/** What replacing a file needs of the system. */
export interface Replacing {
  readonly platform: string
  rename(from: string, to: string): Promise<void>
  wait(ms: number): Promise<unknown>
}

/** How long Windows gets to let go of a file, in milliseconds, and the first pause, which doubles. */
const PATIENCE_MS = 2000
const FIRST_PAUSE_MS = 10

/**
 * Renames a file, which replaces another one. Windows refuses that while any program has the other one open: an editor, or
 * a virus scanner for some milliseconds. There it is tried again, for {@link PATIENCE_MS}.
 */
export async function replaceFile(
  from: string,
  to: string,
  { platform, rename: move, wait: pause }: Replacing = { platform: process.platform, rename, wait },
): Promise<void> {
  for (let waited = 0, ms = FIRST_PAUSE_MS; ; waited += ms, ms *= 2) {
    try {
      return await move(from, to)
    } catch (error) {
      const { code } = Object(error) as { readonly code?: unknown }
      const isHeld = code === 'EPERM' || code === 'EACCES' || code === 'EBUSY'
      if (platform !== 'win32' || !isHeld || waited + ms > PATIENCE_MS) throw error
    }
    await pause(ms)
  }
}
