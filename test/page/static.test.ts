import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { buildStaticPage } from '../../scripts/build-page.mjs'
import { encodeHarmony } from '../support/tokens.js'
import { accessibilityFaults, inBrowser, launch, open } from './browser.js'
import { withText } from './talking.js'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

async function built(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'static-page-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await buildStaticPage(folder)
  return folder
}

/** Serves a folder below a path, and nothing else. Returns its address, and what was asked for. */
async function serveFolder(folder: string, below: string): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer(async ({ method, url = '' }, answer) => {
    asked.push(`${method} ${url}`)
    const name = url === below ? 'index.html' : url.replace(below, '')
    const file = await readFile(join(folder, name)).catch(() => undefined)
    answer.writeHead(file === undefined ? 404 : 200, { 'content-type': TYPES[extname(name)] ?? 'text/plain' })
    answer.end(file)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${below}`, asked }
}

inBrowser('the page as a folder', () => {
  test('a plain server of files serves it below any path; it reads tokens and captures, and asks for its files alone', async () => {
    const { url, asked } = await serveFolder(await built(), '/some/where/')
    const { page } = await open(url, { permissions: ['clipboard-read', 'clipboard-write'] })
    const look = async (text: string): Promise<void> => {
      await page.getByRole('textbox').fill(text)
      await page.getByRole('button', { name: 'Look', exact: true }).click()
    }
    await look(encodeHarmony('<|channel|>final<|message|>Hi there<|return|>').join(' '))
    await page.getByRole('slider').press('End')
    await withText(page, 'Events so far: 9 of 9')
    await look('data: {"type":"response.created","sequence_number":5}\n\n')
    await page.locator('.finding').first().waitFor()
    await look(await readFile('fixtures/code-interpreter.json', 'utf8'))
    await page.getByRole('heading', { name: /^The fixture code-interpreter: 77 tokens/ }).waitFor()
    await page.getByRole('button', { name: 'Copy a link' }).click()
    await withText(page, 'Copied. The link holds all of it.')
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link.startsWith(`${url}#look=`)).toBe(true)
    const { page: other } = await open(link)
    await other.getByRole('heading', { name: /^The fixture code-interpreter: 77 tokens/ }).waitFor()
    expect(await accessibilityFaults(other)).toEqual([])
    expect(asked.filter((line) => !/^GET \/some\/where\/(?:page\/[\w-]+\.\w+)?$/.test(line))).toEqual([])
  })

  test('its policy stands in it, and lets it ask no server for anything', async () => {
    const html = await readFile(join(await built(), 'index.html'), 'utf8')
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html) ?? []
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("connect-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*|frame-ancestors/)
  })

  test('opened as a file, it says that it needs a web server', async () => {
    const browser = await launch()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(pathToFileURL(join(await built(), 'index.html')).href)
    await page.getByText('open it by a web server').waitFor()
  })
})
