import type { ResponseStreamEvent } from '../core/responses/events.js'
import { createChatEncoder, createMessageEncoder } from '../dialects/index.js'
import { readTokenFixture, type TokenFixture } from '../engines/sources/token-fixture.js'
import type { CorpusStream } from '../judge/conformance/corpus/line.js'
import type { StreamEvent } from '../judge/conformance/stream-event.js'
import { type Fields, isFields } from '../shared/fields.js'
import type { Io } from './io.js'
import { printReplay } from './replay.js'

/** Returns the good streams of a corpus: the fixtures, and generated ones, all translated by this library. */
export async function corpusStreams(io: Io): Promise<CorpusStream[]> {
  const names = (await io.readFolder(io.fixtures))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replace(/\.json$/, ''))
    .sort()
  const streams: CorpusStream[] = []
  for (const name of names) {
    const fixture = readTokenFixture(await io.readFile(`${io.fixtures}/${name}.json`))
    streams.push({ name: `fixture ${name}`, events: await eventsOf(fixture, io) })
  }
  for (const fixture of generated()) streams.push({ name: fixture.name, events: await eventsOf(fixture, io) })
  return streams
}

/** Converts the same responses to Chat Completions, alternating the options of its servers. */
export function chatStreams(streams: readonly CorpusStream[]): CorpusStream<Fields>[] {
  return streams.map(({ name, events }, at) => {
    const encode = createChatEncoder({
      includeUsage: at % 3 !== 2,
      reasoning: at % 2 === 0 ? 'reasoning_content' : 'reasoning',
    })
    // biome-ignore lint/plugin: the events were written by the translator and parsed from its lines.
    const chunks = events.flatMap((event) => encode(event as unknown as ResponseStreamEvent))
    return { name, events: JSON.parse(JSON.stringify(chunks)) }
  })
}

/** The `thinking` options of the Messages API's clients, by turns. */
const THINKING = ['shown', 'omitted', 'sealed'] as const

/** The length of the deltas of a call's input, in every second stream. */
const INPUT_PIECE = 5

/** Converts the same responses to the Messages API, alternating the shown content and the streaming of calls. */
export function messageStreams(streams: readonly CorpusStream[]): CorpusStream<Fields>[] {
  return streams.map(({ name, events }, at) => {
    const thinking = THINKING[at % THINKING.length] ?? 'shown'
    const encode = createMessageEncoder({ thinking })
    // biome-ignore lint/plugin: the events were written by the translator and parsed from its lines.
    const written = events.flatMap((event) => encode(event as unknown as ResponseStreamEvent))
    const wire: Fields[] = JSON.parse(JSON.stringify(written))
    return { name, events: at % 2 === 0 ? wire : wire.flatMap(inPieces) }
  })
}

/** An event as several, if it has the input of a call. */
function inPieces(event: Fields): Fields[] {
  const { delta } = event
  if (!isFields(delta) || typeof delta['partial_json'] !== 'string') return [event]
  return piecesOf(delta['partial_json'], INPUT_PIECE).map((partial_json) => ({
    ...event,
    delta: { ...delta, partial_json },
  }))
}

async function eventsOf(fixture: TokenFixture, io: Io): Promise<StreamEvent[]> {
  let text = ''
  for await (const piece of printReplay(fixture, 'jsonl', {}, io.screen)) text += piece
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StreamEvent)
}

/** Texts that servers get wrong: empty, long, in many scripts, with markup and JSON. */
const TEXTS = [
  'Paris.',
  'Zażółć gęślą jaźń. 東京は夜の七時。 مرحبا 👩‍👩‍👧 ok',
  'Line one\nLine two\r\n\tIndented "quotes" and \\\\ backslashes',
  '```json\n{"a": [1, 2, {"b": null}]}\n```',
  'word '.repeat(40).trim(),
]

const ARGUMENTS = ['{}', '{"city":"Oslo"}', '{"text":"Zażółć \\"👍\\"","list":[1,{"a":null}]}']

const TOOLS = ['get_weather', 'search'].map((name) => ({
  type: 'function' as const,
  name,
  description: 'A tool.',
  parameters: { type: 'object', properties: {} },
  strict: false,
}))

/**
 * Yields responses of every form that a model produces: with and without reasoning, a preamble, calls, and a complete
 * end.
 */
function* generated(): Generator<TokenFixture> {
  let count = 0
  for (const [at, text] of TEXTS.entries()) {
    for (const form of ['answer', 'reasoned', 'call', 'preamble', 'two calls', 'cut'] as const) {
      const given = ARGUMENTS[(at + count) % ARGUMENTS.length] as string
      const thought = `<|channel|>analysis<|message|>${TEXTS[(at + 1) % TEXTS.length]}<|end|><|start|>assistant`
      const call = (name: string): string =>
        `<|channel|>commentary to=functions.${name} json<|message|>${given}<|call|>`
      const written = {
        answer: `<|channel|>final<|message|>${text}<|return|>`,
        reasoned: `${thought}<|channel|>final<|message|>${text}<|return|>`,
        call: call('get_weather'),
        preamble: `${thought}<|channel|>commentary<|message|>${text}<|end|><|start|>assistant${call('search')}`,
        'two calls': `${call('get_weather')}<|start|>assistant${call('search')}`,
        cut: `${thought}<|channel|>final<|message|>${text}`,
      }[form]
      count++
      yield {
        version: 1,
        name: `generated ${count}: ${form}`,
        request: { model: 'gpt-oss-20b', input: 'Hello.', tools: TOOLS },
        created_at: 1_767_225_600,
        ...(count % 3 === 0 ? { setup: { reasoning: 'summary' as const } } : {}),
        tokens: piecesOf(written, 3 + (count % 9)),
        end: {
          reason: form === 'cut' ? 'max_output_tokens' : 'stop',
          usage: { inputTokens: 20 + count, outputTokens: written.length, reasoningTokens: 0 },
        },
      }
    }
  }
}

/** Splits a text into pieces of whole characters, as an engine would. */
function piecesOf(text: string, size: number): string[] {
  const characters = [...text]
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''),
  )
}
