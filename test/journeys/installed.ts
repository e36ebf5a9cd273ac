import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { TestProject } from 'vitest/node'
import { createDesk, type Desk, env, versions } from './project.js'
import { type } from './terminal.js'

/** Folders in which the packed library is installed: alone, and with what MCP servers, the browser and the stores in servers need. */
export interface Installed {
  readonly library: string
  readonly withPeers: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    installed: Installed
  }
}

const PACKAGES = [
  ...['@modelcontextprotocol/client', '@modelcontextprotocol/server', 'zod'],
  ...['htmlparser2', 'undici', 'ipaddr.js'],
  ...['pg', 'redis'],
]

/** Packs and installs the library once for all files of tests: npm takes ten seconds to unpack it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const desk = await createDesk()
  const library = await desk.createFolder('library')
  await install(desk, library, '../harmony-responses/*.tgz')
  const withPeers = await desk.createFolder('library-and-peers')
  await cp(library, withPeers, { recursive: true, verbatimSymlinks: true })
  await install(desk, withPeers, ...PACKAGES.map((name) => `${name}@${versions[name]}`))
  provide('installed', { library, withPeers })
  return () => desk.remove()
}

async function install(desk: Desk, folder: string, ...packages: readonly string[]): Promise<void> {
  const installing = type(`npm install --silent --prefer-offline ${packages.join(' ')}`, folder, env)
  expect(await installing.exit, installing.printed).toBe(0)
  expect(await desk.unpinned(folder)).toEqual([])
}

/** Writes files of a folder, by their paths in it. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
}

/** Gives a folder what is installed in another one. */
export async function shareInstalled(folder: string, from: string): Promise<void> {
  await symlink(join(from, 'node_modules'), join(folder, 'node_modules'))
}
