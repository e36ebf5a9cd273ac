import { describe, expect, test } from 'vitest'
import { urlCitations } from '../../../src/core/citations/url-citations.js'
import { hostItem } from '../../../src/core/items/index.js'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import { traceTo } from '../../../src/core/trace/tracer.js'
import type { ResponseStreamEvent } from '../../../src/index.js'
import { Translator } from '../../support/translator.js'
import { callTo, FIXED, messageOn } from './run.js'

const REQUEST = {
  tools: [{ type: 'mcp', server_label: 'github', require_approval: 'always' }],
  include: ['reasoning.encrypted_content'],
}

/** Input that calls every callback of a translator. */
const CHUNKS = [
  `${messageOn('analysis', 'Let me think.')}<|end|>`,
  `<|start|>assistant${callTo('github.search', '{}')}<|call|>`,
  `<|start|>assistant${callTo('nobody', '')}<|call|>`,
  `<|start|>assistant${messageOn('final', 'See 【1†L1-L2】. ')}<|return|>`,
]

function answer<Answer>(inside: () => void, given: Answer): Answer {
  inside()
  return given
}

/** The options of a stream in which every callback calls `inside` before it answers. */
const CALLBACKS: Record<string, (inside: () => void) => Partial<TranslatorOptions>> = {
  onDiagnostic: (inside) => ({ onDiagnostic: inside }),
  trace: (inside) => ({ trace: traceTo(inside) }),
  ids: (inside) => ({ ids: (prefix, ordinal) => answer(inside, `${prefix}_${ordinal}`) }),
  clock: (inside) => ({ clock: () => answer(inside, 1) }),
  sealReasoning: (inside) => ({ sealReasoning: (text) => answer(inside, `sealed ${text}`) }),
  sealApproval: (inside) => ({ sealApproval: (_, id) => answer(inside, `sealed ${id}`) }),
  citations: (inside) => ({
    citations: urlCitations({ resolve: () => answer(inside, { url: 'https://example.com/' }) }),
  }),
  onError: (inside) => ({
    onError: inside,
    onDiagnostic: () => {
      throw new Error('observed')
    },
  }),
}

const METHODS: Record<string, (translator: Translator) => unknown> = {
  start: (translator) => translator.start(),
  beginTurn: (translator) => translator.beginTurn(),
  push: (translator) => translator.push('<|start|>'),
  toolResult: (translator) => translator.toolResult({ itemId: 'mcp_1', output: '' }),
  insert: (translator) => translator.insert(hostItem({ type: 'compaction' })),
  addUsage: (translator) => translator.addUsage({ inputTokens: 1 }),
  snapshot: (translator) => translator.snapshot(),
  end: (translator) => translator.end(),
  fail: (translator) => translator.fail('no'),
  abort: (translator) => translator.abort(),
  cancel: (translator) => translator.cancel(),
}

function play(options: Partial<TranslatorOptions>, made: (translator: Translator) => void): ResponseStreamEvent[] {
  const translator = new Translator({ ...FIXED, request: REQUEST, ...options })
  made(translator)
  return [...CHUNKS.flatMap((chunk) => translator.push(chunk)), ...translator.end('stop')]
}

describe.each(Object.entries(CALLBACKS))('a callback (%s) that calls its own translator', (name, optionsOf) => {
  test.each(Object.entries(METHODS))(
    `${name} gets an error from %s, and the stream is as without it`,
    (method, call) => {
      let translator: Translator | undefined
      const thrown: unknown[] = []
      const options = optionsOf(() => {
        if (translator === undefined) return
        try {
          call(translator)
        } catch (error) {
          thrown.push(error)
        }
      })
      const events = play(options, (made) => {
        translator = made
      })
      expect(events).toEqual(
        play(
          optionsOf(() => {}),
          () => {},
        ),
      )
      expect(thrown.length).toBeGreaterThan(0)
      for (const error of thrown) {
        expect(error).toMatchObject({
          name: 'HarmonyResponsesError',
          code: 'reentrant_call',
          message: expect.stringMatching(`^${method}: expected a call between two others, got one from a callback of `),
        })
      }
    },
  )

  test(`${name} reads the response, and may dispose of the parser`, () => {
    let translator: Translator | undefined
    const ids = new Set<string | undefined>()
    const options = optionsOf(() => {
      ids.add(translator?.response.id)
      translator?.dispose()
    })
    const events = play(options, (made) => {
      translator = made
    })
    expect(events).toEqual(
      play(
        optionsOf(() => {}),
        () => {},
      ),
    )
    expect(ids).toContain('resp_test')
  })
})

test('a translator whose callback has thrown takes the next call', () => {
  let isBroken = true
  const ids: TranslatorOptions['ids'] = (prefix, ordinal) => {
    if (isBroken) throw new Error('no id')
    return `${prefix}_${ordinal}`
  }
  const translator = new Translator({ ...FIXED, ids })
  expect(() => translator.push(messageOn('final', 'Hi'))).toThrow('no id')
  isBroken = false
  expect(translator.fail('over').at(-1)).toMatchObject({ type: 'response.failed' })
})
