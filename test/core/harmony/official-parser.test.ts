import fc from 'fast-check'
import { expect, test } from 'vitest'
import { officialParser } from '../../../src/core/harmony/official-parser.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { faultsOf } from '../../laws/check-stream.js'
import { fixed, oneByOne, run, withoutDeltaBorders } from '../../laws/streams.js'
import { tokenSoup, wellFormedTranscript } from '../../support/arbitraries.js'
import { loadOfficial } from '../../support/official-parser.js'
import { RUNS } from '../../support/runs.js'
import { encodeHarmony } from '../../support/tokens.js'
import { Translator } from '../../support/translator.js'

const official = await loadOfficial()
const parser = officialParser(() => official.createRaw('assistant'))

test('with the official parser, well-formed streams become the same events', () => {
  fc.assert(
    fc.property(wellFormedTranscript(), ({ chunks, request }) => {
      const pieces = oneByOne(chunks)
      // It gives a half character a token later than we do; the borders between deltas may differ.
      const behindIt = withoutDeltaBorders(run(pieces, { request, parser }).events)
      expect(behindIt).toEqual(withoutDeltaBorders(run(pieces, { request }).events))
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  )
})

test('with the official parser, whatever comes in gives a well-formed stream', () => {
  fc.assert(
    fc.property(tokenSoup(), (tokens) => {
      expect(faultsOf(run([tokens], { parser }).events)).toEqual([])
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  )
})

test('a token that the official parser refuses is reported', () => {
  const { diagnostics } = run([encodeHarmony('<|channel|>final<|message|>Hi<|end|>Hello<|return|>')], { parser })
  expect(diagnostics.map(({ code }) => code)).toContain('refused_token')
})

test('every turn gets an official parser of its own', () => {
  const translator = new Translator({ ...fixed, parser })
  const turn = encodeHarmony('<|channel|>final<|message|>Hi')
  translator.push(turn)
  translator.beginTurn()
  translator.push(turn)
  translator.end('stop')
  expect(translator.response.output).toHaveLength(2)
})

test.each([
  ['<|channel|>', '<|channel|>final<|message|>Hi<|return|>'],
  ['<|start|>', '<|start|>assistant<|channel|>final<|message|>Hi<|return|>'],
])("sampled tokens end a message of the host, and their %s begins the model's own", (_, sampled) => {
  const diagnostics: string[] = []
  const translator = new Translator({
    ...fixed,
    parser,
    request: { tools: [{ type: 'mcp', server_label: 'github', require_approval: 'never' }] } as never,
    onDiagnostic: ({ code }) => diagnostics.push(code),
  })
  translator.push(encodeHarmony('<|channel|>commentary to=github.a<|message|>{}<|call|>'))
  translator.push({ host: encodeHarmony('<|start|>github.a to=assistant<|channel|>commentary<|message|>found') })
  translator.push(encodeHarmony(sampled))
  translator.end('stop')
  expect(translator.response.output).toMatchObject([{ output: 'found' }, { content: [{ text: 'Hi' }] }])
  expect(diagnostics).toEqual(['missing_end'])
})

test('text is refused with the official parser, and so is a snapshot', () => {
  const translator = new Translator({ ...fixed, parser })
  expect(() => translator.push('Hi')).toThrow(HarmonyResponsesError)
  expect(() => translator.push('Hi')).toThrow(/expected token ids/)
  expect(() => translator.snapshot()).toThrow(/native parser/)
})
