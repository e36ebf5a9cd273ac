import { plain } from './terminal-text.js'
import type { Screen } from './timeline-layout.js'

/** All that the command line touches of the world. */
export interface Io {
  /** The package's version. */
  readonly version: string
  /** What standard output is shown on. */
  readonly screen: Screen
  /** The environment's variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder of the token fixtures that ship with the package. */
  readonly fixtures: string
  /** The date in UTC: `2026-01-31`. */
  today(): string
  /** The time of day in UTC: `12:34:56`. */
  time(): string
  readFile(path: string): Promise<string>
  /** The names of what is in a folder. Rejects with `ENOTDIR` if it is none. */
  readFolder(path: string): Promise<string[]>
  readStdin(): Promise<string>
  /** Makes a folder that can be written to, and those above it. */
  makeFolder(path: string): Promise<void>
  /** Writes a whole file, and makes its folder: others see all of it or nothing. */
  writeFile(path: string, pieces: Iterable<string>): Promise<void>
  /** Adds to the end of a file, which is made if there is none. */
  appendFile(path: string, text: string): Promise<void>
  /**
   * A file as it is read, in pieces of bounded size; standard input (`-`) as it comes. A piece is valid until the next one
   * is asked for.
   */
  pieces(path: string): AsyncIterable<Uint8Array | string>
  /** Writes to standard output. Resolves when more may come; rejects with `EPIPE` once the reader is gone. */
  print(text: string): Promise<void>
  /** Writes to standard error. */
  complain(text: string): void
  /** Calls the listener each time that the process is told to stop. Returns what ends that. */
  onStop(listener: () => void): () => void
}

/** What a file is called in messages. */
export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file
}

/** A file's text; standard input's, where it is `-`. Throws a {@link UsageError}. */
export async function readFileOrStdin(file: string, io: Io): Promise<string> {
  try {
    return await (file === '-' ? io.readStdin() : io.readFile(file))
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** Wrong usage, or a file that cannot be read: exit code 2. */
export class UsageError extends Error {}

/** Why a file cannot be read, or written, in the same words for all commands. */
export function unreadable(file: string, error: unknown, what: 'read' | 'write' = 'read'): UsageError {
  const message = messageOf(error)
  // Node says "ENOENT: no such file or directory, open 'FILE'".
  const reason = /^E[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message
  return new UsageError(`cannot ${what} ${nameOf(file)}: ${reason}`, { cause: error })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Of the message of an error that is not ours: the body of a server's answer may be in it. */
const MOST_CHARACTERS = 2_000

/** An error's message as one line for standard error. It may quote what somebody else wrote. */
export function complaint(error: unknown): string {
  const message = messageOf(error)
  const shown = message.length <= MOST_CHARACTERS ? message : `${message.slice(0, MOST_CHARACTERS)}…`
  return `harmony-responses: ${plain(shown.replace(/[\s\p{Cc}]+/gu, ' '))}\n`
}

export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
