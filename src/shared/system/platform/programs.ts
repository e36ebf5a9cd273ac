import { type ChildProcess, execFile, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/** The only variables that a program gets: those by which `docker`, `podman` and `systemd-run` find their servers. */
const PASSED = [
  ...['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'DOCKER_TLS_VERIFY', 'DOCKER_CERT_PATH', 'CONTAINER_HOST'],
] as const

/** A running program. */
export interface Program {
  readonly input: Writable
  readonly output: Readable
  /** Resolves when it has ended, and its output was read: to how, `exit code 1`, with the end of its standard error. */
  readonly ended: Promise<ProgramEnd>
  /** Ends it at once. */
  kill(): void
}

export interface ProgramEnd {
  /** How it ended: `exit code 1`, `signal SIGKILL`, `not found`. */
  readonly how: string
  /** Its standard error: the end of it, if it is long. */
  readonly errors: string
}

/** The maximum length of standard error that is kept, in UTF-16 units. */
const MAX_ERRORS = 4_000

/** Starts a program, with few of this process's variables. It never throws: a program that is not there ends at once. */
export function startProgram([file = '', ...args]: readonly string[]): Program {
  const child = spawn(file, args, { env: passedVariables(), stdio: 'pipe' })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-MAX_ERRORS)))
  // A program that has ended does not read.
  child.stdin.on('error', () => {})
  const ended = whenEnded(child).then((how) => ({ how, errors }))
  return { input: child.stdin, output: child.stdout, ended, kill: () => endNow(child) }
}

/** Ends a process at once, also one that is stopped. */
export function endNow(child: Pick<ChildProcess, 'kill'>): void {
  child.kill('SIGKILL')
}

function whenEnded(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ENOENT' ? 'not found' : error.message))
    child.on('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
}

/** Runs a program to its end, of which it gives what it has written; `how` is undefined if it succeeded. */
export function runProgram(
  [file = '', ...args]: readonly string[],
  seconds: number,
): Promise<{ readonly how: string | undefined; readonly output: string; readonly errors: string }> {
  return new Promise((resolve) => {
    const options = { env: passedVariables(), timeout: seconds * 1000, killSignal: 'SIGKILL' as const }
    execFile(file, args, options, (error, output, errors) => {
      const how = error === null ? undefined : error.code === 'ENOENT' ? 'not found' : `exit code ${error.code}`
      resolve({ how, output, errors })
    })
  })
}

function passedVariables(): NodeJS.ProcessEnv {
  const { env } = process
  return Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}

/** Whether this process has the rights of the system's administrator. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}
