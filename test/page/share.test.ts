import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { MAX_LINK } from '../../src/page/look/packed-text.js'
import { accessibilityFaults, inBrowser, type Look, type Opened, open, servePage } from './browser.js'
import { ask, withText } from './talking.js'

const CLIPBOARD: Look = { permissions: ['clipboard-read', 'clipboard-write'] }

function clipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText())
}

async function lookInto(text: string): Promise<Opened> {
  const { url } = await servePage(['--replay'])
  const opened = await open(`${url}/#look`, CLIPBOARD)
  await opened.page.getByRole('textbox').fill(text)
  await opened.page.getByRole('button', { name: 'Look', exact: true }).click()
  return opened
}

inBrowser('sharing', () => {
  test('a link holds all that is looked into, and no server is sent any of it', async () => {
    const { page } = await lookInto(await readFile('fixtures/code-interpreter.json', 'utf8'))
    await page.getByRole('button', { name: 'Copy a link' }).click()
    await withText(page, 'Copied. The link holds all of it.')
    const link = await clipboard(page)
    expect(link.length).toBeLessThan(2_000)
    const heading = await page.getByRole('heading', { name: /^The fixture/ }).innerText()
    const { page: other } = await open(new URL('/readyz', link).href)
    const asked: string[] = []
    other.on('request', (request) => asked.push(`${request.url()} ${request.postData()}`))
    await other.goto(link)
    await other.getByRole('heading', { name: heading }).waitFor()
    expect(asked.filter((line) => line.includes(link.slice(link.indexOf('=') + 1, -10)))).toEqual([])
    expect(await accessibilityFaults(other)).toEqual([])
  })

  test('an answer is shared by a link, and as a file that shows the same when it is dropped', async () => {
    const { url } = await servePage(['--replay'])
    const { page } = await open(`${url}/`, CLIPBOARD)
    await ask(page, 'What is the capital of France?')
    await withText(page, 'Complete')
    await page.getByRole('link', { name: 'Tokens' }).click()
    const heading = await page.getByRole('heading', { name: /, completed:/ }).innerText()
    await page.getByRole('button', { name: 'Copy a link' }).click()
    await withText(page, 'Copied. The link holds all of it.')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as a file' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^resp_\w+\.json$/)
    const { page: other } = await open(await clipboard(page))
    await other.getByRole('heading', { name: heading }).waitFor()
    const { page: third } = await open(`${url}/#look`)
    const text = await readFile(await download.path(), 'utf8')
    const dropped = await third.evaluateHandle((given) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([given], 'saved.json'))
      return transfer
    }, text)
    await third.locator('form.paste').dispatchEvent('drop', { dataTransfer: dropped })
    await third.getByRole('heading', { name: heading }).waitFor()
  })

  test('a link that is damaged, too long or a bomb, or what no trace is, is told in a sentence', async () => {
    const { url } = await servePage(['--replay'])
    const { page } = await open(`${url}/#look=garbage`)
    const told = page.getByRole('alert')
    await told.getByText('This link is damaged: a part of it may be missing.').waitFor()
    await page.goto(`${url}/#look=${'A'.repeat(MAX_LINK + 1)}`)
    await told.getByText('This link is too long').waitFor()
    const bomb = await page.evaluate(async () => {
      const stream = new Blob([new Uint8Array(100 * 1024 * 1024)]).stream()
      const packed = await new Response(stream.pipeThrough(new CompressionStream('deflate-raw'))).bytes()
      return btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(''))
    })
    await page.goto(`${url}/#look=${bomb.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`)
    await told.getByText('This link holds more than 32 MiB.').waitFor()
    const event = { type: 'x', sequence_number: 0, delta: { toString: 1 } }
    for (const [record, why] of [
      [{ type: 'event', from: 0, to: 0, event }, 'data[0].event.delta has to be a string'],
      [{ type: 'hidden', from: 0, to: 0, origin: 'model', tokens: 2e9 }, 'more than 1000000 tokens'],
      [{ type: 'token', index: 1, token: 1, text: 'x', origin: 'model', position: 'content' }, 'lacks token 0'],
      [{ type: 'token', index: 0, token: 1, text: 'x', origin: 'model', position: 'at chosen' }, 'between, header or'],
      [
        { type: 'message', from: 0, to: 1e9, origin: 'model', header: { role: 'x' }, terminator: '' },
        'behind its last',
      ],
    ] as const) {
      const trace = { object: 'response.trace', response_id: 'resp_x', status: 'completed', data: [record] }
      await page.getByRole('textbox').fill(JSON.stringify(trace))
      await page.getByRole('button', { name: 'Look', exact: true }).click()
      await told.getByText(why).waitFor()
    }
    await page.getByRole('button', { name: 'Show an example' }).click()
    await page.getByRole('slider').waitFor()
  })
})
