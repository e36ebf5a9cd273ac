import { statSync } from 'node:fs'
import { type Io, messageOf, nameOf, readFileOrStdin, UsageError } from '../io.js'

/** Where a key or another secret of `serve` is: in a file, or given as it is. */
export type Secret = {
  /** The option or the variable that gives it: `--seal-keys`, `HARMONY_RESPONSES_SEAL_KEYS_FILE`. */
  readonly name: string
} & (FileOfSecret | { readonly text: string })

interface FileOfSecret {
  readonly file: string
  /** Whether messages name the file. That of a variable may be a key, which someone took for its file. */
  readonly isShown: boolean
  /** Checks the file before each reading. @throws UsageError */
  readonly check?: () => void
}

/** The environment variables with the keys of `serve`. Each may instead be `NAME_FILE`, the path of a file with them. */
export const KEY_VARIABLES = {
  client: 'HARMONY_RESPONSES_API_KEY',
  clients: 'HARMONY_RESPONSES_API_KEYS',
  operator: 'HARMONY_RESPONSES_OPERATOR_KEY',
  seal: 'HARMONY_RESPONSES_SEAL_KEYS',
  engine: 'HARMONY_ENGINE_API_KEY',
} as const

/** The variable of the store: its address has a password, which a command line shows. */
export const STORE_VARIABLE = 'HARMONY_RESPONSES_STORE'

const SUFFIX = '_FILE'

/**
 * Returns the secret of a variable: its value, or the file that `NAME_FILE` names.
 *
 * @param where - begins the message: `--mcp-config servers.json: "search".url`
 * @returns undefined if neither is set
 * @throws UsageError if both are set: one of them would be ignored
 */
export function variableSecret(name: string, env: Io['env'], where?: string): Secret | undefined {
  const [text, file] = [env[name], env[name + SUFFIX]]
  const begin = where === undefined ? '' : `${where}: `
  if (text !== undefined && file !== undefined) {
    throw new UsageError(`${begin}${name}: expected it or ${name + SUFFIX}, got both`)
  }
  if (file === '') throw new UsageError(`${begin}${name + SUFFIX}: expected a file, got an empty text`)
  if (file !== undefined) return { name: begin + name + SUFFIX, file, isShown: false }
  return text === undefined ? undefined : { name: begin + name, text }
}

/** Returns the secret of an option that takes a file. @throws UsageError */
export function fileSecret(option: string, file: string | undefined): Secret | undefined {
  if (file === '') throw new UsageError(`${option}: expected a file, got an empty text`)
  return file === undefined ? undefined : { name: option, file, isShown: true }
}

/** Returns the name of a secret in messages. */
export function secretName(secret: Secret): string {
  return 'file' in secret && secret.isShown ? `${secret.name} ${nameOf(secret.file)}` : secret.name
}

/**
 * Returns the text of a secret. That of a file is without the line ends at its end, which editors and `echo` add.
 *
 * @throws UsageError if its file cannot be read or is empty
 */
export async function readSecret(secret: Secret, io: Io): Promise<string> {
  if ('text' in secret) return secret.text
  secret.check?.()
  const text = (await fileText(secret, io)).replace(/[\r\n]+$/, '')
  if (text.trim() === '') throw new UsageError(`${secretName(secret)}: expected a file that is not empty`)
  return text
}

async function fileText({ name, file, isShown }: Secret & FileOfSecret, io: Io): Promise<string> {
  try {
    return await readFileOrStdin(file, io)
  } catch (error) {
    if (isShown) throw error
    throw new UsageError(`${name}: ${messageOf(error).replace(file, () => 'its file')}`, { cause: error })
  }
}

/** Whether a secret can be read once only: from standard input, or a pipe. Opening a pipe again waits for a writer. */
export function isReadOnce(secret: Secret): boolean {
  if ('text' in secret) return true
  if (secret.file === '-') return true
  const found = statSync(secret.file, { throwIfNoEntry: false })
  return found !== undefined && !found.isFile() && !found.isDirectory()
}
