import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { encodeHarmony } from '../support/tokens.js'
import { accessibilityFaults, inBrowser, type Opened, open, servePage } from './browser.js'

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

async function lookInside(): Promise<Opened> {
  const { url } = await servePage(['--replay'])
  return open(`${url}/#look`, { permissions: ['clipboard-read', 'clipboard-write'] })
}

async function pasted(text: string): Promise<Page> {
  const { page } = await lookInside()
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
      expect(await page.locator('.events li').count()).toBeLessThanOrEqual(100)
      expect(await accessibilityFaults(page)).toEqual([])
    })
  }

  test('the findings of a capture are listed some at a time, and all are counted', async () => {
    const { page } = await lookInside()
    const buffer = Buffer.from(capture(1_000))
    await page.getByLabel('File').setInputFiles({ name: 'capture.sse', mimeType: 'text/plain', buffer })
    await page.getByRole('heading', { name: 'A stream of the Responses API' }).waitFor()
    const findings = page.locator('.finding')
    expect(await findings.count()).toBe(100)
    expect(await page.locator('.rules').innerText()).toMatch(/1,00\d times/)
    const first = await findings.first().innerText()
    await page.getByRole('button', { name: 'Later' }).press('Enter')
    await page.getByText(/^101 to 200 of/).waitFor()
    expect(await findings.first().innerText()).not.toBe(first)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('a long text that is pasted, or a file that is dropped, is read and not put into the field', async () => {
    const { page } = await lookInside()
    const { ids, text } = answerOf(40_000)
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
    await page.getByRole('textbox').press('Control+V')
    await page.getByRole('heading', { name: `${ids.length} token ids` }).waitFor()
    const dropped = await page.evaluateHandle((content) => {
      const data = new DataTransfer()
      data.items.add(new File([content], 'capture.sse'))
      return data
    }, capture(3))
    await page.getByRole('textbox').dispatchEvent('drop', { dataTransfer: dropped })
    await page.getByRole('heading', { name: 'A stream of the Responses API' }).waitFor()
    expect(await page.getByRole('textbox').inputValue()).toBe('')
  })

  test('what is read shows how far it is, can be stopped, and then shows nothing', async () => {
    const { page } = await lookInside()
    let isAsked = (): void => {}
    let load = (): void => {}
    const asked = new Promise<void>((resolve) => (isAsked = resolve))
    const loaded = new Promise<void>((resolve) => (load = resolve))
    await page.route(/judge-capture-\w+\.js$/, async (route) => {
      isAsked()
      await loaded
      await route.continue()
    })
    await page.getByRole('textbox').fill(capture(3))
    await page.getByRole('button', { name: 'Look', exact: true }).click()
    await asked
    await page.getByRole('progressbar', { name: 'Read so far' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    const [worker = expect.unreachable('no worker')] = page.workers()
    const ended = worker.waitForEvent('close')
    await page.getByRole('button', { name: 'Stop' }).click()
    await ended
    load()
    await page.getByRole('button', { name: 'Look', exact: true }).waitFor()
    expect(await page.getByRole('heading', { name: 'A stream of the Responses API' }).count()).toBe(0)
  })
})

/** A stream of so many deltas, each of which breaks a rule. */
function capture(deltas: number): string {
  const events = [
    { type: 'response.created', sequence_number: 0, response: {} },
    ...Array.from({ length: deltas }, () => ({ type: 'response.output_text.delta', sequence_number: 9, delta: 'x' })),
  ]
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

/** Whether an element is within what its scrolled parent shows. */
function isSeen(element: ReturnType<Page['locator']>): Promise<boolean> {
  return element.evaluate((token) => {
    const [inner, outer] = [token, token.closest('.tokens')].map((each) => each?.getBoundingClientRect())
    return inner !== undefined && outer !== undefined && inner.top >= outer.top && inner.bottom <= outer.bottom + 1
  })
}
