import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { chunk, ends } from '../engines/sources/chat/chunks.js'
import { type Answer, frame, scriptedServer } from '../support/scripted-server.js'
import { inBrowser, open, servePage } from './browser.js'
import { ask, messages, setHidden, withText } from './talking.js'

/** As many as a browser has connections to one server. */
const TABS = 6

/** A model that begins each answer, and ends it when the test says so. */
function createModel(): { readonly answer: Answer; end(question: string): void } {
  const open = new Map<string, ServerResponse>()
  return {
    answer(response, { method, body }) {
      if (method === 'GET') return void response.end(JSON.stringify({ data: [{ id: 'played' }] }))
      const [question = ''] = /Question \d/.exec(JSON.stringify(body)) ?? []
      open.set(question, response)
      response.write(frame(chunk({ content: `${question} begins` })))
    },
    end(question) {
      const response = open.get(question) ?? expect.unreachable(`${question} was not asked`)
      for (const word of [', goes', ' on', ' and', ' ends.']) response.write(frame(chunk({ content: word })))
      response.end(frame(ends('stop')))
    },
  }
}

inBrowser('many tabs', () => {
  const server = scriptedServer()

  test('beside six that stream a seventh works once they are hidden, and each resumes without a loss', async () => {
    const model = createModel()
    const { url } = await servePage(['--chat-server', server.script(model.answer).url, '--no-key'])
    const { page: first } = await open(`${url}/`)
    const question = (tab: number): string => `Question ${tab}`
    const begin = async (page: Page, tab: number): Promise<void> => {
      await ask(page, question(tab))
      await withText(page, `${question(tab)} begins`)
    }
    const tabs: Page[] = []
    for (let tab = 0; tab < TABS; tab++) {
      const page = tab === 0 ? first : await first.context().newPage()
      if (tab > 0) await page.goto(`${url}/`)
      await begin(page, tab)
      tabs.push(page)
    }
    for (const page of tabs) await setHidden(page, true)
    const asked: string[] = []
    for (const page of tabs) page.on('request', (request) => asked.push(request.url()))

    const seventh = await first.context().newPage()
    await seventh.goto(`${url}/`)
    await begin(seventh, TABS)
    model.end(question(TABS))
    await withText(seventh, 'Complete')

    // Half of them end while they are hidden, and the others while they are seen again.
    const half = TABS / 2
    for (let tab = 0; tab < half; tab++) model.end(question(tab))
    expect(asked).toEqual([])
    for (const [tab, page] of tabs.entries()) {
      expect(await messages(page)).toEqual([`${question(tab)} begins`])
      const resumed = page.waitForRequest(/starting_after=\d+$/)
      await setHidden(page, false)
      await resumed
      if (tab >= half) model.end(question(tab))
      await withText(page, 'Complete')
      expect(await messages(page)).toEqual([`${question(tab)} begins, goes on and ends.`])
    }
  })
})
