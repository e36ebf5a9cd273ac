import { plain } from './terminal-text.js'
import type { Screen } from './timeline-layout.js'

/** The command line's access to the world. */
export interface Io {
  /** The package's version. */
  readonly version: string
  /** The terminal of standard output. */
  readonly screen: Screen
  /** The environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder of the token fixtures that ship with the package. */
  readonly fixtures: string
  /** The folder of the page's files. */
  readonly page: string
  /** The date in UTC: `2026-01-31`. */
  today(): string
  /** The time of day in UTC: `12:34:56`. */
  time(): string
  /** Reads a file of UTF-8 or UTF-16, without its byte order mark. So does `readStdin`. */
  readFile(path: string): Promise<string>
  /** Lists a folder. Rejects with `ENOTDIR` if it is not one. */
  readFolder(path: string): Promise<string[]>
  readStdin(): Promise<string>
  /** Creates a writable folder and its parents. */
  makeFolder(path: string): Promise<void>
  /** Writes a whole file and creates its folder. Readers see all of it or nothing. */
  writeFile(path: string, pieces: Iterable<string>): Promise<void>
  /** Appends to a file, which is created if necessary. */
  appendFile(path: string, text: string): Promise<void>
  /**
   * Reads a file in pieces of bounded size; standard input (`-`) as it arrives. A piece is valid until the next one is
   * requested.
   */
  pieces(path: string): AsyncIterable<Uint8Array | string>
  /** Writes to standard output. Resolves when it accepts more; rejects with `EPIPE` once the reader is gone. */
  print(text: string): Promise<void>
  /** Writes to standard error. */
  complain(text: string): void
  /** Calls the listener whenever the process is told to stop. Returns a function that unsubscribes. */
  onStop(listener: () => void): () => void
  /** Calls the listener whenever the process is told to read its files again. Returns a function that unsubscribes. */
  onReload(listener: () => void): () => void
}

/** Returns the name of a file in messages. */
export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file
}

/** Returns a file's text, or standard input's for `-`. @throws UsageError */
export async function readFileOrStdin(file: string, io: Io): Promise<string> {
  try {
    return await (file === '-' ? io.readStdin() : io.readFile(file))
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** Wrong usage, or an unreadable file: exit code 2. */
export class UsageError extends Error {}

/** Returns the error for a file that cannot be read, or written, in the same words for all commands. */
export function unreadable(file: string, error: unknown, what: 'read' | 'write' = 'read'): UsageError {
  const message = messageOf(error)
  // Node's message is "ENOENT: no such file or directory, open 'FILE'".
  const reason = /^E[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message
  return new UsageError(`cannot ${what} ${nameOf(file)}: ${reason}`, { cause: error })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The limit of a foreign error's message, which may contain the body of a server's answer. */
const MAX_CHARACTERS = 2_000

/** Formats an error's message as one line for standard error. It may quote untrusted text. */
export function complaint(error: unknown): string {
  const message = messageOf(error)
  const text = message.length <= MAX_CHARACTERS ? message : `${message.slice(0, MAX_CHARACTERS)}…`
  return `harmony-responses: ${plain(text.replace(/[\s\p{Cc}]+/gu, ' '))}\n`
}

export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
