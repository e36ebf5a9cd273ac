import { spawn } from 'node:child_process'

/** A command that was typed, with the processes that it starts. */
export interface Terminal {
  /** Its output so far, on standard output and standard error. */
  readonly printed: string
  /** Resolves to its exit code; null if a signal ended it. */
  readonly exit: Promise<number | null>
  readonly isRunning: boolean
  /** Resolves when `isEnough` holds for what it has printed, or when it has ended. */
  until(isEnough: (printed: string) => boolean): Promise<void>
  /** Sends SIGTERM to the command alone, as a supervisor may. Its exit follows when all of its processes have ended. */
  terminate(): void
  /** Ends all of its processes at once, as a power failure would. */
  kill(): void
  /** Sends Ctrl-C, and kills it after ten seconds. Resolves when all of its processes have ended. */
  close(): Promise<void>
}

/** Types commands in a folder. The first that fails ends them. */
export function type(commands: string, cwd: string, env: NodeJS.ProcessEnv): Terminal {
  // In a process group of its own, as in a terminal, where Ctrl-C reaches all of it.
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let isRunning = true
  let look = (): void => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      look()
    })
  }
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      isRunning = false
      resolve(code)
      look()
    })
  })
  const signal = (name: NodeJS.Signals): void => {
    // It may have ended meanwhile.
    if (isRunning && child.pid !== undefined) process.kill(-child.pid, name)
  }
  return {
    get printed() {
      return printed
    },
    exit,
    get isRunning() {
      return isRunning
    },
    until: (isEnough) =>
      new Promise((resolve) => {
        look = () => {
          if (!isRunning || isEnough(printed)) resolve()
        }
        look()
      }),
    terminate() {
      child.kill('SIGTERM')
    },
    kill: () => signal('SIGKILL'),
    async close() {
      signal('SIGINT')
      const timer = setTimeout(() => signal('SIGKILL'), 10_000)
      await exit
      clearTimeout(timer)
    },
  }
}
