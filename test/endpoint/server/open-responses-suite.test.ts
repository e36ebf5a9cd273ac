import { execFile } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openResponses } from '../../../src/dialects/index.js'
import { serveResponses } from '../../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../../src/index.js'
import { answer, call, scriptedEngine, think } from '../../../src/testing/index.js'

/** A checkout of the suite with its packages installed (docs/open-responses.md), and `bun` in the path. */
const CHECKOUT = process.env['OPEN_RESPONSES_SUITE'] ?? ''

interface Report {
  readonly summary: { readonly passed: number; readonly failed: number; readonly skipped: number }
  readonly results: readonly { readonly name: string; readonly status: string; readonly errors?: readonly string[] }[]
}

describe.skipIf(CHECKOUT === '')('the compliance suite of Open Responses (needs OPEN_RESPONSES_SUITE)', () => {
  test('every test of the Open Responses suite passes', { timeout: 120_000 }, async () => {
    const engine = scriptedEngine(({ messages }) => {
      const isTaught = messages.some(({ role, content }) => role === 'developer' && content.includes('get_weather'))
      if (isTaught) return [think('I look.'), call('functions.get_weather', { location: 'San Francisco, CA' })]
      return [think('I count.'), answer('1, 2, 3.')]
    })
    const server = await serveResponses({
      engine,
      tokenTable: await loadTokenTable(),
      port: 0,
      dialect: openResponses,
      done: true,
      response: { images: 'placeholder' },
    })
    onTestFinished(() => server.close())
    const { summary, results } = await runSuite(`${server.url}/v1`)
    expect(results.filter(({ status }) => status !== 'passed')).toEqual([])
    expect(summary).toMatchObject({ passed: results.length, failed: 0, skipped: 0 })
    expect(results.length).toBeGreaterThanOrEqual(17)
  })
})

/** It exits with 1 where a test fails, and prints its report all the same. */
function runSuite(baseURL: string): Promise<Report> {
  const args = ['run', 'bin/compliance-test.ts', '--json', '--base-url', baseURL, '--api-key', 'none']
  return new Promise((resolve, reject) => {
    execFile('bun', args, { cwd: CHECKOUT, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (!stdout.startsWith('{')) return reject(new Error(`the suite printed no report: ${stderr || error}`))
      resolve(JSON.parse(stdout) as Report)
    })
  })
}
