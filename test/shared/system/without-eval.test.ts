import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { withoutEval } from '../../../src/shared/system/without-eval.js'

afterEach(() => vi.unstubAllGlobals())

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url))

function filesOf(place: string): string[] {
  if (place.endsWith('.ts')) return [SRC + place]
  const names = readdirSync(SRC + place, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${SRC}${place}/${name}`)
}

const zod = (): object => (globalThis as { __zod_globalConfig?: object }).__zod_globalConfig ?? {}

describe('zod in a page', () => {
  test('nothing that a page may import compiles code: neither when it is loaded nor when it reads', async () => {
    let compiled = 0
    const compiling = new Proxy(Function, {
      construct(target, given, as) {
        compiled += 1
        return Reflect.construct(target, given, as)
      },
    })
    const loaded: Record<string, number> = {}
    const counted = async <Module>(name: string, load: () => Promise<Module>): Promise<Module> => {
      vi.stubGlobal('document', {})
      vi.stubGlobal('Function', compiling)
      // Each has to choose by itself: a page may import it alone.
      Object.assign(globalThis, { __zod_globalConfig: Object.assign(zod(), { jitless: undefined }) })
      const before = compiled
      const module = await load()
      loaded[name] = compiled - before
      return module
    }
    const { readTokenFixture } = await counted(
      'token fixtures',
      () => import('../../../src/engines/sources/token-fixture.js'),
    )
    const judge = await counted('the judge', () => import('../../../src/judge/conformance/index.js'))
    const { parseRequest } = await counted('requests', () => import('../../../src/endpoint/request/index.js'))
    await counted('what they read', async () => {
      expect(() => readTokenFixture('{}')).toThrow()
      for (const profile of judge.PROFILES)
        judge.checkEvents([{ type: 'response.created', response: {} }] as never, { profile })
      for (const profile of [...judge.CHAT_PROFILES, ...judge.MESSAGES_PROFILES]) {
        const checker = judge.createCaptureChecker({ profile })
        checker.push('data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{}}]}\n\n')
        checker.push('event: message_start\ndata: {"type":"message_start","message":{"content":[]}}\n\n')
        checker.end()
      }
      parseRequest({ model: 'm', input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] })
    })
    expect(loaded).toEqual({ 'token fixtures': 0, 'the judge': 0, requests: 0, 'what they read': 0 })
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
