import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A program of programs/ in a process of its own, whose commands are answered one by one. */
export async function startProgram(name, ...args) {
  const program = fileURLToPath(new URL(`./programs/${name}.mjs`, import.meta.url))
  const child = fork(program, args, { execArgv: ['--expose-gc'] })
  const [ready] = await once(child, 'message')
  return {
    ...ready,
    child,
    async ask(command, options = {}) {
      child.send({ command, options })
      const [answer] = await once(child, 'message')
      return answer
    },
  }
}

/**
 * Microseconds of processor time of a program while something happens.
 *
 * @param {Awaited<ReturnType<typeof startProgram>>} program
 * @param {() => Promise<void>} run
 */
export async function cpuOf(program, run) {
  const before = await program.ask('cpu')
  await run()
  const after = await program.ask('cpu')
  return after.user + after.system - before.user - before.system
}
