import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSseEncoder } from '../../dist/core/sse/index.js'
import { startReplay } from '../command.mjs'
import { inputs, Translator, tokenTable } from '../library.mjs'
import { expect } from '../measure.mjs'

/** Debian's package `chromium`, or another one that a variable names. */
const BROWSER = [process.env.CHROMIUM_PATH, '/usr/bin/chromium'].find((path) => path && existsSync(path))

/** A frame that comes later than this after the one before was dropped, in milliseconds: a frame and a half. */
const LATE = 25

/** The most processor time of the page's thread between two frames at 60 a second, in milliseconds. */
const FRAME = 16

/** The longest freeze that nobody notices, in milliseconds. */
const FREEZE = 100

/** @type {import('../target.mjs').Target} */
export default {
  name: 'page',
  measures: 'the page in Chromium, while tokens scroll and are stepped through, and while a large capture is read',
  target: `${FRAME} ms of processor time for a frame of far jumps over 10,000 and 100,000 tokens; no freeze of ${FREEZE} ms`,

  async run({ size }) {
    if (BROWSER === undefined) return { skipped: 'no browser: install chromium, or name one by CHROMIUM_PATH' }
    const { chromium } = await import('playwright-core')
    const folder = mkdtempSync(join(tmpdir(), 'bench-page-'))
    const { url, child } = await startReplay()
    const browser = await chromium.launch({ executablePath: BROWSER })
    try {
      const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
      const page = await context.newPage()
      const devTools = await context.newCDPSession(page)
      await devTools.send('Performance.enable', { timeDomain: 'threadTicks' })
      await page.goto(`${url}/#look`)
      await page.getByLabel('File').waitFor({ state: 'attached' })
      const given = { page, devTools, folder, frames: size(120, 5) }
      const rows = await moved({ ...given, figure: 'at rest', selector: 'none' })
      for (const count of size([10_000, 100_000], [500])) rows.push(...(await tokens({ ...given, count })))
      return [...rows, ...(await captures({ ...given, megabytes: size(100, 1) }))]
    } finally {
      await browser.close()
      child.kill()
      rmSync(folder, { recursive: true })
    }
  },
}

/** A recording with one token a chunk, so that each has its event. */
async function tokens({ count, ...given }) {
  const { page, folder } = given
  const file = join(folder, `${count}.json`)
  const { ids } = inputs.latin(count, 0)
  writeFileSync(file, JSON.stringify({ version: 1, name: 'bench', tokens: ids }))
  const name = `${count.toLocaleString('en')} tokens`
  const read = await during(given, async () => {
    await page.getByLabel('File').setInputFiles(file)
    await page.getByRole('heading', { name: new RegExp(`: ${count} tokens`) }).waitFor({ timeout: 60_000 })
  })
  const drawn = await page.locator('.tokens .token').count()
  expect(drawn > 0 && drawn < 2000, `${drawn} tokens are drawn`)
  return [
    freezeRow(`${name}, read`, read),
    ...(await moved({ ...given, figure: `${name}, scrolled`, selector: '.tokens', by: 40 })),
    ...(await moved({ ...given, figure: `${name}, far jumps`, selector: '.tokens', atMost: FRAME })),
    ...(await moved({ ...given, figure: `${name}, far steps`, selector: 'input[type=range]' })),
  ]
}

async function captures({ megabytes, ...given }) {
  const { page, folder } = given
  const file = join(folder, 'capture.sse')
  writeCapture(file, megabytes * 1e6)
  const chosen = await during(given, async () => {
    await page.getByLabel('File').setInputFiles(file)
    await page.getByText('It keeps every rule.').waitFor({ timeout: 600_000 })
  })
  // Every event breaks a rule, so it is not waited for: that takes as many minutes as the others seconds.
  await page.evaluate(async (length) => {
    const event = 'data: {"type":"response.output_text.delta","sequence_number":9,"delta":"word"}\n\n'
    await navigator.clipboard.writeText(event.repeat(length / event.length))
  }, megabytes * 1e6)
  const bar = page.locator('progress[value]')
  const pasted = await during(given, async () => {
    await page.getByRole('textbox').press('Control+V')
    await bar.or(page.locator('.rules')).waitFor({ timeout: 60_000 })
  })
  expect((await page.getByRole('textbox').inputValue()) === '', 'the field holds what was pasted')
  return [
    freezeRow(`a file of ${megabytes} MB, read`, chosen),
    freezeRow(`${megabytes} MB pasted, until they are read`, pasted),
  ]
}

/** Writes a stream of one answer with at least this many bytes. */
function writeCapture(file, bytes) {
  const encoder = createSseEncoder()
  const translator = new Translator({ request: { model: 'gpt-oss' }, tokenTable })
  const { ids } = inputs.latin(20_000, 1)
  const opened = openSync(file, 'w')
  let written = 0
  const write = (events) => {
    for (const event of events) written += writeSync(opened, encoder(event))
  }
  write(translator.push(ids.slice(0, 3)))
  while (written < bytes) for (const id of ids.slice(3, -1)) write(translator.push([id]))
  write(translator.end())
  closeSync(opened)
}

/** Moves an element far in each frame, or by some pixels, and returns a row for the frames and one for each of them. */
async function moved({ figure, selector, by, frames, atMost, ...given }) {
  const { gaps, processorMs } = await during(given, () => given.page.evaluate(move, { frames, selector, by }))
  const late = gaps.filter((gap) => gap > LATE).length
  const longest = `the longest ${Math.max(...gaps).toFixed(0)} ms`
  const note = `${late} of ${gaps.length} frames late, ${longest}; load ${loadavg()[0].toFixed(0)}`
  const row = { figure: `${figure}: processor time for a frame`, value: processorMs / frames, unit: 'ms', note }
  return [{ ...row, ...(atMost && { atMost }) }]
}

/** Runs in the page. */
async function move({ frames, selector, by }) {
  const element = document.querySelector(selector)
  for (let frame = 0; frame < frames; frame++) {
    const share = ((frame * 37) % frames) / frames
    if (element instanceof HTMLInputElement) {
      element.value = String(Math.round(share * element.max))
      element.dispatchEvent(new Event('input', { bubbles: true }))
    } else element?.scrollTo(0, by === undefined ? share * element.scrollHeight : by * frame)
    await new Promise(requestAnimationFrame)
  }
}

/**
 * Does something. Returns the time between frames meanwhile, how long it took, and the processor time of the page's thread,
 * in milliseconds.
 */
async function during({ page, devTools }, action) {
  const processorMs = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000
  }
  await page.evaluate(() => {
    const gaps = []
    let last = performance.now()
    const tick = () => {
      const now = performance.now()
      gaps.push(now - last)
      last = now
      window.frame = requestAnimationFrame(tick)
    }
    window.gaps = gaps
    window.frame = requestAnimationFrame(tick)
  })
  const [before, started] = [await processorMs(), performance.now()]
  await action()
  const [after, took] = [await processorMs(), performance.now() - started]
  const gaps = await page.evaluate(() => {
    cancelAnimationFrame(window.frame)
    return window.gaps
  })
  return { gaps, took, processorMs: after - before }
}

function freezeRow(figure, { gaps, took, processorMs }) {
  const late = gaps.filter((gap) => gap > LATE).length
  const work = `${(took / 1000).toFixed(1)} s, of which the page's thread worked ${(processorMs / 1000).toFixed(1)}`
  return {
    figure: `${figure}: longest freeze`,
    value: gaps.reduce((most, gap) => Math.max(most, gap), 0),
    unit: 'ms',
    atMost: FREEZE,
    note: `${work}; ${late} of ${gaps.length} frames late; load ${loadavg()[0].toFixed(0)}`,
  }
}
