import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EngineError, STOP_TOKENS, type TokenEngine, tokenStream } from '../../../src/engines/contract/index.js'
import { translate } from '../../../src/index.js'
import { sourcePlan } from '../../../src/judge/conformance/arbitraries/index.js'
import { checkSource, planPieces, type SourcePlan } from '../../../src/judge/conformance/check-source.js'
import { runs } from '../../support/runs.js'
import { type Answer, refuse, scriptedServer } from '../../support/scripted-server.js'
import { m } from '../../support/tokens.js'

const RUNS = runs(100)

// docs/engines-for-authors.md shows this, word for word: the last test compares them.

/** An engine that answers with a line of JSON for each token, `{"id": 976}`, and for the end, `{"end": "stop"}`. */
const createMyEngine = (url: string): TokenEngine => ({
  generate(promptTokens, { maxTokens, stop = STOP_TOKENS, signal } = {}) {
    const body = JSON.stringify({ prompt: [...promptTokens], maxTokens, stop })
    return tokenStream(async function* (signal) {
      const response = await fetch(`${url}/sample`, { method: 'POST', body, signal })
      if (!response.ok || !response.body) throw new EngineError('server_error', await response.text())
      let rest = ''
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          const { id, end } = JSON.parse(line)
          if (end) return { reason: end }
          yield id
        }
      }
      throw new EngineError('server_error', 'the engine hung up')
    }, signal)
  },
  async health({ signal } = {}) {
    const response = await fetch(`${url}/health`, signal ? { signal } : {})
    if (!response.ok) throw new EngineError('server_error', `the engine answers ${response.status}`)
  },
})

/** What such an engine answers. */
function lines(plan: SourcePlan): Answer {
  return async (response) => {
    response.writeHead(200)
    response.flushHeaders()
    for (const ids of planPieces(plan)) {
      const text = ids.map((id) => `${JSON.stringify({ id })}\n`).join('')
      await new Promise((resolve) => response.write(text, resolve))
    }
    if (plan.ending === 'hang') return
    const end = plan.ending === 'stop' ? 'stop' : 'max_output_tokens'
    response.end(plan.ending === 'error' ? '' : `${JSON.stringify({ end })}\n`)
  }
}

describe('an engine of your own', () => {
  const server = scriptedServer()

  test('an engine of your own keeps the laws of a source', async () => {
    await fc.assert(
      fc.asyncProperty(sourcePlan(), async (plan) => {
        const violations = await checkSource((plan, signal) => {
          const { url, backend } = server.script(lines(plan))
          return { source: createMyEngine(url).generate([1, 2], { signal }), backend }
        }, plan)
        expect(violations).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('an engine of your own is all that translate needs', async () => {
    const tokens = [m.channel, 17196, m.message, 13225, m.return]
    const { url } = server.script(lines({ tokens, cuts: [2], ending: 'stop', reader: { does: 'reads on' } }))
    const events = translate(createMyEngine(url).generate([m.start, 173781]))
    for (let step = await events.next(); ; step = await events.next()) {
      if (!step.done) continue
      expect(step.value).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hello' }] }] })
      break
    }
  })

  test('an engine of your own is ill if the server is', async () => {
    const { url } = server.script((response) => void response.end(), refuse(503, ''))
    await createMyEngine(url).health()
    await expect(createMyEngine(url).health()).rejects.toThrow('the engine answers 503')
  })
})

test('docs/engines-for-authors.md shows the engine that is tested here, in under thirty lines', () => {
  const code =
    /\n(\/\*\* An engine that answers[\s\S]*?\n}\)\n)/.exec(readFileSync(new URL(import.meta.url), 'utf8'))?.[1] ?? ''
  const page = readFileSync(new URL('../../../docs/engines-for-authors.md', import.meta.url), 'utf8')
  expect(code).toContain('async health(')
  expect(page).toContain(`\n${code}`)
  expect(code.split('\n').length).toBeLessThan(30)
})
