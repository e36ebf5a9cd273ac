import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { AdminCancelled } from '../../src/endpoint/server/admin/types.js'
import { accessibilityFaults, inBrowser, type Look, type Opened, open, script, servePage } from './browser.js'
import { enter, OPERATOR, TOLD, type Told, tell } from './operating.js'
import { ask, withText } from './talking.js'

const CLIENT = 'key-of-a-client-0123'
const ENV = { env: { HARMONY_RESPONSES_OPERATOR_KEY: OPERATOR } }
const PHONE = { viewport: { width: 390, height: 800 } }

/** Opens the view on figures that a function tells. */
async function told(figures: () => Told, look: Look = {}): Promise<Opened> {
  const { url } = await servePage(['--replay'])
  const opened = await open(`${url}/#operate`, look)
  await tell(opened.page, figures)
  await opened.page.clock.install()
  await enter(opened.page)
  await opened.page.locator('.running').waitFor()
  return opened
}

/** Makes the tab a hidden one, or one that is seen again. */
function hide(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)
}

/** Lets seconds pass on the page until something is true. */
function passUntil(page: Page, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const once = async (): Promise<boolean> => {
    await page.clock.runFor(1_000)
    return isTrue()
  }
  return expect.poll(once, { timeout: 20_000 }).toBe(true)
}

/** Lets seconds pass until something is seen. */
const passUntilSeen = (found: Locator): Promise<void> => passUntil(found.page(), () => found.first().isVisible())

/** Returns the paths below `/admin/` that a page asks for, from now on. */
function asked(page: Page): string[] {
  const paths: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/admin/')) paths.push(pathname.slice('/admin/'.length))
  })
  return paths
}

inBrowser('operate', () => {
  test('without a key it shows the sentence that names the key; a wrong one and a client’s are told; the operator’s opens', async () => {
    const { url } = await servePage(['--replay', '--api-key', CLIENT], ENV, CLIENT)
    const { page } = await open(`${url}/#operate`)
    const sentence = /Only the operator's key opens this \(serve: HARMONY_RESPONSES_OPERATOR_KEY;/
    await page.getByText(sentence).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    for (const wrong of ['a-guess-of-someone', 'schlüssel', CLIENT]) {
      await enter(page, wrong)
      await page.getByRole('alert').getByText(sentence).waitFor()
      expect(await page.locator(':focus').getAttribute('type')).toBe('password')
    }
    await enter(page)
    await page.getByText(/^As of/).waitFor()
    await page.reload()
    await page.getByText(/^As of/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: "Forget the operator's key" }).click()
    await page.getByText(sentence).waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('where the server has lost the file of the view, it says so, and loads the page again', async () => {
    const { url } = await servePage(['--replay'], ENV)
    const { page } = await open(`${url}/`)
    await page.route('**/page/operate-*.js', (route) => route.fulfill({ status: 404, body: '' }))
    await page.getByRole('link', { name: 'Operate' }).click()
    await page.getByRole('heading', { name: 'No connection' }).waitFor()
    await page.unroute('**/page/operate-*.js')
    await page.getByRole('button', { name: 'Try again' }).click()
    await enter(page)
    await page.getByText(/^As of/).waitFor()
  })

  test('its key and that of the user are kept apart, and each is sent to its own routes alone', async () => {
    const { url } = await servePage(['--replay', '--api-key', CLIENT], ENV, CLIENT)
    const { page } = await open(`${url}/`)
    const sent = new Set<string>()
    page.on('request', (request) => {
      const kind = new URL(request.url()).pathname.split('/')[1]
      const key = request.headers()['authorization']
      if (key !== undefined) sent.add(`${kind} ${key}`)
    })
    await page.getByLabel('Key').fill(CLIENT)
    await page.keyboard.press('Enter')
    await ask(page, 'What is the capital of France?')
    await withText(page, 'Complete')
    await page.getByRole('link', { name: 'Operate' }).click()
    await enter(page)
    await page.getByText(/^As of/).waitFor()
    await page.getByRole('button', { name: "Forget the operator's key" }).click()
    await page.getByLabel("The operator's key").waitFor()
    await page.getByRole('link', { name: 'Talk' }).click()
    await withText(page, 'Complete')
    expect([...sent].sort()).toEqual([`admin Bearer ${OPERATOR}`, `page Bearer ${CLIENT}`, `v1 Bearer ${CLIENT}`])
  })

  test('what runs is shown, and is cancelled by its button; the last requests say why they failed', async () => {
    const [args, files] = script({ answer: 'One moment, '.repeat(500) })
    const { url, client } = await servePage([...args, '--delay', '20'], { ...files, ...ENV })
    const { page } = await open(`${url}/#operate`)
    await enter(page)
    await withText(page, 'Nothing runs.')
    const { id } = await client.responses.create({ model: 'gpt-oss', input: 'Begin.', background: true })
    const refused = await fetch(`${url}/v1/responses`, { method: 'POST', body: '{"input":7}' })
    const row = page.getByRole('row', { name: id })
    await row.waitFor()
    expect(await row.getByRole('cell').nth(1).innerText()).toBe('gpt-oss')
    await page.getByRole('button', { name: `Cancel ${id}` }).press('Enter')
    await row.getByRole('button', { name: /Cancelled|Ended/ }).waitFor()
    await expect.poll(async () => (await client.responses.retrieve(id)).status).toBe('cancelled')
    const failed = page.locator('.requests').getByRole('row', { name: 'A parameter has the wrong type.' })
    await failed.waitFor()
    expect(await failed.innerText()).toMatch(/400\s+invalid_type/)
    await failed.getByRole('button').press('Enter')
    await page
      .getByRole('dialog')
      .getByText(refused.headers.get('x-request-id') ?? '', { exact: true })
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Talk' }).waitFor()
    await page.getByLabel('Failures only').check()
    // The page asked without a key before it was typed in.
    const codes = await page.locator('.requests tbody td:nth-child(3)').allInnerTexts()
    expect(codes).toEqual(['invalid_type', 'operator_key_required'])
  })

  test('a response that ended meanwhile says how, and one that cannot be cancelled says why', async () => {
    const { page } = await told(() => TOLD)
    const [first, second] = TOLD.now.running
    await page.route('**/admin/responses/*/cancel', async (route) => {
      const id = new URL(route.request().url()).pathname.split('/')[3] ?? ''
      if (id !== first?.id) return route.continue()
      const cancelled: AdminCancelled = { object: 'response', id, status: 'completed' }
      await route.fulfill({ json: cancelled })
    })
    await page.getByRole('button', { name: `Cancel ${first?.id}` }).click()
    await page
      .getByRole('row', { name: first?.id ?? '' })
      .getByRole('button', { name: 'Ended' })
      .waitFor()
    await page.getByRole('button', { name: `Cancel ${second?.id}` }).click()
    // This server does not know the key.
    await page.getByText(/^This is not the operator's key/).waitFor()
  })

  test('the charts show the hour, and the values of the moment that the slider or the pointer chooses', async () => {
    const { page } = await told(() => TOLD)
    const charts = page.locator('.chart')
    await expect.poll(() => charts.locator('canvas').count()).toBe(6)
    /** The figures that charts show, by their own words. */
    const shown = async (): Promise<string[]> => (await charts.locator('b').allInnerTexts()).slice(0, 5)
    const expected = (at: number): string[] => {
      const interval = TOLD.series[at] ?? expect.unreachable()
      const { tokens_per_second, first_token_p50: p50, first_token_p99: p99, running, waiting } = interval
      const seconds = (value: number): string =>
        value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`
      return [
        String(Math.round(tokens_per_second)),
        ...[p50, p99].map((value) => (value === null ? '–' : seconds(value))),
        ...[running, waiting].map(String),
      ]
    }
    // The last interval is not over yet.
    await expect.poll(shown).toEqual(expected(358))
    await page.getByRole('slider', { name: 'Time of the values' }).fill('100')
    expect(await shown()).toEqual(expected(100))
    await page.getByRole('slider').press('ArrowLeft')
    expect(await shown()).toEqual(expected(99))
    const quiet = 220
    await page.getByRole('slider').fill(`${quiet}`)
    expect(await shown()).toEqual(expected(quiet))
    const plot = charts.first().locator('.u-over')
    const { width = 0 } = (await plot.boundingBox()) ?? {}
    // An hour is as wide as the plot, and ends with the last value.
    await plot.hover({ position: { x: width * (1 - 58 / 360), y: 40 } })
    await expect.poll(shown).toEqual(expected(300))
    await page.getByRole('heading', { name: 'Running now' }).hover()
    await expect.poll(shown).toEqual(expected(358))
  })

  test('each line is drawn in the colour of its mark, in both schemes, and a chart without figures is empty', async () => {
    let series = TOLD.series
    const { page } = await told(() => ({ ...TOLD, series }))
    /** How many lines of each chart have a pixel in the colour of their mark. */
    const drawn = (): Promise<number[]> =>
      page.locator('.chart').evaluateAll((charts) =>
        charts.map((chart) => {
          const canvas = chart.querySelector('canvas') as HTMLCanvasElement
          const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(
            ...([0, 0, canvas.width, canvas.height] as const),
          )
          const colours = new Set<string>()
          for (let at = 0; at < data.length; at += 4) {
            if (data[at + 3] === 255) colours.add(`rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`)
          }
          const marks = Array.from(chart.querySelectorAll('.mark'), (mark) => getComputedStyle(mark).borderTopColor)
          return marks.filter((colour) => colours.has(colour)).length
        }),
      )
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expect.poll(drawn).toEqual([1, 2, 2, 3, 1, 1])
    }
    series = []
    await passUntilSeen(page.getByText('The first ten seconds are not over yet.'))
    await expect.poll(drawn).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('parts that do not answer say so', async () => {
    const { page } = await told(() => TOLD)
    const failing = page.locator('.part', { hasText: 'gpt-oss-safeguard' })
    await failing.getByText('The engine does not answer, or takes no calls now.').waitFor()
    expect(await page.locator('.part', { hasText: 'tides' }).innerText()).toContain('answers in 200 ms')
  })

  test('it asks at a bounded rate, and not while the tab is hidden, it is paused, or another view is open', async () => {
    const { page } = await told(() => TOLD)
    const paths = asked(page)
    const quietly = async (): Promise<void> => {
      await page.clock.runFor(100)
      paths.length = 0
      for (let second = 0; second < 60; second++) await page.clock.runFor(1_000)
      expect(paths).toEqual([])
    }
    const again = (): Promise<void> => passUntil(page, () => paths.includes('now'))
    const count = (name: string): number => paths.filter((path) => path === name).length
    const time = (): Promise<number> => page.evaluate(() => Date.now() / 1_000)
    const began = await time()
    for (let second = 0; second < 60; second++) await page.clock.runFor(1_000)
    const passed = (await time()) - began
    for (const [name, seconds] of Object.entries({ now: 2, requests: 4, series: 10, parts: 30 })) {
      expect(count(name), name).toBeLessThanOrEqual(passed / seconds + 1)
    }
    await passUntil(page, () => ['now', 'requests', 'series', 'parts'].every((name) => count(name) > 1))
    await hide(page, true)
    await quietly()
    await hide(page, false)
    await again()
    await page.getByRole('button', { name: 'Pause' }).press('Enter')
    await quietly()
    await page.getByRole('button', { name: 'Pause' }).press('Enter')
    await again()
    await page.getByRole('link', { name: 'Look inside' }).click()
    await quietly()
    await page.getByRole('link', { name: 'Operate' }).click()
    await again()
  })

  for (const look of [{}, PHONE]) {
    test(`figures that change move nothing, ${look === PHONE ? 'on a phone' : 'on a desk'}`, async () => {
      let moment = TOLD
      // Tall enough to show all of it: what is below a window cannot shift.
      const viewport = look === PHONE ? { width: 390, height: 3_000 } : { width: 1_280, height: 1_600 }
      const { page } = await told(() => moment, { viewport })
      await page.locator('.requests tbody tr').first().waitFor()
      await page.locator('.part').first().waitFor()
      await expect.poll(() => page.locator('.chart canvas').count()).toBe(6)
      const [first, ...others] = TOLD.now.running
      const [request] = TOLD.requests
      const [interval] = TOLD.series
      if (first === undefined || request === undefined || interval === undefined) return expect.unreachable()
      const fresh = { ...first, id: 'resp_0fresh', owner: 'carol', age_seconds: 0.1 }
      const failed = { ...request, status: 503, code: 'server_is_overloaded', number: 100 }
      const errors = { one: 1, two: 2, three: 3, four: 4, five: 5, six: 6 }
      const at = TOLD.now.at + 10
      moment = {
        now: { ...TOLD.now, at, waiting: 12_000, running: [...others, fresh, ...TOLD.now.running.map(renamed)] },
        requests: [...TOLD.requests, failed],
        series: [...TOLD.series.slice(1), { ...interval, at, errors }, { ...interval, at: at + 10 }],
        parts: TOLD.parts.map((part) => ({ ...part, health: 'failing', why: 'The store does not answer.' })),
      }
      await passUntilSeen(page.getByText('resp_0fresh'))
      await passUntilSeen(page.locator('.requests td', { hasText: 'server_is_overloaded' }))
      await passUntilSeen(page.locator('.chart .label', { hasText: 'all others' }))
      await passUntil(page, async () => (await page.locator('.part.failing').count()) === 4)
      expect(await page.evaluate(() => window.shifts)).toBe(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(look === PHONE ? 390 : 1280)
      expect(await accessibilityFaults(page)).toEqual([])
    })
  }

  test('a server that is gone is told, with the time of what is shown, until it is back', async () => {
    const { page } = await told(() => TOLD)
    await page.route('**/admin/now', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
    await passUntilSeen(page.getByRole('status').getByText('The server answered with status 502.'))
    await withText(page, 'As of 12:00:05')
    await page.unroute('**/admin/now')
    await tell(page)
    await passUntil(page, async () => (await page.getByRole('status').innerText()) === '')
  })

  for (const look of [{}, PHONE]) {
    test(`names of others are text and nothing else, ${look === PHONE ? 'on a phone' : 'on a desk'}`, async () => {
      const hostile = (text: string): string => `${text}<img src=x onerror=alert(1)>\u202egpj.exe${'x'.repeat(400)}`
      const [running] = TOLD.now.running
      const [request] = TOLD.requests
      const [interval] = TOLD.series
      const [part] = TOLD.parts
      if (!running || !request || !interval || !part) return expect.unreachable()
      const { page } = await told(
        () => ({
          now: {
            ...TOLD.now,
            running: [{ ...running, id: hostile('id'), owner: hostile('owner'), engine: hostile('engine') }],
          },
          requests: [
            {
              ...request,
              ...{ request_id: hostile('request'), owner: hostile('owner'), route: hostile('route') },
              ...{ code: hostile('code'), why: hostile('why') },
            },
          ],
          series: TOLD.series.map((each) => ({ ...each, errors: { [hostile('error')]: 1, ['__proto__']: 2 } })),
          parts: [{ ...part, name: hostile('part'), health: 'failing', why: hostile('why') }],
        }),
        look,
      )
      await page.locator('.requests tbody tr').first().waitFor()
      await page.locator('.chart .label', { hasText: 'error' }).first().waitFor()
      await page.locator('.part').first().waitFor()
      expect(await page.locator('main :is(img, script)').count()).toBe(0)
      /** How many texts of an element stand as they are, their invisible character as its number. */
      const plain = async (place: string): Promise<number | undefined> => {
        const text = await page.locator(place).first().innerText()
        return text.match(/<img src=x onerror=alert\(1\)>U\+202Egpj\.exe/g)?.length
      }
      expect(await plain('.running tbody')).toBe(3)
      // On a phone, the rest is in the dialog.
      expect(await plain('.requests tbody')).toBe(look === PHONE ? 1 : 5)
      expect(await plain('.part')).toBe(2)
      expect(await plain('.chart .many')).toBe(1)
      await page.locator('.requests tbody button').click()
      expect(await plain('dialog')).toBe(5)
      expect(await accessibilityFaults(page)).toEqual([])
      const overflows = await page.evaluate(() =>
        [...document.querySelectorAll('html, .operate, .panel, .scrolls, dialog')].filter(
          ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
        ),
      )
      expect(overflows).toEqual([])
    })
  }
})

/** The same response under another id. */
function renamed<Running extends { readonly id: string }>(running: Running): Running {
  return { ...running, id: `${running.id}_2` }
}
