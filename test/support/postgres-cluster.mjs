import { execFileSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort, serverProgram } from './server-program.mjs'

/* A Postgres server of its own in a temporary folder, on a free port: it is killed, paused and started again by tests. */

/** Debian's packages put the server's programs beside the path. */
const DEBIAN = '/usr/lib/postgresql'
const PASSWORD = 'swordfish'

/** @returns {string | undefined} the folder of the server's programs */
function programs() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map((each) => join(DEBIAN, each, 'bin')), ...(process.env.PATH ?? '').split(delimiter)]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

export function postgresObstacle() {
  if (programs() === undefined)
    return 'needs the programs initdb and postgres: Debian has them in the package postgresql'
  if (process.getuid?.() === 0 && asUser() === undefined)
    return 'Postgres refuses root, and there is no user postgres or nobody'
}

/** @returns the user that runs the server: another one, where this one is root, whom it refuses */
function asUser() {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const idOf = (kind) =>
        Number(execFileSync('id', [kind, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
      return { uid: idOf('-u'), gid: idOf('-g') }
    } catch {
      // The next one.
    }
  }
}

export async function startPostgres({ settings = {} } = {}) {
  const bin = programs()
  const user = asUser()
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
  const data = join(folder, 'data')
  const passwords = join(folder, 'password')
  writeFileSync(passwords, PASSWORD)
  mkdirSync(data)
  if (user.uid !== undefined) for (const path of [folder, data, passwords]) chownSync(path, user.uid, user.gid)
  const init = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    '--pwfile',
    passwords,
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ]
  execFileSync(join(bin, 'initdb'), init, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const port = await freePort()
  const options = {
    ...{ listen_addresses: '127.0.0.1', unix_socket_directories: folder, max_connections: 200 },
    // The machine does not fail under it, and a kill of the server loses nothing that the system has.
    ...{ fsync: 'off', ...settings },
  }
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const server = serverProgram({
    ...{ name: 'Postgres', command: [join(bin, 'postgres'), ...args], ...user, cwd: folder },
    ...{ ready: 'ready to accept connections', last: 'SIGQUIT' },
  })

  /** The server's own processes, which are in no group with it. */
  function pids() {
    const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ')
    return [server.pid, ...children.filter((pid) => pid !== '').map(Number)]
  }

  function signal(name) {
    for (const pid of pids()) {
      try {
        process.kill(pid, name)
      } catch {
        // It has ended since.
      }
    }
  }

  await server.start()
  return {
    port,
    folder,
    password: PASSWORD,
    programs: bin,
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    start: server.start,
    /** Ends in order, without waiting for its clients. */
    stop: () => server.end('SIGINT'),
    /** A crash of the server and of all of its processes. */
    kill: () => server.end('SIGKILL', () => signal('SIGKILL')),
    pause: () => signal('SIGSTOP'),
    wake: () => signal('SIGCONT'),
    async remove() {
      signal('SIGCONT')
      await server.end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
