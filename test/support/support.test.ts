import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { VOCABULARY_SIZE } from '../../src/core/harmony/vocabulary.js'
import {
  chunking,
  chunkPlan,
  cutChunks,
  cutText,
  flattenChunks,
  harmonyText,
  harmonyTextSpellingMarkers,
  MALFORMED_SHAPES,
  type MalformedTranscript,
  malformedTranscript,
  textChunking,
  textPlan,
  tokenSoup,
  wellFormedTranscript,
} from './arbitraries.js'
import { loadOfficial, normaliseMessage, type Official } from './official-parser.js'
import { RUNS, runs as scaled } from './runs.js'
import { describeWithShared, fuzzTraces, goldenTraces, vllmTraces } from './shared-data.js'
import { cut, encodeHarmony, encodeText, m, showToken, spellsMarker } from './tokens.js'

const check = <T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void, runs = RUNS): void =>
  fc.assert(
    // What a matcher returns is not the property's answer.
    fc.property(arbitrary, (value) => {
      holds(value)
    }),
    { numRuns: runs },
  )

const anyText = (): fc.Arbitrary<string> => fc.oneof(harmonyText(), harmonyTextSpellingMarkers())

let official: Official
beforeAll(async () => {
  official = await loadOfficial()
}, 180_000)

describe('the official parser', () => {
  test('the official parser leaves fetch as it was', async () => {
    const before = globalThis.fetch
    await loadOfficial()
    expect(globalThis.fetch).toBe(before)
    await expect(fetch('file:///nothing.wasm')).rejects.toThrow()
  })

  test('the official parser continues after an error and reports its position', () => {
    const tokens = encodeHarmony(
      '<|channel|>final<|message|>a<|return|>x<|start|>assistant<|channel|>final<|message|>b<|end|>',
    )
    expect(official.parse(tokens, 'assistant')).toEqual({
      messages: [
        { role: 'assistant', channel: 'final', content: 'a' },
        { role: 'assistant', channel: 'final', content: 'b' },
      ],
      accepted: false,
      errors: [{ index: 5, message: `Unexpected token ${encodeText('x')} while expecting start token 200006` }],
      state: 'ExpectStart',
    })
  })

  test('the official parser reports the message in progress', () => {
    const call = encodeHarmony('<|channel|>commentary to= <|constrain|>json<|message|>{"a"')
    expect(official.parse(call, 'assistant')).toMatchObject({
      accepted: true,
      state: 'Content',
      open: {
        role: 'assistant',
        recipient: '',
        channel: 'commentary',
        contentType: 'json',
        constrained: true,
        content: '{"a"',
      },
    })
    const result = official.parse(encodeHarmony('<|start|>python to=assistant<|message|>3'), null)
    expect(result.open).toEqual({ role: 'tool', name: 'python', recipient: 'assistant', content: '3' })
    expect(official.parse(encodeHarmony('<|channel|>fin'), 'assistant')).toEqual({
      messages: [],
      accepted: true,
      errors: [],
      state: 'Header',
    })
  })

  test('the official parser can wait for its first start', () => {
    const message = encodeHarmony('assistant<|channel|>final<|message|>Hi<|return|>')
    expect(official.parse([m.start, ...message], null).messages).toEqual([
      { role: 'assistant', channel: 'final', content: 'Hi' },
    ])
    expect(official.parse(message, null).errors[0]?.index).toBe(0)
    expect(official.parse([], null)).toEqual({ messages: [], accepted: true, errors: [], state: 'ExpectStart' })
  })

  test('the official parser can be had as it is', () => {
    const raw = official.createRaw('assistant')
    for (const id of encodeHarmony('<|channel|>final<|message|>Hi')) raw.process(id)
    expect([raw.currentChannel, raw.currentRecipient, raw.currentContent, raw.lastContentDelta]).toEqual([
      'final',
      '',
      'Hi',
      'Hi',
    ])
    raw.free()
  })
})

describe('tokens', () => {
  test('encodeHarmony gives the ids of the official tokenizer', () => {
    check(anyText(), (text) => expect(encodeHarmony(text)).toEqual(official.encode(text)))
  })

  test('cut cuts a text into pieces of the given lengths', () => {
    expect(cut('abcdef', [1, 0, 2])).toEqual(['a', '', 'bc', 'def'])
    expect(cut([1, 2, 3], [5, 5])).toEqual([[1, 2, 3]])
    expect(cut('', [1])).toEqual([])
  })

  test('showToken shows a token as a person reads it', () => {
    expect([m.start, 173781, 9552, 200013, 201088].map(showToken)).toEqual([
      '<|start|>',
      '"assistant"',
      '⟨20 f0 9f⟩',
      '<|reserved_200013|>',
      '⟨201088⟩',
    ])
  })
})

describe('arbitraries', () => {
  test('harmonyText spells no marker, harmonyTextSpellingMarkers does', () => {
    check(harmonyText(), (text) => expect(spellsMarker(text)).toBe(false))
    check(harmonyTextSpellingMarkers(), (text) => expect(spellsMarker(text)).toBe(true))
    expect(fc.sample(harmonyText(), { numRuns: 300, seed: 1 })).toContain('')
  })

  test('the official parser accepts every well-formed transcript as it is meant', () => {
    check(wellFormedTranscript(), ({ tokens, messages, entries }) => {
      expect(official.parse(tokens, 'assistant')).toEqual({
        messages,
        accepted: true,
        errors: [],
        state: 'ExpectStart',
      })
      expect(entries.map(({ message }) => message)).toEqual(messages)
    })
  })

  test('the official parser accepts well-formed transcripts without the role, too, and with texts that spell markers', () => {
    const spelling = wellFormedTranscript({ text: harmonyTextSpellingMarkers() })
    check(spelling, ({ tokens, messages, textChunks }) => {
      const started = [m.start, ...encodeText('assistant'), ...tokens]
      expect(official.parse(started, null)).toMatchObject({ messages, accepted: true })
      if (messages.some(({ content }) => spellsMarker(content))) expect(textChunks).toBeUndefined()
    })
  })

  test('chunks and text are the tokens in other forms', () => {
    check(wellFormedTranscript(), ({ tokens, chunks, textChunks = [] }) => {
      expect(flattenChunks(chunks)).toEqual(tokens)
      expect(chunks.length).toBe(textChunks.length)
      const texts = textChunks.map((chunk) => (typeof chunk === 'object' && 'host' in chunk ? chunk.host : chunk))
      expect(texts.flatMap((text) => encodeHarmony(String(text)))).toEqual(tokens)
    })
  })

  test('a transcript declares the tools it calls, and has the pieces its options allow', () => {
    check(wellFormedTranscript(), ({ entries, request }) => {
      for (const { tool } of entries) if (tool) expect(request.tools).toContainEqual(tool.declaration)
      const labels = (request.tools ?? []).flatMap((tool) => ('server_label' in tool ? [tool.server_label] : []))
      expect(new Set(labels).size).toBe(labels.length)
      if (entries.some(({ tool }) => tool?.itemType === 'function_call' && tool.name === 'python')) {
        expect(labels).not.toContain('code_interpreter')
      }
    })
    check(wellFormedTranscript({ results: false }), ({ entries }) => {
      expect(entries.every(({ origin }) => origin === 'model')).toBe(true)
    })
    check(wellFormedTranscript({ calls: false, maxSteps: 2 }), ({ entries, request }) => {
      expect(entries.length).toBeLessThanOrEqual(2)
      expect(entries.every(({ message }) => message.recipient === undefined)).toBe(true)
      expect(request.tools).toEqual([])
    })
  })

  test('transcripts come in all kinds', () => {
    const transcripts = fc.sample(wellFormedTranscript(), { numRuns: 1000, seed: 1 })
    const entries = transcripts.flatMap((transcript) => transcript.entries)
    expect([...new Set(entries.map(({ tool }) => tool?.itemType ?? 'none'))].sort()).toEqual([
      'code_interpreter_call',
      'custom_tool_call',
      'function_call',
      'mcp_call',
      'none',
      'shell_call',
      'web_search_call',
    ])
    expect([...new Set(entries.map(({ terminator }) => terminator))].sort()).toEqual(['call', 'end', 'return'])
    const heads = ['assistant to=python<|channel|>', ' <|constrain|>json<|message|>', 'analysis<|constrain|>code']
    const all = transcripts.map(({ text }) => text).join('\n')
    for (const head of [...heads, '⟦<|start|>functions.', 'mcp.acme.v2', ' to=browser.find'])
      expect(all).toContain(head)
  })

  test('values print and shrink to something a person can read', () => {
    const hasCall = (text: string): boolean => text.includes('<|call|>')
    const { counterexample, counterexamplePath } = fc.check(
      fc.property(wellFormedTranscript(), ({ text }) => !hasCall(text)),
      { numRuns: 1000, seed: 1 },
    )
    expect(counterexamplePath).not.toBeNull()
    expect(fc.stringify(counterexample?.[0])).toMatch(
      /^Transcript\("<\|channel\|>commentary to=functions\.get_weather<\|message\|>\{\}<\|call\|>", tools: \[function get_weather\]\)$/,
    )
    expect(fc.stringify(fc.sample(tokenSoup(), { numRuns: 20, seed: 1 }))).toContain('200006 <|start|>')
    expect(fc.stringify(fc.sample(malformedTranscript('end-in-header'), { numRuns: 1, seed: 1 }))).toMatch(
      /^\[end-in-header, end in the header \(llama/,
    )
  })

  test.each(MALFORMED_SHAPES)('there is a generator for the malformed shape %s', (name) => {
    check(
      malformedTranscript(name),
      ({ shape, tokens, chunks, textChunks, open, spelled, calls, request, texts, text }) => {
        expect(shape).toBe(name)
        expect(flattenChunks(chunks)).toEqual(tokens)
        if (shape !== 'unknown-token-id') expect(tokens.every((id) => id < VOCABULARY_SIZE)).toBe(true)
        if (textChunks && shape !== 'split-header-words' && shape !== 'endless-channel')
          expect(encodeHarmony(flattenText(textChunks))).toEqual(tokens)
        if (!spelled && shape !== 'unknown-token-id') expect(textChunks).toBeDefined()
        for (const said of texts) expect(text).toContain(said)
        for (const { recipient } of calls) {
          if (shape === 'undeclared-tool')
            expect(request.tools ?? []).not.toContainEqual(expect.objectContaining({ name: recipient }))
          else expect(request.tools).toContainEqual(expect.objectContaining({ name: recipient.slice(10) }))
        }
        const last = tokens.at(-1) ?? 0
        expect([m.end, m.call, m.return, m.endoftext].includes(last as never)).toBe(!open)
      },
      scaled(40),
    )
  })

  test.each([
    'free-text-after-channel',
    'missing-header-after-reasoning',
    'junk-before-start',
    'missing-start',
    'empty-channel',
    'space-after-constrain',
    'repeated-recipient',
    'extra-header-words',
    'channel-or-tool-as-role',
    'channel-word-as-header',
  ] as const)('the official parser refuses the malformed shape %s', (shape) => {
    check(
      malformedTranscript(shape),
      ({ tokens }) => expect(official.parse(tokens, 'assistant').accepted).toBe(false),
      scaled(200),
    )
  })

  test.each([
    'call-on-wrong-channel',
    'undeclared-tool',
    'code-as-arguments',
    'preamble',
    'arguments-without-recipient',
    'invalid-json-arguments',
    'wrong-call-terminator',
    'parallel-calls',
    'reasoning-only',
    'split-header-words',
    'text-cut-in-markers',
    'markers-in-tool-result',
  ] as const)('the official parser takes the malformed shape %s as well-formed', (shape) => {
    check(
      malformedTranscript(shape),
      ({ tokens, texts }) => {
        const { accepted, messages, open } = official.parse(tokens, 'assistant')
        const contents = [...messages, ...(open ? [open] : [])].map(({ content }) => content)
        expect(accepted).toBe(true)
        expect(contents).toEqual(expect.arrayContaining(texts))
      },
      scaled(200),
    )
  })

  test.each([
    'channel-glued-to-recipient',
    'repeated-channel',
    'tool-name-as-channel',
    'conflicting-channels',
    'unknown-channel',
    'content-type-on-final',
    'unknown-content-type',
    'recipient-without-namespace',
    'recipient-not-a-tool',
    'empty-message-without-end',
    'missing-end',
  ] as const)(
    'the official parser loses the texts of the malformed shape %s in some cases only',

    (shape) => {
      const isKept = ({ tokens, texts }: MalformedTranscript): boolean => {
        const result = official.parse(tokens, 'assistant')
        return result.accepted && texts.every((text) => result.messages.some(({ content }) => content.includes(text)))
      }
      // Misread by the official parser, or read as we mean it, but not lost in every case. Under LAW_SEED, samples without a
      // seed of their own are all the same.
      const seeds = [...Array(50).keys()]
      const sampleOf = (seed: number) => fc.sample(malformedTranscript(shape), { numRuns: 10, seed })
      expect(seeds.some((seed) => sampleOf(seed).some(isKept))).toBe(true)
    },
  )

  test('token soup is short, and of ids only', () => {
    check(tokenSoup(), (ids) => {
      expect(ids.length).toBeLessThanOrEqual(60)
      for (const id of ids) expect(Number.isInteger(id) && id >= 0 && id <= 250_000).toBe(true)
      official.parse(ids, 'assistant')
    })
    const soups = fc.sample(tokenSoup(), { numRuns: 500, seed: 1 })
    expect(Math.max(...soups.map((ids) => ids.length))).toBeGreaterThan(40)
    expect(soups.filter((ids) => official.parse(ids, null).messages.length > 0).length).toBeGreaterThan(5)
  })

  test('chunking keeps the tokens and whose they are', () => {
    fc.assert(
      fc.property(wellFormedTranscript(), chunkPlan({ scored: true }), textPlan(), (transcript, plan, sizes) => {
        const { tokens, chunks, textChunks = [] } = transcript
        const pieces = cutChunks(chunks, plan)
        expect(flattenChunks(pieces)).toEqual(tokens)
        expect(hostIds(pieces)).toEqual(hostIds(chunks))
        expect(flattenText(cutText(textChunks, sizes))).toBe(flattenText(textChunks))
      }),
      { numRuns: RUNS },
    )
    const ids = Array.from({ length: 30 }, (_, index) => index)
    const forms = new Set<string>()
    check(chunking(ids), (chunks) => {
      expect(flattenChunks(chunks)).toEqual(ids)
      for (const chunk of chunks) forms.add(typeof chunk === 'object' ? chunk.constructor.name : typeof chunk)
    })
    expect([...forms].sort()).toEqual(['Array', 'Uint32Array', 'number'])
    const text = 'a<|start|>💖 é<|end|>'
    check(textChunking(text), (pieces) => expect(pieces.join('')).toBe(text))
    check(chunking([]), (chunks) => expect(chunks).toEqual([]))
  })
})

const hostIds = (chunks: Parameters<typeof flattenChunks>[0]): number[] =>
  flattenChunks(chunks.filter((chunk) => typeof chunk === 'object' && 'host' in chunk))

const flattenText = (chunks: Parameters<typeof flattenChunks>[0]): string =>
  chunks.map((chunk) => String(typeof chunk === 'object' && 'host' in chunk ? chunk.host : chunk)).join('')

describeWithShared('the shared data', () => {
  test.each(goldenTraces().map((trace) => [trace.name, trace] as const))(
    'the official parser reads the golden trace %s as it was recorded',
    (_, trace) => {
      const result = official.parse(trace.tokens, trace.role)
      expect(result.messages).toEqual(trace.messages.map(normaliseMessage))
      expect(result.errors[0] ?? null).toEqual(
        trace.error === null ? null : { index: trace.errorIndex, message: trace.error },
      )
      const errors = trace.steps.flatMap(({ error }, index) => (error === undefined ? [] : [{ index, message: error }]))
      expect(result.errors).toEqual(errors)
      expect(result.open?.content ?? '').toBe(trace.currentContent ?? '')
      if (trace.steps.length > 0) expect(result.state).toBe(trace.steps.at(-1)?.state)
    },
  )

  test('the newest official parser reads token soup of valid text alike', () => {
    const traces = fuzzTraces()
    expect(traces.length).toBe(1000)
    const valid = traces.filter(({ tokens }) => !tokens.includes(9552))
    expect(valid.length).toBeGreaterThan(300)
    for (const { tokens, role, strict } of valid) {
      const result = official.parse(tokens, role)
      const all = [...result.messages, ...(result.open ? [result.open] : [])]
      expect(all).toEqual(strict.messages.map(normaliseMessage))
      expect(result.errors.map(({ index }) => index)).toEqual(Object.keys(strict.errors).map(Number))
    }
  })

  test('the captured vLLM run has its text', () => {
    for (const { tokens, text } of vllmTraces()) expect(flattenChunks(tokens)).toEqual(official.encode(text))
  })
})
