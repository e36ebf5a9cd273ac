import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from 'redis'

/* A Redis of its own in a temporary folder, on a free port: it is killed, paused and started again by tests. */

const PASSWORD = 'swordfish'
const START_MS = 60_000

/** @returns {string | undefined} Valkey's program does as well */
function program() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const places = ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name)))
  return places.find((place) => existsSync(place))
}

export function redisObstacle() {
  if (program() === undefined) return 'needs the program redis-server: Debian has it in the package redis-server'
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

export async function startRedis({ settings = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  const port = await freePort()
  const options = {
    ...{ bind: '127.0.0.1', port, dir: folder, requirepass: PASSWORD, save: '', 'enable-debug-command': 'local' },
    ...settings,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const url = `redis://:${PASSWORD}@127.0.0.1:${port}`
  let child
  let log = ''

  async function start() {
    for (const end = Date.now() + START_MS; Date.now() < end; ) {
      log = ''
      child = spawn(program(), args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
      const started = child
      const ended = once(started, 'exit').then(() => false)
      const ready = new Promise((resolve) => {
        const read = (text) => {
          log += text
          if (log.includes('Ready to accept connections')) resolve(true)
        }
        started.stdout.setEncoding('utf8').on('data', read)
        started.stderr.setEncoding('utf8').on('data', read)
      })
      if (await Promise.race([ready, ended])) return
      await wait(100)
    }
    throw new Error(`Redis did not start: ${log}`)
  }

  async function end(signal) {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  // Where this process ends before it removes the server.
  process.on('exit', () => child.kill('SIGKILL'))
  await start()
  return {
    ...{ port, folder, url, password: PASSWORD, start },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    /** Sends commands, one after another. Returns their answers. */
    async send(...commands) {
      const client = createClient({ url, RESP: 2 })
      client.on('error', () => {})
      await client.connect()
      try {
        const answers = []
        for (const command of commands) answers.push(await client.sendCommand(command))
        return answers
      } finally {
        client.destroy()
      }
    },
    async remove() {
      child.kill('SIGCONT')
      await end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
