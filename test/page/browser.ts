import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { buildPage } from '../../scripts/build-page.mjs'
import type { FakeIo } from '../cli/io.js'
import { type Served, serve } from '../cli/served.js'
import { TOO_SHORT } from '../support/runs.js'
import { describeUnless } from '../support/slow-suites.js'

/** Debian's package `chromium`, or another one that a variable names. */
const PROGRAM = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium'].find((path) => path && existsSync(path))

let browser: Browser | undefined
let folder = ''

/** Describes tests in a real browser, which run in CI, and wherever else runs are as long and there is one. */
export function inBrowser(name: string, tests: () => void): void {
  const isMissing = PROGRAM === undefined && process.env['CI'] === undefined
  const obstacle = process.env['PAGE_PICTURES'] === undefined ? TOO_SHORT : undefined
  const reason = obstacle ?? (isMissing ? 'skipped: no chromium' : undefined)
  describeUnless(reason, name, () => {
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'page-'))
      await buildPage(folder)
      browser = await launch()
    })
    afterAll(async () => {
      await browser?.close()
    })
    tests()
  })
}

/** Starts another browser. */
export function launch(): Promise<Browser> {
  return chromium.launch({ ...(PROGRAM !== undefined && { executablePath: PROGRAM }) })
}

/** Runs `serve` with the page as it is built from these sources. */
export function servePage(args: readonly string[], given: Partial<FakeIo> = {}, key?: string): Promise<Served> {
  return serve(args, { page: folder, ...given }, key)
}

/** A script of a model's turns as the file of `--script`. */
export function script(...turns: readonly unknown[]): readonly [readonly string[], Partial<FakeIo>] {
  return [['--script', 'turns.json'], { readFile: async () => JSON.stringify(turns) }]
}

export interface Opened {
  readonly page: Page
  /** What a browser complains of: errors, violations of the policy, requests to other hosts. */
  readonly trouble: readonly string[]
}

export interface Look extends Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'permissions'> {
  readonly in?: Browser
}

/** Opens an address in a browser without history. The test fails if the browser complains of anything. */
export async function open(url: string, { in: other, ...look }: Look = {}): Promise<Opened> {
  const from = other ?? browser
  if (from === undefined) return expect.unreachable('no browser')
  const context = await from.newContext({
    ...{ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } },
    ...look,
  })
  const trouble: string[] = []
  await context.exposeBinding('complainOf', (_, text: string) => void trouble.push(text))
  await context.addInitScript(watch)
  const page = await context.newPage()
  page.on('pageerror', (error) => trouble.push(`${error}`))
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && host !== new URL(url).host) trouble.push(`request to ${host}`)
  })
  onTestFinished(async () => {
    await context.close()
    expect(trouble).toEqual([])
  })
  await page.goto(url)
  return { page, trouble }
}

declare global {
  interface Window {
    complainOf(text: string): void
    shifts: number
  }
}

/** Runs in the page, before its scripts. */
function watch(): void {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
    window.complainOf(`policy: ${violatedDirective} ${blockedURI} ${sourceFile}`)
  })
  window.shifts = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
      if (!hadRecentInput) window.shifts += value
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Returns what axe finds against WCAG 2.2 AA, a line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target} ${failureSummary}`),
  )
}
