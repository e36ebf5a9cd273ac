import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Checkout, createCheckout, type Ran } from './checkout.js'
import { namedBlock, root } from './pages.js'

let checkout: Checkout

beforeAll(async () => {
  checkout = await createCheckout()
})
afterAll(() => checkout.remove())

test('examples/agent.mjs prints the reasoning, calls, results and answer, and ends its server', async () => {
  expect(await checkout.run('examples/agent.mjs')).toEqual({
    code: 0,
    err: '',
    out: `\
question:  Do I need an umbrella in Oslo?
reasoning: I need the weather in Oslo.
call:      weather.now {"city":"Oslo"}
result:    9 degrees and rain
reasoning: The server knows.
answer:    Yes, take an umbrella: Oslo has 9 degrees and rain.
`,
  })
})

test('examples/extract.mjs prints what fits its schema, although the script would write something else', async () => {
  expect(await checkout.run('examples/extract.mjs')).toEqual({
    code: 0,
    err: '',
    out: `\
reasoning: Two defects, and one is urgent.
sender:    Anna Berg
defect:    boiler (Flat 12), now
defect:    bulb (stairs), whenever
`,
  })
})

describe('npm run demo', () => {
  const { scripts }: { scripts: { demo: string } } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const file = /^node scripts\/build-quietly\.mjs && node (\S+)$/.exec(scripts.demo)?.[1] ?? ''
  let ran: Ran
  beforeAll(async () => {
    ran = await checkout.run(file)
  })

  test("npm run demo prints the question first and the answer last, with the server's output", () => {
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(/^question: How warm is it in Paris\?\n/)
    expect(ran.out).toMatch(/\nanswer: In Paris it is 22 degrees and sun\.\n$/)
  })

  test('npm run demo shows the reasoning, the call with its result, and the answer of a completed response', () => {
    const summary = ran.out.split('\n').slice(-10)
    expect(summary.slice(0, 4)).toEqual([
      "#0 mcp_list_tools weather  'now'",
      "#1 reasoning completed 'I need the weather in Paris.'",
      `#2 mcp_call weather.now completed '{"city":"Paris"}' -> '22 degrees and sun'`,
      "#3 message final_answer completed 'In Paris it is 22 degrees and sun.'",
    ])
    expect(summary[5]).toMatch(/^\d+ events, 0 diagnostics$/)
    expect(summary[6]).toMatch(/^response completed resp_/)
  })

  test('npm run demo fits into 80 columns', () => {
    for (const line of ran.out.split('\n')) expect([...line].length).toBeLessThanOrEqual(80)
  })

  test('npm run demo prints the timeline that docs/command-line.md shows', () => {
    const [heading = '', ...lines] = namedBlock('docs/command-line.md', 'timeline').code.split('\n')
    expect(ran.out).toContain(`${heading}\n`)
    const parts = lines.join('\n').split('...\n')
    expect(parts.length).toBeGreaterThan(1)
    for (const part of parts) expect(ran.out).toContain(part)
  })
})
