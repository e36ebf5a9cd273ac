import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { buildPage } from '../../scripts/build-page.mjs'
import { accessibilityFaults, inBrowser, open, servePage } from './browser.js'
import { ask, withText } from './talking.js'

const SESAME = 'open-sesame-0123456789'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

inBrowser('the shell', () => {
  test('without a key it shows a form alone; a wrong key is told, the right one opens, and a reload keeps it', async () => {
    const { url } = await servePage(['--replay', '--api-key', SESAME], {}, SESAME)
    const { page } = await open(`${url}/`)
    await page.getByRole('heading', { name: 'This server asks for a key' }).waitFor()
    expect(await page.locator('main').innerText()).not.toContain('gpt-oss')
    expect(await accessibilityFaults(page)).toEqual([])
    for (const wrong of ['a-guess', 'schlüssel']) {
      await page.getByLabel('Key').fill(wrong)
      await page.keyboard.press('Enter')
      await withText(page, 'The server does not know this key.')
    }
    await page.getByLabel('Key').fill(SESAME)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Talk with gpt-oss' }).waitFor()
    await page.reload()
    await ask(page, 'What is the capital of France?')
    await withText(page, 'The capital of France is Paris.')
    await page.getByRole('button', { name: 'Forget key' }).click()
    await page.getByRole('heading', { name: 'This server asks for a key' }).waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('another owner sees nothing of a conversation, even with its ids', async () => {
    const keys = { ann: 'the-key-of-ann-0123', bob: 'the-key-of-bob-0123' }
    const lines = Object.entries(keys).map(([owner, key]) => `${owner} ${sha256(key)}\n`)
    const { url } = await servePage(['--replay', '--api-keys', 'keys.txt'], {
      readFile: async (name) =>
        name === 'keys.txt' ? lines.join('') : (await import('node:fs/promises')).readFile(name, 'utf8'),
    })
    const { page } = await open(`${url}/`)
    await page.getByLabel('Key').fill(keys.ann)
    await page.keyboard.press('Enter')
    await ask(page, 'What is the capital of France?')
    await withText(page, 'The capital of France is Paris.')
    await page.evaluate((key) => sessionStorage.setItem('harmony-responses.key', JSON.stringify(key)), keys.bob)
    await page.reload()
    await withText(page, 'The server no longer keeps this answer.')
    expect(await page.getByText('Paris').count()).toBe(0)
  })

  test('it works below a prefix of a proxy', async () => {
    const { url } = await servePage(['--replay', '--no-key'])
    const proxy = createServer((incoming, outgoing) => {
      const { method, headers } = incoming
      if (!incoming.url?.startsWith('/llm/')) return outgoing.writeHead(404).end()
      const there = send(`${url}${incoming.url.slice(4)}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      incoming.pipe(there)
    })
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void proxy.close())
    const { page } = await open(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/llm/`)
    await ask(page, 'What is the capital of France?')
    await withText(page, 'The capital of France is Paris.')
  })

  test('it fits a phone, where the options unfold by the keyboard', async () => {
    const { url } = await servePage(['--replay'])
    const { page } = await open(`${url}/`, { viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
    await page.getByRole('button', { name: 'Options' }).press('Enter')
    await page.getByLabel('Instructions').fill('Be brief.')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('its policy allows no inline code, no eval and no other host, and its files are not asked for a key', async () => {
    const { url } = await servePage(['--replay', '--api-key', SESAME])
    const shell = await fetch(`${url}/`)
    const html = await shell.text()
    const policy = shell.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    const files = Array.from(html.matchAll(/"(page\/[^"]+)"/g), ([, path]) => path ?? '')
    expect(files.map((path) => path.split('.').at(-1)).sort()).toEqual(['css', 'js', 'js', 'svg'])
    for (const path of files) {
      const file = await fetch(`${url}/${path}`)
      expect([file.status, file.headers.get('content-encoding')]).toEqual([200, 'gzip'])
      expect(file.headers.get('cache-control')).toContain('immutable')
    }
    expect((await fetch(`${url}/page/about.json`)).status).toBe(401)
  })

  test('it serves nothing but its files, no page of another site, and nothing with --no-page', async () => {
    const { url } = await servePage(['--replay'])
    for (const name of ['..%2f..%2fpackage.json', 'index.html', '.env', 'x.js', '%2e%2e/page.js']) {
      expect((await fetch(`${url}/page/${name}`)).status, name).toBe(404)
    }
    const rebound = await new Promise<number | undefined>((resolve) => {
      send(`${url}/`, { headers: { host: 'evil.example' } }, ({ statusCode }) => resolve(statusCode)).end()
    })
    expect(rebound).toBe(403)
    const without = await servePage(['--replay', '--no-page'])
    expect(without.io.out).not.toContain('browser')
    for (const path of ['/', '/page/about.json']) expect((await fetch(`${without.url}${path}`)).status).toBe(404)
  })

  test('it is small: without the judge and the token table 130 kB gzipped, the judge 125 more, the operator’s view 35', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'budget-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { outputs } = await buildPage(folder)
    const named = (source: string): string => {
      const isOf = (path: string): boolean => outputs[path]?.entryPoint === source
      return Object.keys(outputs).find(isOf) ?? expect.unreachable(source)
    }
    /** The files that are loaded with some, without what is loaded when it is needed. */
    const loadedWith = (files: readonly string[]): Set<string> => {
      const loaded = new Set(files)
      for (const file of loaded) {
        for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') loaded.add(path)
      }
      return loaded
    }
    const kB = async (files: Iterable<string>): Promise<number> => {
      const texts = await Promise.all([...files].map((file) => readFile(join(folder, basename(file)))))
      return texts.reduce((sum, text) => sum + gzipSync(text).length, 0) / 1000
    }
    const own = loadedWith([
      ...['src/page/main.tsx', 'src/page/worker/worker.ts', 'src/page/page.css'].map(named),
      ...['src/engines/sources/replay.ts', 'src/page/worker/read-trace.ts'].map(named),
    ])
    const judge = [...loadedWith([named('src/page/worker/judge-capture.ts')])].filter((file) => !own.has(file))
    expect(await kB(own)).toBeLessThan(130)
    expect(await kB(judge)).toBeLessThan(125)
    const view = [...loadedWith([named('src/page/operate/operate.tsx')])].filter((file) => !own.has(file))
    expect(await kB(view)).toBeLessThan(35)
    const isWithPlots = (file: string): boolean =>
      Object.keys(outputs[file]?.inputs ?? {}).some((input) => input.endsWith('uPlot.esm.js'))
    expect([[...own].filter(isWithPlots).length, view.filter(isWithPlots).length]).toEqual([0, 1])
  })
})
