import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { collectResponse } from '../../../src/core/translate/collect-response.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { respond } from '../../../src/endpoint/respond/index.js'
import type { TokenEngine } from '../../../src/engines/contract/engine.js'
import { textSource } from '../../../src/engines/sources/text.js'
import { runs } from '../../support/runs.js'
import { encodeHarmony, m, tokenBytes } from '../../support/tokens.js'
import { echo, modelOf } from './scripted.js'

const tokenTable = await loadTokenTable()
const REQUEST: ResponseRequest = {
  input: 'Go.',
  tools: [{ type: 'mcp', server_label: 'docs', require_approval: 'never' }],
}
const TURNS = [
  '<|channel|>analysis<|message|>I look it up 🦩.<|end|><|start|>assistant<|channel|>commentary to=docs.find <|constrain|>json<|message|>{"q":"<|nothing|>"}<|call|>',
  '<|channel|>final<|message|>It is <|here|> and <| there.<|return|>',
]

/** An engine that gives the turns of a script as text, cut where the lengths say. */
function textEngine(cuts: readonly number[], contexts: number[][] = [], spellsMarkers = true): TokenEngine {
  let turn = 0
  return {
    generate(context) {
      contexts.push([...context])
      const text = TURNS[turn++] ?? ''
      const pieces: string[] = []
      for (let at = 0, next = 0; at < text.length; next++) {
        const length = Math.max(1, cuts[next % Math.max(cuts.length, 1)] ?? text.length)
        pieces.push(text.slice(at, at + length))
        at += length
      }
      return textSource(pieces, { end: { reason: 'stop' } })
    },
    health: async () => {},
    ...(spellsMarkers && { capabilities: async () => ({ spellsMarkers }) }),
  }
}

async function say(engine: TokenEngine) {
  const entries: Entry[] = []
  const append = async (added: readonly Entry[]): Promise<void> => void entries.push(...added)
  const how = { tokenTable, tools: [echo], responseId: 'resp_1', clock: () => 1, onError: () => {} }
  const response = await collectResponse(respond(REQUEST, { ...how, engine, append }))
  return { response, entries }
}

/** Ids in a line, with each special one as a number. */
const spelled = (ids: readonly number[]): string =>
  Buffer.concat(ids.map((id) => Buffer.from(id > m.startoftext ? `<${id}>` : (tokenBytes(id) ?? '')))).toString()

describe('an engine that gives text', () => {
  test('an engine that gives text is answered with as one that gives ids, however its text is cut', async () => {
    const own = await say(modelOf(TURNS))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 3, max: 40 }), { maxLength: 6 }), async (cuts) => {
        const contexts: number[][] = []
        const { response, entries } = await say(textEngine(cuts, contexts))
        expect(response.output).toEqual(own.response.output)
        expect([response.status, response.output.at(-1)]).toMatchObject([
          'completed',
          { content: [{ text: 'It is <|here|> and <| there.' }] },
        ])
        // The model goes on from what it wrote, with its special tokens.
        expect(spelled(contexts[1] ?? [])).toContain(spelled(encodeHarmony(TURNS[0] ?? '')))
        const given = entries.flatMap((entry) => (entry.type === 'chunk' ? entry.tokens : []))
        expect(given.every((token) => typeof token === 'number')).toBe(true)
        expect(response.usage?.output_tokens).toBe(given.length)
      }),
      { numRuns: runs(100) },
    )
  })

  test('an engine that gives text and does not say so fails the response at once, and clearly', async () => {
    const { response } = await say(textEngine([], [], false))
    expect(response).toMatchObject({ status: 'failed', output: [] })
    const errors: unknown[] = []
    const events = respond(REQUEST, { engine: textEngine([], [], false), tokenTable, onError: (e) => errors.push(e) })
    await collectResponse(events)
    expect(String(errors[0])).toContain('expected token ids from the engine, got text: one that spells special tokens')
  })
})
