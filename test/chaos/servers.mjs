import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { killed, stopped } from './child.mjs'

const PROGRAM = fileURLToPath(new URL('./server.mjs', import.meta.url))

/** A server that can be killed and started again: another process each time. */
export function createServer({ settings, counts, takeOvers, errors }) {
  let child
  let port
  /** The state that a server reports if it takes long to stop. */
  let lateness

  return {
    /** Undefined while it takes no connection. */
    get port() {
      return port
    },
    async start() {
      child = fork(PROGRAM, [], { env: { ...process.env, CHAOS: JSON.stringify(settings), NODE_NO_WARNINGS: '1' } })
      const started = child
      const listens = new Promise((resolve, reject) => {
        started.on('exit', (code, signal) => {
          if (child === started) port = undefined
          reject(new Error(`a server ended at its start: ${code ?? signal}`))
        })
        started.on('message', (message) => {
          if (message.type === 'listens') resolve(message.port)
          else if (message.type === 'stops_late') lateness = message
          else if (message.type === 'taken_over') {
            counts.takeOvers += 1
            takeOvers.push(message)
          } else if (message.type === 'engine_restarted') counts.engineRestarts += 1
          else if (message.type === 'error') {
            counts.errors += 1
            const what = message.message.replaceAll(/resp_\w+/g, 'a response')
            errors.set(what, (errors.get(what) ?? 0) + 1)
          }
        })
      })
      port = await listens
    },
    /** Ends at once. */
    async kill() {
      port = undefined
      await killed(child)
    },
    /** Stops in order. @returns what it was at if it did not end in time */
    async stop() {
      port = undefined
      const [, signal] = await stopped(child)
      return signal === null ? [] : [`a server did not end by SIGTERM: ${JSON.stringify(lateness)}`]
    },
    /** Kills it without waiting for its end. */
    end: () => child?.kill('SIGKILL'),
    /** Sleeps, and still takes connections. */
    pause: () => child.kill('SIGSTOP'),
    wake: () => child.kill('SIGCONT'),
    killEngine: () => child.send({ type: 'engine_dies' }),
    slow: (ms) => child.send({ type: 'slow', ms }),
  }
}
