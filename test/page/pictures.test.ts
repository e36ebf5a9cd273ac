import { mkdir, readFile, writeFile } from 'node:fs/promises'
import pixelmatch from 'pixelmatch'
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { inBrowser, launch, open, servePage } from './browser.js'
import { enter, tell } from './operating.js'
import { withText } from './talking.js'

/** Where `npm run page:pictures` keeps them. */
const FOLDER = new URL('../../docs/pictures/', import.meta.url)

/** The share of pixels that may differ between two launches. */
const MAX_SHARE = 0.001

/** Brings each view to where its picture is taken. */
const VIEWS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async talk(page) {
    await page.getByRole('button', { name: 'What is the 20th Fibonacci number?' }).click()
    await withText(page, 'The 20th Fibonacci number is 6765.')
    await page.getByText('Reasoning', { exact: true }).click()
    await page.getByLabel('Message', { exact: true }).fill('And the 21st?')
  },
  async look(page) {
    await page.getByRole('link', { name: 'Look inside' }).click()
    await page.getByRole('textbox').fill(await readFile('fixtures/code-interpreter.json', 'utf8'))
    await page.getByRole('button', { name: 'Look', exact: true }).click()
    await page.getByRole('slider').fill('40')
    await page.getByRole('heading', { name: 'Messages', exact: true }).scrollIntoViewIfNeeded()
  },
  async operate(page) {
    await tell(page)
    await page.getByRole('link', { name: 'Operate' }).click()
    await enter(page)
    await withText(page, '12:00:05')
  },
}

const LOOKS = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)

inBrowser('pictures', () => {
  for (const [view, prepare] of Object.entries(VIEWS)) {
    for (const { width, colorScheme } of LOOKS) {
      test(`${view} looks the same in two launches, ${width} pixels wide and ${colorScheme}`, async () => {
        const { url } = await servePage(['--replay'])
        const take = async (from?: Browser): Promise<Buffer> => {
          const viewport = { width, height: 800 }
          const { page } = await open(`${url}/`, { viewport, colorScheme, ...(from && { in: from }) })
          await prepare(page)
          await page.mouse.move(0, 0)
          return page.screenshot({ caret: 'hide' })
        }
        const picture = await take()
        const other = await launch()
        try {
          expect(shareOfDifference(picture, await take(other))).toBeLessThanOrEqual(MAX_SHARE)
        } finally {
          await other.close()
        }
        if (process.env['PAGE_PICTURES'] === undefined) return
        await mkdir(FOLDER, { recursive: true })
        await writeFile(new URL(`${view}-${width}-${colorScheme}.png`, FOLDER), picture)
      })
    }
  }
})

function shareOfDifference(one: Buffer, other: Buffer): number {
  const [a, b] = [PNG.sync.read(one), PNG.sync.read(other)]
  expect([b.width, b.height]).toEqual([a.width, a.height])
  return pixelmatch(a.data, b.data, undefined, a.width, a.height, { threshold: 0.1 }) / (a.width * a.height)
}
