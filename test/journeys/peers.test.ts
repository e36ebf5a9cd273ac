import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../docs/pages.js'
import { createDesk, type Desk, env } from './project.js'
import { type } from './terminal.js'

const manifest: { readonly exports: object; readonly peerDependencies: object } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

/** What needs an optional package, and what is said without it. */
interface Need {
  readonly subpath: string
  /** The body of a function, with the exports of the subpath as `library`. It throws the error. */
  readonly code: string
  readonly said: string
}

const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  'fast-check': [
    {
      subpath: './conformance/arbitraries',
      code: '',
      said: 'HarmonyResponsesError bad_option: fast-check is not installed: npm install fast-check@4',
    },
  ],
  'node-llama-cpp': [
    {
      subpath: './sources/llama-cpp',
      code: "await library.createLlamaCppEngine({ modelPath: 'package.json' })",
      said: 'EngineError server_error: node-llama-cpp is not installed: npm install node-llama-cpp@3',
    },
  ],
  '@modelcontextprotocol/client': ["command: 'node'", "url: 'http://127.0.0.1:9/mcp'"].map((server) => ({
    subpath: './tools/mcp',
    code: `
      let thrown
      const tools = library.mcpTools({ servers: { weather: { ${server} } }, onError: (error) => { thrown = error } })
      const tool = { type: 'mcp', server_label: 'weather' }
      await tools.listings({ tools: [tool] }, { signal: AbortSignal.timeout(20_000) })
      throw thrown`,
    said: 'HarmonyResponsesError bad_option: mcpTools: @modelcontextprotocol/client is not installed: npm install @modelcontextprotocol/client@2',
  })),
  'better-sqlite3': [
    {
      subpath: './stores/sqlite',
      code: "await library.createSqliteStore({ file: 'responses.db', driver: 'better-sqlite3' })",
      said: 'HarmonyResponsesError bad_option: createSqliteStore: expected the package better-sqlite3',
    },
  ],
  htmlparser2: [
    {
      subpath: './tools/browser',
      code: 'await library.createBrowserTool({ backend: () => [] })',
      said: 'HarmonyResponsesError bad_option: createBrowserTool: htmlparser2 is not installed: npm install htmlparser2@12',
    },
  ],
  undici: [
    {
      subpath: './tools/browser',
      code: 'await library.createGuardedFetch()',
      said: 'HarmonyResponsesError bad_option: createGuardedFetch: undici is not installed: npm install undici@7',
    },
  ],
  'ipaddr.js': [
    {
      subpath: './tools/browser',
      code: 'await library.createGuardedFetch()',
      said: 'HarmonyResponsesError bad_option: createGuardedFetch: undici is not installed: npm install undici@7',
    },
  ],
  pg: [
    {
      subpath: './stores/postgres',
      code: "await library.createPostgresStore({ url: 'postgres://me@127.0.0.1/responses' })",
      said: 'HarmonyResponsesError bad_option: createPostgresStore: pg is not installed: npm install pg@8',
    },
  ],
  redis: [
    {
      subpath: './stores/redis',
      code: "await library.createRedisStore({ url: 'redis://127.0.0.1' })",
      said: 'HarmonyResponsesError bad_option: createRedisStore: redis is not installed: npm install redis@6',
    },
  ],
  '@opentelemetry/api': [
    {
      subpath: './server',
      code: 'library.openTelemetry(undefined)',
      said: "HarmonyResponsesError bad_option: openTelemetry: expected the API: import * as api from '@opentelemetry/api', got undefined",
    },
  ],
}

describe('the packed library without its optional packages', () => {
  let desk: Desk
  let folder: string
  beforeAll(async () => {
    desk = await createDesk()
    folder = await desk.createFolder('without-peers')
    const installing = type('npm install --silent --prefer-offline ../harmony-responses/*.tgz', folder, env)
    expect(await installing.exit, installing.printed).toBe(0)
  })
  afterAll(() => desk?.remove())

  /** Returns what a module prints that uses the exports of a subpath: the error that it throws, if any. */
  async function outcome(subpath: string, code: string): Promise<string> {
    const specifier = `harmony-responses${subpath.slice(1)}`
    const use = `
      try {
        const library = await import('${specifier}')
        ${code}
        console.log('no error')
      } catch (error) {
        console.log(error.name + ' ' + error.code + ': ' + error.message)
      }`
    await writeFile(join(folder, 'use.mjs'), use)
    return (await promisify(execFile)(process.execPath, ['use.mjs'], { cwd: folder, env })).stdout
  }

  test('every optional package has a row', () => {
    expect(Object.keys(NEEDS).sort()).toEqual(Object.keys(manifest.peerDependencies).sort())
  })

  const rows = Object.entries(NEEDS).flatMap(([name, needs]) => needs.map((need) => ({ name, ...need })))
  test.each(rows)('$subpath says in one line that it needs $name', async ({ subpath, code, said }) => {
    expect(await outcome(subpath, code)).toBe(`${said}\n`)
  })

  const others = Object.keys(manifest.exports).filter(
    (name) => name !== './package.json' && name !== './conformance/arbitraries',
  )
  test('every other subpath is imported without them', async () => {
    for (const subpath of others) expect([subpath, await outcome(subpath, '')]).toEqual([subpath, 'no error\n'])
  })
})
