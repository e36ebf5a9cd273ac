import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedOptions } from '../src/cli/replay.js'
import { urlCitations } from '../src/core/citations/url-citations.js'
import { hostItem } from '../src/core/items/index.js'
import { ALL_FIELDS } from '../src/core/response-object/all-fields.js'
import * as core from '../src/core.js'
import { parseTokenFixture } from '../src/engines/sources/replay.js'
import * as full from '../src/index.js'
import { fn, mcp } from './core/recipients/tools.js'
import { anyStream, tokenTable } from './laws/streams.js'
import { collect } from './support/collect.js'
import { RUNS } from './support/runs.js'

const CORE_TYPES = ['function', 'custom', 'namespace', 'mcp']
const isCore = ({ type }: { type: string }): boolean => CORE_TYPES.includes(type)

const refusal = (what: string, name: string, code = 'bad_option') =>
  expect.objectContaining({
    name: 'HarmonyResponsesError',
    code,
    message: `${what}: expected an import of harmony-responses, not of its /core, got "${name}"`,
  })

/**
 * Events with all deltas of a call's arguments in one, and without numbers: the full door cuts a token in two where the
 * arguments end in the middle of it, since what follows may have to be mended.
 */
function joined(events: readonly full.ResponseStreamEvent[]): object[] {
  const all: Record<string, unknown>[] = []
  for (const { sequence_number: _, ...event } of events) {
    const last = all.at(-1)
    const isCall =
      event.type === 'response.function_call_arguments.delta' || event.type === 'response.mcp_call_arguments.delta'
    const isMore = isCall && last?.['type'] === event.type && last['item_id'] === event.item_id
    if (isMore) last['delta'] += event.delta
    else all.push({ ...event })
  }
  return all
}

describe('what both doors know', () => {
  const folder = fileURLToPath(new URL('../fixtures/', import.meta.url))
  const fixtures = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => parseTokenFixture(JSON.parse(readFileSync(folder + file, 'utf8'))))
    .filter(({ request, setup }) => (request?.tools ?? []).every(isCore) && setup?.citations !== true)

  test('most fixtures need no hosted tool', () => {
    expect(fixtures.length).toBeGreaterThan(10)
  })

  test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
    'the fixture %s gives the same events through the core door',
    async (_, fixture) => {
      const options = fixedOptions(fixture)
      expect(await collect(core.translate(fixture.tokens as never, options))).toEqual(
        await collect(full.translate(fixture.tokens as never, options)),
      )
    },
  )

  test('every stream without hosted tools and without calls to be mended gives the same events through both doors', () => {
    fc.assert(
      fc.property(anyStream(), ({ chunks, setup }) => {
        const { citations: _, containerId: __, trace: ___, request, ...rest } = setup
        const tools = (request.tools ?? []).filter(isCore)
        const options = { ...rest, tokenTable, responseId: 'resp_x', clock: () => 1, request: { ...request, tools } }
        const codes = new Set<string>()
        const onDiagnostic = ({ code, text }: { readonly code: string; readonly text?: string }): void =>
          // A call that is cut off behind its arguments names what was held back.
          void codes.add(code === 'call_cut_off' && text ? 'text_after_arguments' : code)
        const eventsOf = (translator: full.Translator | core.Translator) => [
          ...chunks.flatMap((chunk) => translator.push(chunk)),
          ...translator.end(),
        ]
        const events = eventsOf(new full.Translator({ ...options, onDiagnostic }))
        // What only the full door mends.
        fc.pre(
          ['undeclared_recipient', 'misspelled_recipient', 'text_after_arguments'].every((code) => !codes.has(code)),
        )
        expect(joined(eventsOf(new core.Translator(options)))).toEqual(joined(events))
      }),
      { numRuns: RUNS },
    )
  })

  test('the host inserts items through the core door', () => {
    const translator = new core.Translator()
    translator.insert(hostItem({ type: 'compaction', encrypted_content: 'x' }))
    expect(translator.response.output).toMatchObject([{ type: 'compaction', encrypted_content: 'x' }])
  })

  test('the core door has nothing that the other door lacks', () => {
    expect(Object.keys(full)).toEqual(expect.arrayContaining(Object.keys(core)))
  })
})

describe('what the core door does not know', () => {
  const others = Object.keys(ALL_FIELDS.tools).filter((type) => !CORE_TYPES.includes(type))

  test.each([...others, 'web_search_preview', 'functon'])(
    'the core door refuses a request that declares %s at once',
    (type) => {
      const request = { tools: [fn('f'), mcp('m'), { type }] }
      const refused = refusal('request.tools', type)
      expect(() => core.translate('', { request })).toThrow(refused)
      expect(() => core.translateBatches('', { request })).toThrow(refused)
      expect(() => new core.Translator({ request })).toThrow(refused)
    },
  )

  test.each([
    ['citations', urlCitations()],
    ['containerId', 'cntr_1'],
    ['knownListings', []],
    ['knownFiles', {}],
  ])('the core door refuses the option %s, which only the other door reads', (name, value) => {
    const options = { [name]: value }
    expect(() => core.translate('', options)).toThrow(refusal(name, name))
    expect(() => new core.Translator(options)).toThrow(refusal(name, name))
  })

  test('a declared tool that the API does not have is a diagnostic outside the core door', () => {
    const codes: string[] = []
    const onDiagnostic = ({ code }: full.Diagnostic): void => void codes.push(code)
    new full.Translator({ request: { tools: [{ type: 'functon' }] }, onDiagnostic }).start()
    expect(codes).toEqual(['unknown_tool_type'])
  })
})

describe('a snapshot that the other door took', () => {
  const HELLO = '<|channel|>final<|message|>Hello'

  test('a snapshot without hosted tools continues through the core door', () => {
    const first = new full.Translator({ responseId: 'resp_x', clock: () => 1 })
    first.push(HELLO)
    const second = core.Translator.restore(first.snapshot(), { clock: () => 1 })
    expect([second.push(' there'), second.end()]).toEqual([first.push(' there'), first.end()])
  })

  test('the core door refuses a snapshot whose request declares a hosted tool', () => {
    const { snapshot } = taken({ request: { tools: [{ type: 'shell' }] } })
    expect(() => core.Translator.restore(snapshot)).toThrow(refusal('request.tools', 'shell'))
  })

  test('the core door refuses a snapshot in which citation marks are looked for', () => {
    const { snapshot } = taken({ citations: urlCitations() })
    expect(() => core.Translator.restore(snapshot)).toThrow(refusal('snapshot', 'message', 'bad_snapshot'))
  })

  function taken(options: full.TranslatorOptions): { snapshot: full.TranslatorSnapshot } {
    const translator = new full.Translator(options)
    translator.push(HELLO)
    return { snapshot: translator.snapshot() }
  }
})
