import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createClient } from 'redis'
import { freePort, serverProgram } from './server-program.mjs'

/* A Redis of its own in a temporary folder, on a free port: it is killed, paused and started again by tests. */

const PASSWORD = 'swordfish'

/** @returns {string | undefined} Valkey's program does as well */
function program() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const places = ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name)))
  return places.find((place) => existsSync(place))
}

export function redisObstacle() {
  if (program() === undefined) return 'needs the program redis-server: Debian has it in the package redis-server'
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
  const server = serverProgram({
    ...{ name: 'Redis', command: [program(), ...args], cwd: folder },
    ...{ ready: 'Ready to accept connections', last: 'SIGKILL' },
  })
  await server.start()
  return {
    ...{ port, folder, url, password: PASSWORD, start: server.start },
    stop: () => server.end('SIGTERM'),
    kill: () => server.end('SIGKILL'),
    pause: () => server.send('SIGSTOP'),
    wake: () => server.send('SIGCONT'),
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
      server.send('SIGCONT')
      await server.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
