import { constants } from 'node:fs'
import { opendir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { isWithin, nameWithin } from '../../../shared/system/platform/paths.js'
import { filePieces } from '../../file-pieces.js'
import { UsageError, unreadable } from '../../io.js'

/** The limits of a folder: it is indexed in memory, which takes several times its bytes. */
const LIMITS = { entries: 100_000, 'text files': 5_000, 'bytes of text': 16_777_216 }

const TEXT_FILE = /\.(?:md|markdown|txt)$/i

export interface FolderFile {
  /** Its path in the folder, with `/` on every system. */
  readonly name: string
  readonly text: string
}

/** The text files of a folder, by name, and how many other files it has. */
export interface FolderFiles {
  readonly files: readonly FolderFile[]
  readonly leftOut: number
}

/**
 * Reads the text and Markdown files of a folder and its folders. Names that begin with a dot are left out.
 *
 * @throws UsageError if it cannot be read, is too large, or has a symbolic link out of it
 */
export async function readFolderFiles(folder: string, limits: typeof LIMITS = LIMITS): Promise<FolderFiles> {
  const counts = { entries: 0, 'text files': 0, 'bytes of text': 0 }
  const count = (what: keyof typeof LIMITS, more = 1): void => {
    counts[what] += more
    if (counts[what] <= limits[what]) return
    throw new UsageError(`--file-search ${folder}: expected at most ${limits[what]} ${what}`)
  }
  try {
    const { paths, others } = await pathsIn(folder, count)
    const files: FolderFile[] = []
    for (const path of paths) {
      const text = await readText(path, (bytes) => count('bytes of text', bytes))
      if (text !== undefined) files.push({ name: nameWithin(folder, path), text })
    }
    return { files, leftOut: others + paths.length - files.length }
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(folder, error)
  }
}

/** Returns the paths of the text files, in order, so that every start finds the same. */
async function pathsIn(
  folder: string,
  count: (what: 'entries' | 'text files') => void,
): Promise<{ readonly paths: readonly string[]; readonly others: number }> {
  const root = await realpath(folder)
  const paths: string[] = []
  let others = 0
  // The list grows during the loop.
  const folders = [folder]
  for (const parent of folders) {
    for await (const entry of await opendir(parent)) {
      count('entries')
      const path = join(parent, entry.name)
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile() && TEXT_FILE.test(entry.name)) {
        count('text files')
        paths.push(path)
      } else others += 1
      // A link within the folder leads to a file that is read anyway.
      if (entry.isSymbolicLink() && !isWithin(root, await realpath(path))) {
        throw new UsageError(
          `--file-search ${folder}: ${nameWithin(folder, path)} is a symbolic link out of the folder`,
        )
      }
    }
  }
  return { paths: paths.sort(), others }
}

/** Undefined if the file is not UTF-8, or is binary. @param count - called with the bytes of each piece */
async function readText(path: string, count: (bytes: number) => void): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  const decode = (piece?: Uint8Array): boolean => {
    try {
      const more = decoder.decode(piece, { stream: piece !== undefined })
      text += more
      return !more.includes('\u0000')
    } catch {
      return false
    }
  }
  // A file that was replaced by a link since its folder was listed is not followed.
  for await (const piece of filePieces(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))) {
    count(piece.byteLength)
    if (!decode(piece)) return undefined
  }
  return decode() ? text : undefined
}
