import { expect, test } from 'vitest'
import type { UrlCitation } from '../../src/core/responses/items.js'
import { accessibilityFaults, inBrowser, open, script, servePage } from './browser.js'
import { ask, messages, setHidden, withText } from './talking.js'

inBrowser('talk', () => {
  test('a question gets its answer, with what was read and written', async () => {
    const { url } = await servePage(['--replay'])
    const { page } = await open(`${url}/`)
    await ask(page, 'What is the capital of France?')
    await withText(page, 'The capital of France is Paris.')
    await withText(page, /\d+ tokens read, 11 written/)
    expect(await page.getByText('Complete', { exact: true }).count()).toBe(1)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('an example of a recording shows the calls of the server, and their results', async () => {
    const { url } = await servePage(['--replay'])
    const { page } = await open(`${url}/`)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'What is the 20th Fibonacci number?' }).click()
    await withText(page, 'The 20th Fibonacci number is 6765.')
    const call = page.locator('.call')
    expect(await call.innerText()).toMatch(/^Call python[\s\S]*Code[\s\S]*Output[\s\S]*6765/)
    expect(await page.locator('details.fold').evaluate((fold) => (fold as HTMLDetailsElement).open)).toBe(false)
    await page.getByText('Reasoning', { exact: true }).press('Enter')
    expect(await page.locator('details.fold .text').innerText()).not.toBe('')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('citations are links to the web, which tell the other site nothing', async () => {
    const { url } = await servePage(['--replay'])
    const { page } = await open(`${url}/`)
    const text = 'Ebb 🌊 at noon. Mud at one.'
    const cited = (url: string, passage: string): UrlCitation => {
      // Positions count code points: the wave is one.
      const start_index = [...(text.split(passage)[0] ?? '')].length
      return { type: 'url_citation', title: 'Tides', url, start_index, end_index: start_index + passage.length }
    }
    const annotations = [cited('https://tides.example/brest', 'at noon'), cited('javascript:alert(1)', 'Mud')]
    const content = [{ type: 'output_text', text, annotations, logprobs: [] }]
    const item = {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      phase: 'final_answer',
      content,
    }
    const response = { id: 'resp_1', status: 'completed', output: [item], usage: null }
    const body = `data: ${JSON.stringify({ type: 'response.completed', sequence_number: 0, response })}\n\n`
    await page.route('**/v1/responses', (route) => route.fulfill({ contentType: 'text/event-stream', body }))
    await ask(page, 'When is ebb?')
    const link = page.locator('.line a')
    await link.waitFor()
    expect([await link.innerText(), await link.getAttribute('href')]).toEqual([
      'at noon',
      'https://tides.example/brest',
    ])
    expect(await link.getAttribute('rel')).toContain('noreferrer')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('a reload in the middle of an answer loses nothing of it', async () => {
    const { url } = await servePage(['--replay', '--delay', '60'])
    const { page } = await open(`${url}/`)
    await page.getByRole('button', { name: 'When is high tide in Brest?' }).click()
    await page.locator('.answer .call, .answer .fold').first().waitFor()
    await page.reload()
    await withText(page, 'Complete')
    const whole = await messages(page)
    await page.reload()
    await withText(page, 'Complete')
    expect(await messages(page)).toEqual(whole)
    const other = await open(`${url}/`)
    await other.page.getByRole('button', { name: 'When is high tide in Brest?' }).click()
    await withText(other.page, 'Complete')
    expect(await messages(other.page)).toEqual(whole)
  })

  test('a reload before the first event asks once: the same key finds the same response', async () => {
    const { url } = await servePage(['--replay', '--delay', '60'])
    const { page } = await open(`${url}/`)
    let isCut = false
    await page.route('**/v1/responses', async (route) => {
      if (isCut) return route.continue()
      isCut = true
      // The request arrives, and its answer is lost.
      await route.fetch({ timeout: 300 }).catch(() => {})
    })
    await ask(page, 'What is the capital of France?')
    await expect.poll(() => isCut).toBe(true)
    await page.reload()
    await withText(page, 'The capital of France is Paris.')
    await page.unroute('**/v1/responses')
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.method()))
    expect(await page.locator('.turn').count()).toBe(1)
  })

  test('a hidden tab stops reading, and goes on where it stopped once it is seen again', async () => {
    const { url } = await servePage(['--replay', '--delay', '60'])
    const { page } = await open(`${url}/`)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.getByRole('button', { name: 'When is high tide in Brest?' }).click()
    await page.locator('.answer .call, .answer .fold').first().waitFor()
    const cut = page.waitForEvent('requestfailed')
    await setHidden(page, true)
    expect((await cut).url()).toMatch(/\/v1\/responses$/)
    await setHidden(page, false)
    await withText(page, 'Complete')
    expect(asked.at(-1)).toMatch(/\/v1\/responses\/resp_\w+\?stream=true&starting_after=\d+$/)
    expect((await messages(page)).at(-1)).toContain('High tide is at 05:12 and 17:38')
  })

  test('what is stopped ends, and says so', async () => {
    const [args, files] = script([{ answer: 'One moment, '.repeat(200) }])
    const { url } = await servePage([...args, '--delay', '20'], files)
    const { page } = await open(`${url}/`)
    await ask(page, 'Begin.')
    await withText(page, /One moment/)
    await page.getByRole('button', { name: 'Stop' }).click()
    await withText(page, 'Stopped')
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await page.reload()
    await withText(page, 'Stopped')
  })

  test('a call that needs consent runs once it is approved', async () => {
    const { url } = await servePage(['--replay'])
    const { page } = await open(`${url}/`)
    await page.getByRole('button', { name: 'How is my short link doing?' }).click()
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Approve' }).click()
    const { input, tools } = (await sent).postDataJSON()
    expect(input).toEqual([
      { type: 'mcp_approval_response', approval_request_id: expect.stringMatching(/^mcpr_/), approve: true },
    ])
    expect(tools).toMatchObject([{ type: 'mcp', server_label: 'links.v2' }])
    await withText(page, 'Approved')
    await expect.poll(() => page.getByText('Complete', { exact: true }).count()).toBe(2)
  })

  test('a call of a function shows its arguments, and goes on with the result that is typed in', async () => {
    const { url } = await servePage(['--replay', 'fixtures/preamble-function-call.json'])
    const { page } = await open(`${url}/`)
    await page.getByRole('button', { name: 'Do I need an umbrella in Oslo?' }).click()
    await withText(page, '"city": "Oslo"')
    await page.getByLabel('Result of get_weather').fill('Rain, 7 degrees')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Send the result' }).click()
    await withText(page, 'Result: Rain, 7 degrees')
    await expect.poll(() => page.getByText('Complete', { exact: true }).count()).toBe(2)
  })

  test('a schema that is typed in is sent as the format of the answer; what is no JSON is told beside it', async () => {
    const { url } = await servePage(['--replay'])
    const { page } = await open(`${url}/`)
    await page.getByLabel('Schema of the answer').fill('{"type": "object"')
    await ask(page, 'What is the capital of France?')
    await withText(page, /^This is not JSON/)
    expect(await accessibilityFaults(page)).toEqual([])
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false }
    await page.getByLabel('Schema of the answer').fill(JSON.stringify(schema))
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Send' }).click()
    expect((await sent).postDataJSON()).toMatchObject({
      ...{ background: true, store: true, stream: true },
      text: { format: { type: 'json_schema', schema, strict: true } },
    })
    expect((await sent).headers()['idempotency-key']).toMatch(/^[\w-]{36}$/)
    await withText(page, 'Complete')
  })

  test('the tools of the server are chosen by their names, and asked for with consent', async () => {
    const weather = 'weather=node examples/weather-server.mjs'
    const { url } = await servePage(['--replay', '--mcp', weather])
    const { page } = await open(`${url}/`)
    await page.getByLabel('weather').check()
    await page.getByLabel('Reasoning effort').selectOption('High')
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await ask(page, 'How is the weather?')
    expect((await sent).postDataJSON()).toMatchObject({
      tools: [{ type: 'mcp', server_label: 'weather', require_approval: 'always' }],
      reasoning: { effort: 'high' },
    })
    await page.getByRole('button', { name: 'Approve' }).click()
    await expect.poll(() => page.getByText('Complete', { exact: true }).count()).toBe(2)
  })

  test('an image is shown and sent', async () => {
    const { url } = await servePage(['--replay', '--images', 'placeholder'])
    const { page } = await open(`${url}/`)
    const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 40, height: 40 } })
    await page.getByLabel('Images').setInputFiles({ name: 'corner.png', mimeType: 'image/png', buffer })
    await page.getByAltText('corner.png').waitFor()
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await ask(page, 'What is this?')
    const [{ content }] = (await sent).postDataJSON().input
    expect(content).toMatchObject([
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: expect.stringMatching(/^data:image\/png;base64,/) },
    ])
    await withText(page, 'Complete')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('a refusal stands where the answer would, in the words of the server', async () => {
    const { url } = await servePage(['--replay'])
    const { page } = await open(`${url}/`)
    await page.getByLabel('Functions that you answer').fill('[{"type": "function", "name": "no blanks"}]')
    await ask(page, 'Hello')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('tools[0].name')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('a request is shown as code, and the lines of clients have the address of this server and no key', async () => {
    const { url } = await servePage(['--replay', '--api-key', 'open-sesame-0123456789'])
    const { page } = await open(`${url}/`)
    await page.getByLabel('Key').fill('open-sesame-0123456789')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByLabel('Message', { exact: true }).fill("What's up?")
    await page.locator('.composer').getByRole('button', { name: 'As code' }).click()
    const dialog = page.getByRole('dialog')
    expect(await accessibilityFaults(page)).toEqual([])
    for (const name of ['curl', 'JavaScript', 'Python', 'Codex', 'Claude Code', 'Others']) {
      await dialog.getByRole('button', { name, exact: true }).click()
      const code = await dialog.locator('pre').innerText()
      expect(code).toContain(url)
      expect(code).toContain('HARMONY_RESPONSES_API_KEY')
      expect(code).not.toContain('sesame')
    }
    await page.keyboard.press('Escape')
    expect(await dialog.isVisible()).toBe(false)
  })

  test('nothing moves while an answer is written', async () => {
    const { url } = await servePage(['--replay', '--delay', '10'])
    const { page } = await open(`${url}/`)
    await page.getByRole('button', { name: 'When is high tide in Brest?' }).click()
    await withText(page, 'Complete')
    // The first half second after a click does not count, and the answer takes longer.
    expect(await page.evaluate(() => window.shifts)).toBe(0)
  })
})
