import { describe, expect, test } from 'vitest'
import { createInputs, createRandom, type Inputs, inChunks, MARKER, SEED } from '../../bench/inputs.mjs'
import { urlCitations } from '../../src/core/citations/index.js'
import { createHarmonyParser } from '../../src/core/harmony/index.js'
import { SPECIAL } from '../../src/core/harmony/vocabulary.js'
import { loadTokenTable } from '../../src/core/tokens/load-token-table.js'
import { promptMessages } from '../../src/endpoint/prompt/prompt-messages.js'
import { Translator } from '../../src/index.js'
import { encodeText } from '../support/tokens.js'

const tokenTable = await loadTokenTable()
const inputs: Inputs = createInputs(tokenTable, encodeText)
const { turns: _, parallelCalls, ...generators } = inputs
const messages = [
  'varied',
  'skewed',
  'latin',
  'repeating',
  'invalid',
  'emoji',
  'longest',
  'openMarks',
  'unknownMarks',
] as const
/** A message's text stands between its header, of three tokens, and its terminator. */
const bodyOf = (ids: readonly number[]): number[] => ids.slice(3, -1)
const distinct = (ids: readonly number[]): number => new Set(ids).size

describe('every generator', () => {
  test.each(Object.entries(generators))('the generator %s gives the same for the same seed', (_name, make) => {
    expect(make(2_000, SEED)).toEqual(make(2_000, SEED))
  })

  test.each(Object.entries(generators).filter(([name]) => name !== 'longest'))(
    'the generator %s gives something else for another seed',
    (_name, make) => {
      expect(make(2_000, SEED)).not.toEqual(make(2_000, SEED + 1))
    },
  )

  test('every generator uses the markers of the vocabulary', () => {
    expect(SPECIAL).toMatchObject(MARKER)
  })
})

describe('messages', () => {
  test.each(messages)(
    'the generator %s gives as many tokens as asked for, in one message of exactly its text',
    (name) => {
      for (const count of [300, 1_000]) {
        const { ids, text, units } = inputs[name](count, SEED)
        expect(units).toBe(ids.length)
        // Emoji are whole: of four tokens each.
        expect(count - ids.length).toBeLessThan(name === 'emoji' ? 4 : 1)
        expect(contentsOf(ids)).toEqual([text])
      }
    },
  )

  test.each(messages.filter((name) => name !== 'invalid'))('the generator %s gives valid UTF-8', (name) => {
    expect(inputs[name](1_000, SEED).text).not.toContain('\uFFFD')
  })

  test('the generator varied hardly gives a token twice, and mixes scripts', () => {
    const { ids, text } = inputs.varied(10_000, SEED)
    expect(distinct(bodyOf(ids))).toBeGreaterThan(9_000)
    expect(text).toMatch(/\p{Script=Latin}/u)
    expect(text).toMatch(/\p{Script=Cyrillic}/u)
    expect(text).toMatch(/\p{Script=Han}/u)
  })

  test('the generator skewed gives common tokens more often, and rare ones too', () => {
    const body = bodyOf(inputs.skewed(10_000, SEED).ids)
    expect(body.filter((id) => id < 1_000).length).toBeGreaterThan(4_000)
    expect(body.filter((id) => id > 100_000).length).toBeGreaterThan(300)
    expect(distinct(body)).toBeGreaterThan(2_000)
  })

  test('the generator latin gives varied text with a byte for each character', () => {
    const { ids, text } = inputs.latin(10_000, SEED)
    expect(text).toMatch(/^[\0-\xff]*$/)
    expect(distinct(bodyOf(ids))).toBeGreaterThan(8_000)
  })

  test('the generator repeating gives no more than twelve different tokens', () => {
    expect(distinct(bodyOf(inputs.repeating(1_000, SEED).ids))).toBeLessThanOrEqual(12)
  })

  test('no token of the generator invalid is text on its own, and hardly any become a character together', () => {
    const { ids, text } = inputs.invalid(1_000, SEED)
    expect(bodyOf(ids).every((id) => tokenTable.text(id) === undefined)).toBe(true)
    expect(text.split('\uFFFD').length).toBeGreaterThan(500)
  })

  test('the generator emoji gives tokens of one byte, and characters of four', () => {
    const { ids, text } = inputs.emoji(1_000, SEED)
    expect(bodyOf(ids).every((id) => tokenTable.bytes(id).length === 1)).toBe(true)
    expect(Array.from(text).every((character) => new TextEncoder().encode(character).length === 4)).toBe(true)
    expect(new Set(text).size).toBeGreaterThan(100)
  })

  test('the generator longest gives tokens of 128 bytes', () => {
    expect(bodyOf(inputs.longest(100, SEED).ids).every((id) => tokenTable.bytes(id).length === 128)).toBe(true)
  })

  test.each(['openMarks', 'unknownMarks'] as const)(
    'nothing that the generator %s gives becomes a citation',
    (name) => {
      const { ids, text } = inputs[name](2_000, SEED)
      const translator = new Translator({ tokenTable, citations: urlCitations() })
      for (const id of ids) translator.push(id)
      translator.end('stop')
      expect(text.split('【').length).toBeGreaterThan(5)
      expect(translator.response.output).toMatchObject([{ content: [{ text, annotations: [] }] }])
    },
  )

  test('a mark of the generator openMarks is held as long as one may be', () => {
    const { ids } = inputs.openMarks(2_000, SEED)
    const translator = new Translator({ tokenTable, citations: urlCitations() })
    let [silent, longest] = [0, 0]
    for (const id of ids.slice(0, -1)) {
      silent = translator.push(id).length === 0 ? silent + 1 : 0
      longest = Math.max(longest, silent)
    }
    expect(longest).toBeGreaterThan(120)
  })
})

describe('other streams', () => {
  test('the generator longHeaders gives whole calls whose headers are as long as a header may be', () => {
    const { ids, units } = inputs.longHeaders(5_000, SEED)
    expect(units).toBe(ids.length)
    expect(units).toBeLessThanOrEqual(5_000)
    expect(units).toBeGreaterThan(4_000)
    const headers = splitAt(ids, MARKER.message).slice(0, -1)
    const lengths = headers.map(
      (header) =>
        header
          .filter((id) => id < MARKER.return)
          .map((id) => tokenTable.text(id))
          .join('').length,
    )
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1024)
    expect(Math.min(...lengths)).toBeGreaterThan(950)
    const contents = contentsOf(ids)
    expect(contents.length).toBe(headers.length)
    expect(new Set(contents)).toEqual(new Set(['{}']))
  })

  test('the generator shortMessages gives messages of one token', () => {
    const { ids, units } = inputs.shortMessages(1_000, SEED)
    expect(units).toBe(ids.length)
    expect(1_000 - units).toBeLessThan(10)
    const contents = contentsOf(ids)
    expect(contents.length).toBeGreaterThan(100)
    expect(new Set(contents).size).toBeGreaterThan(100)
  })

  test('the generator toolLoop gives every call its result', () => {
    const { turns, units } = inputs.toolLoop(1_000, SEED)
    expect(units).toBeGreaterThanOrEqual(1_000)
    expect(units).toBeLessThan(1_100)
    const translator = new Translator({
      tokenTable,
      request: { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    })
    for (const turn of turns) {
      translator.beginTurn()
      for (const chunk of turn) translator.push(chunk)
    }
    translator.end('stop')
    const { output } = translator.response
    expect(output.length).toBe(turns.length)
    expect(output.every((item) => item.type === 'code_interpreter_call' && item.status === 'completed')).toBe(true)
  })

  test('the generator parallelCalls gives each call its results, the last one first', () => {
    const request = { tools: [{ type: 'mcp', server_label: 'm', require_approval: 'never' }] } as never
    for (const results of [0, 1, 2]) {
      const { turns, units } = parallelCalls(1_000, SEED, results)
      expect(units).toBeGreaterThanOrEqual(1_000)
      expect(units).toBeLessThan(1_100)
      expect(parallelCalls(1_000, SEED, results)).toEqual(parallelCalls(1_000, SEED, results))
      expect(turns.length).toBe(1)
      const reported: string[] = []
      const translator = new Translator({ tokenTable, request, onDiagnostic: ({ code }) => reported.push(code) })
      const done: number[] = []
      for (const chunk of turns.flat()) {
        for (const event of translator.push(chunk)) {
          if (event.type === 'response.output_item.done') done.push(event.output_index)
        }
      }
      const { output } = translator.response
      expect(output.length).toBeGreaterThan(10)
      expect(output.every(({ type }) => type === 'mcp_call')).toBe(true)
      expect(done).toEqual(results === 0 ? [] : output.map((_, index) => index).reverse())
      expect(reported).toEqual(results === 2 ? output.map(() => 'second_result') : [])
    }
  })

  test('the generator prose gives as many characters as asked for, nearly all of one byte, in varied paragraphs', () => {
    const { text, units } = inputs.prose(100_000, SEED)
    expect([text.length, units]).toEqual([100_000, 100_000])
    expect(Buffer.byteLength(text)).toBeLessThan(102_000)
    const paragraphs = text.split('\n\n')
    expect(new Set(paragraphs).size).toBeGreaterThan(paragraphs.length / 2)
  })

  test('the generator conversation gives as many rendered items as asked for, of 100 characters on average', () => {
    const { request, units } = inputs.conversation(2_000, SEED)
    expect([request.input.length, units]).toEqual([2_000, 2_000])
    const messages = promptMessages(request, { date: '2026-01-31' }).filter(({ item }) => item !== undefined)
    expect(messages.length).toBe(2_000)
    const length = messages.reduce((sum, { content }) => sum + content.length, 0) / messages.length
    expect(Math.abs(length - 100)).toBeLessThan(15)
    expect(new Set(messages.map(({ role }) => role))).toEqual(new Set(['user', 'assistant', 'tool']))
  })

  test('turns gives the turns in their order, and starts again when they are used up', () => {
    const drawn = [[1, 2, 3], [{ host: [4, 5] }], [[6, 7]]]
    expect(inputs.turns(9, drawn)).toEqual({ turns: [...drawn, ...drawn.slice(0, 1)], units: 10 })
  })
})

test('createRandom gives the same numbers for a seed, spread over the whole range', () => {
  const random = createRandom(1)
  const drawn = Array.from({ length: 10_000 }, () => random(10))
  const again = createRandom(1)
  expect(drawn).toEqual(drawn.map(() => again(10)))
  for (let value = 0; value < 10; value++) expect(drawn.filter((one) => one === value).length).toBeGreaterThan(900)
})

test('inChunks gives everything once, in order', () => {
  expect(inChunks([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
})

/** What the messages of a stream say. */
function contentsOf(ids: readonly number[]): string[] {
  const contents: string[] = []
  const parser = createHarmonyParser({ tokenTable }, (event) => {
    if (event.type === 'message_start') contents.push('')
    if (event.type === 'message_text') contents[contents.length - 1] += event.text
  })
  for (const id of ids) parser.push(id, 'model')
  parser.end()
  return contents
}

function splitAt(ids: readonly number[], marker: number): number[][] {
  const parts: number[][] = [[]]
  for (const id of ids) {
    if (id === marker) parts.push([])
    else parts.at(-1)?.push(id)
  }
  return parts
}
