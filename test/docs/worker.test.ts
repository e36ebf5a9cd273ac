import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { namedBlock, root } from './pages.js'
import { sources } from './snippets.js'
import { world } from './world.js'

interface Worker {
  fetch(request: Request, env: Readonly<Record<string, string>>): Promise<Response>
}

const { url, sealKey } = world()
const ENV = { VLLM_URL: url, CLIENT_KEY: 'key-of-ann-0123456789', SEAL_KEY: sealKey }
const KEY = { authorization: `Bearer ${ENV.CLIENT_KEY}` }

let folder: string
let imported: readonly string[]
let worker: Worker

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'worker-'))
  const outfile = join(folder, 'worker.mjs')
  const { metafile } = await build({
    stdin: { contents: namedBlock('docs/server.md', 'worker').code, loader: 'ts', resolveDir: root },
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    // As Cloudflare's own tool bundles it.
    conditions: ['workerd', 'worker', 'browser'],
    alias: sources,
    metafile: true,
    tsconfigRaw: '{}',
  })
  imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  worker = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)).default
})
afterAll(() => rm(folder, { recursive: true }))

describe('the Worker of docs/server.md', () => {
  test('the Worker is one file, which imports nothing', () => {
    expect(imported).toEqual([])
  })

  test('the Worker answers at its own host name', async () => {
    const body = JSON.stringify({ input: 'Say hi.', store: false })
    const request = new Request('https://me.example.com/v1/responses', { method: 'POST', headers: KEY, body })
    const answer = await (await worker.fetch(request, ENV)).json()
    expect(answer).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hi!' }] }] })
  })

  test('the Worker refuses those who have no key', async () => {
    expect((await worker.fetch(new Request('https://me.example.com/v1/models'), ENV)).status).toBe(401)
  })
})
