import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { buildPage } from '../../../../scripts/build-page.mjs'
import { type Checkout, createCheckout } from '../../../docs/checkout.js'
import { inBrowser, open } from '../../../page/browser.js'
import { enter, OPERATOR } from '../../../page/operating.js'
import { killAll, serve } from '../database/served.js'
import { describeWithSqlite } from './program.js'

describeWithSqlite('the page of serve --workers on SQLite', () => {
  inBrowser('operate', () => {
    let checkout: Checkout
    beforeAll(async () => {
      checkout = await createCheckout()
      await buildPage(join(checkout.folder, 'dist/page'))
      return () => checkout.remove()
    })
    afterEach(killAll)

    test('shows what runs in all workers, and cancels it in whichever it runs', async () => {
      const { folder } = checkout
      const script = join(folder, 'script.json')
      writeFileSync(script, JSON.stringify([{ answer: 'One moment, '.repeat(2_000) }]))
      const store = ['--store', join(folder, 'operate.db')]
      const args = [...store, '--workers', '2', '--script', script, '--delay', '50']
      const { url, until } = await serve(folder, args, { HARMONY_RESPONSES_OPERATOR_KEY: OPERATOR })
      await until(/worker started/g, 2)
      // Each over a connection of its own, so that both workers get some.
      const posted = Array.from({ length: 4 }, async () => {
        const body = JSON.stringify({ input: 'Begin.', background: true })
        const headers = { connection: 'close', 'content-type': 'application/json' }
        const response = await fetch(`${url}/v1/responses`, { method: 'POST', body, headers })
        return ((await response.json()) as { id: string }).id
      })
      const ids = await Promise.all(posted)
      const { page } = await open(`${url}/#operate`)
      await enter(page)
      for (const id of ids) {
        await page.getByRole('button', { name: `Cancel ${id}` }).click()
        await page.getByRole('row', { name: id }).getByRole('button', { name: 'Cancelled' }).waitFor()
      }
      for (const id of ids) {
        const response = await fetch(`${url}/v1/responses/${id}`)
        expect(((await response.json()) as { status: string }).status).toBe('cancelled')
        await page
          .locator('.requests td', { hasText: /^cancelled$/ })
          .first()
          .waitFor()
      }
      await expect
        .poll(() => page.locator('.requests td', { hasText: /^cancelled$/ }).count(), { timeout: 15_000 })
        .toBe(4)
    })
  })
})
