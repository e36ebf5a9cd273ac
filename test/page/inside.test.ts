import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { encodeHarmony } from '../support/tokens.js'
import { accessibilityFaults, inBrowser, type Look, type Opened, open, script, servePage } from './browser.js'
import { ask, withText } from './talking.js'

async function lookInto(text: string, look: Look = {}): Promise<Opened> {
  const { url } = await servePage(['--replay'])
  const opened = await open(`${url}/#look`, look)
  await opened.page.getByRole('textbox').fill(text)
  await opened.page.getByRole('button', { name: 'Look', exact: true }).click()
  await opened.page.getByRole('slider').waitFor()
  return opened
}

/** A fixture of an answer whose tokens have these probabilities. */
function fixture(chances: readonly number[]): string {
  const [start = [], end = []] = ['<|channel|>final<|message|>', '<|return|>'].map(encodeHarmony)
  const words = encodeHarmony(' one two three four five').slice(0, chances.length)
  const [other = 0] = encodeHarmony(' other')
  const scored = words.map((id, index) => {
    const logprob = Math.log(chances[index] ?? 1)
    return { id, logprob, topLogprobs: [{ id: other, logprob: Math.log(0.9) }] }
  })
  return JSON.stringify({ version: 1, name: 'chances', tokens: [...start, ...scored, ...end] })
}

inBrowser('look inside of tokens', () => {
  test('the prompt says which item each of its tokens came from, and what is hidden is counted', async () => {
    const [args, files] = script([{ answer: 'Hello!' }], [{ answer: 'Bye!' }])
    const { url } = await servePage([...args, '--instructions', 'Keep the secret.'], files)
    const { page } = await open(`${url}/`)
    for (const text of ['Say hello.', 'And goodbye.']) {
      await ask(page, text)
      await withText(page, text === 'Say hello.' ? 'Hello!' : 'Bye!')
      await page.getByText('Complete').last().waitFor()
    }
    await page.getByRole('link', { name: 'Tokens' }).last().click()
    await page.getByText(/^Prompt: \d+ tokens in 5 messages$/).click()
    const messages = page.locator('.prompt-message')
    const summaries = await messages.locator('summary').allInnerTexts()
    expect(summaries.map((text) => text.replace(/ msg_\w+/, ' ID').replace(/, tokens .*/, ''))).toEqual([
      'system of no item',
      'developer of no item',
      'user from item 1 ID',
      'assistant, final from item 2 ID',
      'user from item 3 ID',
    ])
    for (const summary of await messages.locator('summary').all()) await summary.press('Enter')
    const words = page.locator('.prompt-tokens')
    await words.filter({ hasText: '<|start|>user<|message|>And goodbye.<|end|>' }).waitFor()
    expect(await words.filter({ hasText: 'Hello!' }).count()).toBe(1)
    expect(await page.getByText(/^\d+ tokens, which are not shown$/).count()).toBe(2)
    expect(await page.locator('main').innerText()).not.toContain('secret')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('diagnostics stand at their token: as a tick, as a wavy line and as a button that leads there', async () => {
    const { page } = await lookInto(await readFile('fixtures/malformed-headers.json', 'utf8'))
    const buttons = page.getByRole('region', { name: 'Diagnostics' }).getByRole('button')
    const names = await buttons.allInnerTexts()
    expect(names.length).toBeGreaterThan(0)
    expect(await page.locator('.tick').count()).toBe(names.length)
    await buttons.last().press('Enter')
    const index = Number(names.at(-1)?.replace('Token ', '')) - 1
    expect((await page.locator('output').innerText()).split(' of ')[0]).toBe(`${index + 1}`)
    expect(await page.locator('.token.at.flawed').count()).toBeGreaterThan(0)
    const [lanes, tick] = [await page.locator('.lanes').boundingBox(), await page.locator('.tick').last().boundingBox()]
    const last = Number((await page.locator('output').innerText()).split(' of ')[1]) - 1
    const place = ((tick?.x ?? 0) + 2 - (lanes?.x ?? 0)) / (lanes?.width ?? 1)
    expect(place).toBeCloseTo(index / last, 2)
    await page.locator('.lanes').click({ position: { x: 1, y: 3 } })
    expect(await page.locator('output').innerText()).toMatch(/^1 of/)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`log-probabilities are shades with a legend, and a list says the same in words, in a ${colorScheme} scheme`, async () => {
      const viewport = { width: 390, height: 800 }
      const { page } = await lookInto(fixture([0.95, 0.6, 0.3, 0.1, 0.01]), { colorScheme, viewport })
      const shades = await page.locator('.tokens .token').evaluateAll((tokens) =>
        tokens.flatMap((token) => {
          const [shade] = /shade-\d/.exec(token.className) ?? []
          return shade === undefined ? [] : [`${token.textContent} ${shade} ${getComputedStyle(token).backgroundColor}`]
        }),
      )
      expect(shades.map((line) => line.split(' rgb')[0])).toEqual(
        [' one', ' two', ' three', ' four', ' five'].map((word, index) => `${word} shade-${index}`),
      )
      expect(new Set(shades.map((line) => line.split(' rgb')[1])).size).toBe(5)
      await page.getByText('The least likely tokens').click()
      const [least] = await page.locator('.probabilities li').allInnerTexts()
      expect(least).toBe('Token 8 " five" 1.0 % of " other" 90 %')
      await page.getByRole('button', { name: 'Token 8' }).press('Enter')
      expect(await page.locator('.details').innerText()).toContain('probability 1.0 %, of " other" 90 %')
      expect(await accessibilityFaults(page)).toEqual([])
      await page.getByLabel('Shade by probability').press('Space')
      expect(await page.locator('.trace.shaded').count()).toBe(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    })
  }

  test('Talk asks how likely each token was, if that is chosen', async () => {
    const { url } = await servePage(...script([{ answer: 'Hello!' }]))
    const { page } = await open(`${url}/`)
    await page.getByLabel('How likely each token was').check()
    await ask(page, 'Hi')
    await withText(page, 'Complete')
    await page.getByRole('link', { name: 'Tokens' }).click()
    await page.getByLabel('Shade by probability').waitFor()
    expect(await page.locator('.token.content.shade-0', { hasText: 'Hello' }).count()).toBe(1)
  })

  test('tokens without log-probabilities have no shades and no legend of them', async () => {
    const { page } = await lookInto(await readFile('fixtures/code-interpreter.json', 'utf8'))
    expect(await page.getByText('Shade by probability').count()).toBe(0)
    expect(await page.locator('[class*=shade-]').count()).toBe(0)
  })
})
