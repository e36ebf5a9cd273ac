import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../docs/pages.js'

const execute = promisify(execFile)
/** The folder of the lock file of the journeys. */
export const here: string = join(root, 'test/journeys')

/** The versions of the packages that the journeys install. */
export const versions: Readonly<Record<string, string>> = JSON.parse(
  await readFile(join(here, 'package.json'), 'utf8'),
).devDependencies

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
}

/** A folder that has the packed library and its examples where a checkout has them, beside the folders of those who install it. */
export interface Desk {
  /** An empty folder, but for a lock file, which decides on the versions of what is installed. */
  createFolder(name: string): Promise<string>
  /** The packages installed in a folder whose version is not in the lock files. */
  unpinned(path: string): Promise<string[]>
  remove(): Promise<void>
}

/**
 * Packs the library as it is built.
 *
 * @param pinnedBy - the folders whose lock files decide on versions; where two name the same package, the last one does
 */
export async function createDesk(pinnedBy: readonly string[] = [here]): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'journeys-'))
  expectNoProjectAbove(folder)
  const packed = join(folder, 'harmony-responses')
  await mkdir(packed)
  await cp(join(root, 'examples'), join(packed, 'examples'), { recursive: true })
  await execute('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packed], { cwd: root, env })
  const locks = await Promise.all(pinnedBy.map(readLock))
  const packages = Object.assign({}, ...locks.map((lock) => lock.packages), { '': {} }) as Lock['packages']
  const pinned = { ...locks.at(-1), packages }
  return {
    async createFolder(name) {
      const path = join(folder, name)
      await mkdir(path)
      await writeFile(join(path, 'package-lock.json'), JSON.stringify(pinned))
      return path
    },
    async unpinned(path) {
      const installed = await readLock(path)
      return Object.entries(installed.packages).flatMap(([name, { version }]) => {
        const isOurs = name === '' || name === 'node_modules/harmony-responses'
        return isOurs || packages[name]?.version === version ? [] : [`${name} ${version}`]
      })
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A folder without a `package.json` is no empty one for npm if a folder above it has one: it installs there. */
function expectNoProjectAbove(folder: string): void {
  for (let above = dirname(folder); ; above = dirname(above)) {
    if (existsSync(join(above, 'package.json'))) throw new Error(`${above}/package.json: npm would install there`)
    if (above === dirname(above)) return
  }
}

async function readLock(folder: string): Promise<Lock> {
  return JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'))
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

/** Clones what is committed, as a newcomer does, and returns the new folder. */
export async function cloneInto(folder: string): Promise<string> {
  const cloned = join(folder, 'harmony-responses')
  await execute('git', ['clone', '--quiet', root, cloned], { env })
  return cloned
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
