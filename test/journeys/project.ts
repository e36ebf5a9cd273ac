import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../docs/pages.js'

const execute = promisify(execFile)
const here = join(root, 'test/journeys')

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
}

/** A folder that has the packed library and its examples where a checkout has them, beside the folders of those who install it. */
export interface Desk {
  /** An empty folder, but for a lock file, which decides on the versions of what is installed. */
  createFolder(name: string): Promise<string>
  remove(): Promise<void>
}

/** Packs the library as it is built. */
export async function createDesk(): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'journeys-'))
  const packed = join(folder, 'harmony-responses')
  await mkdir(packed)
  await cp(join(root, 'examples'), join(packed, 'examples'), { recursive: true })
  await execute('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packed], { cwd: root, env })
  const lock: Lock = JSON.parse(await readFile(join(here, 'package-lock.json'), 'utf8'))
  const pinned = { ...lock, packages: { ...lock.packages, '': {} } }
  return {
    async createFolder(name) {
      const path = join(folder, name)
      await mkdir(path)
      await writeFile(join(path, 'package-lock.json'), JSON.stringify(pinned))
      return path
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The packages installed in a folder whose version is not in test/journeys/package-lock.json. */
export async function unpinned(folder: string): Promise<string[]> {
  const read = async (path: string): Promise<Lock> =>
    JSON.parse(await readFile(join(path, 'package-lock.json'), 'utf8'))
  const [pinned, installed] = await Promise.all([read(here), read(folder)])
  return Object.entries(installed.packages).flatMap(([path, { version }]) => {
    const isOurs = path === '' || path === 'node_modules/harmony-responses'
    return isOurs || pinned.packages[path]?.version === version ? [] : [`${path} ${version}`]
  })
}

/** The environment of a fresh terminal: the Node that runs this, without variables of npm or of this run. */
export const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(?!config_registry)|NODE_(ENV|OPTIONS|PATH)$|HARMONY_|VITEST|INIT_CWD|TEST$)/.test(name),
    ),
  ),
  PATH: [dirname(process.execPath), process.env['PATH'], '/usr/sbin'].join(delimiter),
  NEXT_TELEMETRY_DISABLED: '1',
}

/** Ports of this machine that are free, so many. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
