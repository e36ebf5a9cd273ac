import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { withoutEval } from '../../../src/shared/system/without-eval.js'

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url))

function filesOf(place: string): string[] {
  if (place.endsWith('.ts')) return [SRC + place]
  const names = readdirSync(SRC + place, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${SRC}${place}/${name}`)
}

/** What a page may import alone, and something that it reads with it. */
const READERS: Readonly<Record<string, string>> = {
  'engines/sources/token-fixture.ts': `try { module.readTokenFixture('{}') } catch {}`,
  'endpoint/request/index.ts': `module.parseRequest({ model: 'm', input: [{ role: 'user', content: 'Hi' }] })`,
  'judge/conformance/index.ts': `
    for (const profile of [...module.PROFILES, ...module.CHAT_PROFILES, ...module.MESSAGES_PROFILES]) {
      const checker = module.createCaptureChecker({ profile })
      checker.push('data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{}}]}\\n\\n')
      checker.push('event: message_start\\ndata: {"type":"message_start","message":{"content":[]}}\\n\\n')
      checker.push('data: {"type":"response.created","response":{}}\\n\\n')
      checker.end()
    }`,
}

/** How often a bundle of a file compiles code, loaded and used in a process of its own. */
async function compilesOf(file: string, isPage: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'without-eval-'))
  try {
    await build({
      entryPoints: [SRC + file],
      outfile: join(folder, 'module.mjs'),
      ...{ bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' },
    })
    const program = `
      let compiled = 0
      const count = { construct(...given) { compiled += 1; return Reflect.construct(...given) } }
      globalThis.Function = new Proxy(Function, count)
      ${isPage ? 'globalThis.document = {}' : ''}
      const module = await import(${JSON.stringify(pathToFileURL(join(folder, 'module.mjs')).href)})
      ${READERS[file]}
      console.log(compiled)`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    return Number(stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('zod in a page', () => {
  test.each(Object.keys(READERS))('%s compiles nothing there, loaded alone and read with', async (file) => {
    expect(await compilesOf(file, true)).toBe(0)
    expect(await compilesOf(file, false)).toBeGreaterThan(0)
  })

  test('each file that makes schemas for pages chooses before it does: a bundler may leave out the others', () => {
    const files = ['judge', 'endpoint/request', 'engines/sources/token-fixture.ts'].flatMap((place) => filesOf(place))
    const making = files.filter((file) => /^import \* as z from 'zod'/m.test(readFileSync(file, 'utf8')))
    expect(making.length).toBeGreaterThan(10)
    expect(making.filter((file) => !/^withoutEval\(\)$/m.test(readFileSync(file, 'utf8')))).toEqual([])
  })

  test('a worker of a page is one, too, and elsewhere zod stays as it is', () => {
    const worker = { WorkerGlobalScope: Function, __zod_globalConfig: {} }
    withoutEval(worker)
    expect(worker.__zod_globalConfig).toEqual({ jitless: true })
    const server = { __zod_globalConfig: {} }
    withoutEval(server)
    expect(server.__zod_globalConfig).toEqual({})
  })

  test('what the page has chosen itself stays', () => {
    const page = { document: {}, __zod_globalConfig: { jitless: false } }
    withoutEval(page)
    expect(page.__zod_globalConfig.jitless).toBe(false)
  })
})
