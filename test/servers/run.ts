import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs the pip of an environment, and returns what it printed. */
export type Pip = (...args: readonly string[]) => Promise<string>

const execute = promisify(execFile)
const MAX_PRINTED = 64 * 1024 * 1024

/** Runs a program, and returns what it printed. @throws Error with the end of that, if it fails */
export async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  try {
    return (await execute(program, args, { maxBuffer: MAX_PRINTED, env: { ...process.env, ...env } })).stdout
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`${message.slice(0, 1000)}\n${`${stdout}${stderr}`.slice(-4000)}`)
  }
}
