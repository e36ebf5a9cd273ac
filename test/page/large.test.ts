import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { encodeHarmony } from '../support/tokens.js'
import { accessibilityFaults, inBrowser, open, servePage } from './browser.js'

/** The most elements of tokens that may exist at once. */
const MAX_ELEMENTS = 2_000

const WORDS = ['tide', 'river', ' 潮', '\n', ' lighthouse', ' 42', '🌊', ', and']

/** The ids of an answer with this many tokens or a few more, as they are pasted. */
function answerOf(count: number): { readonly ids: readonly number[]; readonly text: string } {
  let text = ''
  for (let index = 0; index * 1.2 < count; index++) text += WORDS[(index * 7 + (index >> 3)) % WORDS.length]
  const ids = encodeHarmony(`<|channel|>final<|message|>${text}<|return|>`)
  return { ids, text: JSON.stringify(ids) }
}

/** The indexes of tokens from one on that have letters: a line feed alone cannot be clicked. */
function visible(ids: readonly number[], from: number): number[] {
  const [letters] = encodeHarmony(' lighthouse')
  return ids.flatMap((id, index) => (index >= from && id === letters ? [index] : []))
}

async function pasted(text: string): Promise<Page> {
  const { url } = await servePage(['--replay'])
  const { page } = await open(`${url}/#look`)
  await page.getByRole('textbox').fill(text)
  await page.getByRole('button', { name: 'Look', exact: true }).click()
  await page.getByRole('slider').waitFor()
  return page
}

inBrowser('what is large', () => {
  for (const count of [10_000, 100_000]) {
    test(`of ${count} tokens, those exist that are seen, and each is reached by the keyboard and the slider`, async () => {
      const { ids, text } = answerOf(count)
      expect(ids.length).toBeGreaterThanOrEqual(count)
      const page = await pasted(text)
      const tokens = page.locator('.tokens .token')
      expect(await tokens.count()).toBeLessThan(MAX_ELEMENTS)
      const place = page.getByRole('group', { name: 'All tokens, in rows' })
      await place.press('End')
      await tokens.filter({ hasText: '<|return|>' }).waitFor()
      const rows = page.locator('.tokens li')
      expect(await tokens.count()).toBeLessThan(MAX_ELEMENTS)
      expect(await rows.last().getAttribute('aria-posinset')).toBe(await rows.last().getAttribute('aria-setsize'))
      await place.press('Home')
      await page.locator('.tokens li[aria-posinset="1"]').waitFor()
      const [middle = 0, next = 0] = visible(ids, Math.floor(ids.length / 2))
      await page.getByRole('slider').fill(`${middle}`)
      const chosen = page.locator('.token.at')
      await chosen.waitFor()
      expect(await chosen.getAttribute('data-at')).toBe(`${middle}`)
      expect(await isSeen(chosen)).toBe(true)
      await page.locator(`[data-at="${next}"]`).click()
      await page
        .locator('output')
        .getByText(`${next + 1} of ${ids.length}`)
        .waitFor()
      expect(await page.locator('.events li').count()).toBeLessThanOrEqual(300)
      expect(await accessibilityFaults(page)).toEqual([])
    })
  }
})

/** Whether an element is within what its scrolled parent shows. */
function isSeen(element: ReturnType<Page['locator']>): Promise<boolean> {
  return element.evaluate((token) => {
    const [inner, outer] = [token, token.closest('.tokens')].map((each) => each?.getBoundingClientRect())
    return inner !== undefined && outer !== undefined && inner.top >= outer.top && inner.bottom <= outer.bottom + 1
  })
}
