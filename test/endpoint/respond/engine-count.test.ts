import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseObject } from '../../../src/core/responses/response.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { translateEntries } from '../../../src/endpoint/respond/index.js'
import type { TokenEngine } from '../../../src/engines/contract/engine.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { runs } from '../../support/runs.js'
import { ANSWER, GITHUB, heldModelOf, optionsOf, run, SEARCH } from './scripted.js'

/** The engine's count differs from the tokens that it gives, by a fixed number in each call. */
function countingOtherwise(engine: TokenEngine, more: number, counted: { extra: number }): TokenEngine {
  return {
    ...engine,
    generate(prompt, options = {}) {
      return tokenStream(async function* () {
        let given = 0
        const stream = engine.generate(prompt, options)
        for (let step = await stream.next(); ; step = await stream.next()) {
          if (step.done) {
            counted.extra += Math.max(0, more)
            return { ...step.value, usage: { cachedTokens: 2, outputTokens: Math.max(0, given + more) } }
          }
          given += Array.isArray(step.value) ? step.value.length : 1
          yield step.value
        }
      }, options.signal)
    },
  }
}

const tokensIn = (entries: readonly Entry[]): number =>
  entries.reduce((sum, entry) => sum + (entry.type === 'chunk' ? entry.tokens.length : 0), 0)
const unreadIn = (entries: readonly Entry[]): number =>
  entries.reduce((sum, entry) => {
    const usage = entry.type === 'stop' || entry.type === 'usage' ? entry.usage : undefined
    return sum + (usage?.unreadTokens ?? 0)
  }, 0)

function rebuilt(entries: readonly Entry[], turns: readonly string[]): ResponseObject | undefined {
  const translation = translateEntries(optionsOf({ turns }))
  for (const entry of entries) translation.apply(entry)
  const { response } = translation
  translation.dispose()
  return response
}

const THINK = '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant'
const JSON_ANSWER = ANSWER.replace('Hi', '{"a":1}')
const format = {
  type: 'json_schema',
  name: 'a',
  schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false },
  strict: true,
} as const

test("usage is the engine's count, and never less than the tokens that it gave, also where a response continues", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(SEARCH, THINK + SEARCH), { maxLength: 2 }),
      fc.constantFrom(true, false),
      fc.integer({ min: -2, max: 3 }),
      fc.nat(),
      async (calls, isHeld, more, at) => {
        const turns = [...calls, THINK + (isHeld ? JSON_ANSWER : ANSWER)]
        const request = { input: 'Hi', tools: [GITHUB], ...(isHeld && { text: { format } }) }
        const capabilities = { constraints: ['json_schema', 'gbnf'] as const }
        const counted = { extra: 0 }
        const engine = countingOtherwise(heldModelOf({ held: turns, capabilities }), more, counted)
        const whole = await run(request, { engine })
        expect(whole.response.status).toBe('completed')
        expect(unreadIn(whole.entries)).toBe(counted.extra)
        expect(whole.response.usage?.output_tokens).toBe(tokensIn(whole.entries) + counted.extra)
        expect(rebuilt(whole.entries, turns)?.usage).toEqual(whole.response.usage)

        const kept = whole.entries.slice(0, 1 + (at % (whole.entries.length - 1)))
        const before = unreadIn(kept)
        counted.extra = 0
        const later = await run(request, { engine, entries: kept })
        expect(later.response.usage?.output_tokens).toBe(tokensIn(later.entries) + before + counted.extra)
        expect(rebuilt(later.entries, turns)?.usage).toEqual(later.response.usage)
      },
    ),
    { numRuns: runs(100) },
  )
})
