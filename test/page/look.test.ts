import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { printReplay } from '../../src/cli/replay.js'
import { readTokenFixture } from '../../src/engines/sources/token-fixture.js'
import { encodeHarmony } from '../support/tokens.js'
import { accessibilityFaults, inBrowser, type Look, type Opened, open, servePage } from './browser.js'
import { ask, withText } from './talking.js'

async function lookInto(text: string, look: Look = {}): Promise<Opened> {
  const { url } = await servePage(['--replay', '--api-key', 'open-sesame-0123456789'])
  const opened = await open(`${url}/#look`, { permissions: ['clipboard-read', 'clipboard-write'], ...look })
  await opened.page.getByRole('textbox').fill(text)
  await opened.page.getByRole('button', { name: 'Look', exact: true }).click()
  return opened
}

/** Returns the events that are listed so far, by the button that copies them. */
async function copied(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Copy these events' }).click()
  return (await page.evaluate(() => navigator.clipboard.readText())).split('\n')
}

inBrowser('look inside', () => {
  test('a pasted run of an MCP server, stepped to its end, equals replay', async () => {
    const text = await readFile('fixtures/vllm-mcp-python.json', 'utf8')
    const printed: string[] = []
    const screen = { columns: 80, hasColors: false }
    for await (const piece of printReplay(readTokenFixture(text), 'jsonl', {}, screen)) printed.push(piece)
    const { page } = await lookInto(text)
    await page.getByRole('slider').press('End')
    expect(await copied(page)).toEqual(printed.join('').trimEnd().split('\n'))
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('each step shows the events of its token, and an event shows its tokens', async () => {
    const { page } = await lookInto('<|channel|>final<|message|>Hi there<|return|>')
    await page.getByRole('slider').waitFor()
    const [chunks] = await page.locator('output').allInnerTexts()
    expect(chunks).toBe('1 of 1')
    const ids = encodeHarmony('<|channel|>final<|message|>Hi there<|return|>')
    await page.getByRole('textbox').fill(`[${ids.join(', ')}]`)
    await page.getByRole('button', { name: 'Look', exact: true }).click()
    await page.locator('output').getByText('1 of 6').waitFor()
    for (let steps = 0; steps < 3; steps++) await page.getByRole('button', { name: 'Step on' }).click()
    expect(await page.locator('.token.at').innerText()).toBe('Hi')
    expect(await page.locator('.details').innerText()).toContain(`id ${ids[3]}`)
    const added = page.locator('.events button', { hasText: 'output_item.added' })
    expect(await added.count()).toBe(1)
    const delta = page.locator('.events button', { hasText: 'output_text.delta' })
    await page.getByRole('slider').press('End')
    await delta.first().click()
    // The text was certain with the token that ended it.
    expect(await delta.innerText()).toContain('Hi there')
    expect(await page.locator('.token.chosen').allInnerTexts()).toEqual(['Hi', ' there', '<|return|>'])
    await page.locator('.token', { hasText: 'there' }).click()
    await page.locator('output').getByText('5 of 6').waitFor()
  })

  test('a captured stream is judged at its lines, and explained for each client', async () => {
    const events = [
      { type: 'response.created', sequence_number: 0, response: {} },
      { type: 'response.output_text.delta', sequence_number: 2, delta: 'x' },
    ]
    const { page } = await lookInto(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    await page.getByRole('heading', { name: 'A stream of the Responses API' }).waitFor()
    await page.locator('.finding', { hasText: 'Line 3' }).first().waitFor()
    expect(await page.locator('.clients li').count()).toBeGreaterThan(5)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('it fits a phone in the dark, and says what cannot be read', async () => {
    const { page } = await lookInto('{"nothing": 1}', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Show an example' }).click()
    await page.getByRole('slider').press('End')
    await withText(page, /events$/)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('another view and back leaves a conversation as it was', async () => {
    const { url } = await servePage(['--replay'])
    const { page } = await open(`${url}/`)
    await ask(page, 'What is the capital of France?')
    await withText(page, 'Complete')
    await page.getByRole('link', { name: 'Look inside' }).click()
    await page.getByLabel(/^Paste or drop/).waitFor()
    await page.getByRole('link', { name: 'Talk' }).click()
    await withText(page, 'Complete')
    expect(await page.getByText('The capital of France is Paris.').count()).toBe(1)
  })
})
