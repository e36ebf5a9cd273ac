import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { accessibilityFaults, inBrowser, open, script, servePage } from './browser.js'
import { ask, withText } from './talking.js'

const PARIS = 'What is the capital of France?'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Opens the tokens of the last answer. */
async function lookInside(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Tokens' }).last().click()
  await page.getByRole('slider').waitFor()
}

inBrowser('look inside of an answer', () => {
  test('its events are those that the client was sent, and a reload shows them again', async () => {
    const { url, client } = await servePage(['--replay'])
    const { page } = await open(`${url}/`, { permissions: ['clipboard-read', 'clipboard-write'] })
    await ask(page, PARIS)
    await withText(page, 'Complete')
    await lookInside(page)
    const id = new URL(page.url()).hash.replace('#look/', '')
    const sent: unknown[] = []
    for await (const event of await client.responses.retrieve(id, { stream: true })) sent.push(event)
    for (const _ of ['opened', 'reloaded']) {
      await page.getByRole('button', { name: 'Copy these events' }).click()
      const copied = await page.evaluate(() => navigator.clipboard.readText())
      expect(copied.split('\n').map((line) => JSON.parse(line))).toEqual(sent)
      await page.reload()
      await page.getByRole('slider').waitFor()
    }
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('while it runs, its tokens follow by themselves, and nothing shifts', async () => {
    const { url } = await servePage(['--replay', '--delay', '150'])
    const { page } = await open(`${url}/`)
    await ask(page, PARIS)
    await lookInside(page)
    await page.getByRole('heading', { name: /in progress: \d+ tokens/ }).waitFor()
    expect(await page.locator('main').innerText()).not.toContain('Paris')
    await page.getByRole('heading', { name: /completed: \d+ tokens/ }).waitFor()
    const [at, of] = (await page.locator('output').innerText()).split(' of ')
    expect(at).toBe(of)
    await page.locator('.token', { hasText: 'Paris' }).waitFor()
    expect(await page.evaluate(() => window.shifts)).toBe(0)
  })

  test('what the server hides stands as a count', async () => {
    const [args, files] = script([{ think: 'The secret plan.' }, { answer: 'Hello!' }])
    const { url } = await servePage([...args, '--reasoning', 'hidden'], files)
    const { page } = await open(`${url}/`)
    await ask(page, 'Hi')
    await withText(page, 'Complete')
    await lookInside(page)
    const hidden = (await page.locator('.token.unseen').allInnerTexts()).join('')
    expect(hidden).toMatch(/^\[\d+ hidden tokens\]$/)
    expect(await page.locator('main').innerText()).not.toContain('secret')
    await page.getByRole('slider').press('Home')
    await withText(page, 'The server does not show this token, by the model.')
    await withText(page, 'Hello')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('another owner, and who asks for an answer that is not there, are told so in a sentence', async () => {
    const keys = { ann: 'the-key-of-ann-0123', bob: 'the-key-of-bob-0123' }
    const lines = Object.entries(keys).map(([owner, key]) => `${owner} ${sha256(key)}\n`)
    const { url } = await servePage(['--replay', '--api-keys', 'keys.txt'], {
      readFile: async (name) => (name === 'keys.txt' ? lines.join('') : readFile(name, 'utf8')),
    })
    const { page } = await open(`${url}/#look/resp_unknown`)
    await page.getByLabel('Key').fill(keys.ann)
    await page.keyboard.press('Enter')
    await withText(page, 'The server keeps no tokens of this answer, or another key asked for it.')
    await page.getByRole('link', { name: 'Talk' }).click()
    await ask(page, PARIS)
    await withText(page, 'Complete')
    await lookInside(page)
    await page.evaluate((key) => sessionStorage.setItem('harmony-responses.key', JSON.stringify(key)), keys.bob)
    await page.reload()
    await withText(page, 'The server keeps no tokens of this answer, or another key asked for it.')
    expect(await page.getByText('Paris').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
  })
})
