import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const START_MS = 60_000

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

export function serverProgram({ name, command, ready, last, ...options }) {
  const [file, ...args] = command
  let child

  async function start() {
    let log = ''
    for (const end = Date.now() + START_MS; Date.now() < end; ) {
      log = ''
      child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
      const started = child
      const ended = once(started, 'exit').then(() => false)
      const isReady = new Promise((resolve) => {
        const read = (text) => {
          log += text
          if (log.includes(ready)) resolve(true)
        }
        started.stdout.setEncoding('utf8').on('data', read)
        started.stderr.setEncoding('utf8').on('data', read)
      })
      if (await Promise.race([isReady, ended])) return
      // After a kill, the processes of some take a moment to leave the memory that they shared.
      await wait(100)
    }
    throw new Error(`${name} did not start: ${log}`)
  }

  // Where this process ends before it removes the server.
  process.on('exit', () => child?.kill(last))
  return {
    get pid() {
      return child.pid
    },
    start,
    send: (signal) => void child.kill(signal),
    /** @param kill - ends it otherwise than by a signal to its first process */
    async end(signal, kill = () => child.kill(signal)) {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      kill()
      await ended
    },
  }
}
