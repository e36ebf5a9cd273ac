import type { HarmonyMessage } from '../../../core/harmony/events.js'
import { parseMessages } from '../../../core/harmony/parse-messages.js'
import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import type { McpListing } from '../../../core/responses/mcp-listing.js'
import { encoderOf } from '../../../core/tokens/encoder.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { renderPrompt } from '../../../endpoint/prompt/render-prompt.js'
import type { FixtureChunk, TokenFixture } from '../../../engines/sources/token-fixture.js'
import { readPrompt } from '../../../testing/prompt.js'
import { writeTurn } from '../../../testing/write-turn.js'
import { taughtCallees } from './taught-tools.js'

/** A fixture in the form that an engine plays: the prompts that it answers, and its answers. */
export interface Recording {
  /** The tools that its prompt teaches, as JSON without descriptions, which do not matter here. */
  readonly tools: string
  /**
   * The conversation that it answers; undefined if it was recorded without one: it then answers any with these tools.
   */
  readonly conversation: readonly string[] | undefined
  readonly steps: readonly Step[]
}

/** A stretch of a recording: the model's from one `<|start|>` to the next, or the results of its calls. */
interface Step {
  /** Its messages in a later prompt. */
  readonly messages: readonly string[]
  /** The model's ids; undefined for results, which a host words itself. */
  readonly tokens: readonly number[] | undefined
}

/**
 * @param listings - the listings of the request's MCP servers, which the prompt teaches
 * @throws RequestError if the fixture's request cannot be rendered
 */
export function createRecording(
  fixture: TokenFixture,
  listings: readonly McpListing[],
  tokenTable: TokenTable,
): Recording {
  const { request = {}, tokens } = fixture
  const { input, ...others } = request
  const wholeRequest = { ...others, input: input ?? [] }
  const prompt = renderPrompt(wholeRequest, { tokenTable, listings, date: '2026-01-01', images: 'placeholder' })
  const { head, conversation } = split(readPrompt(prompt.tokens, tokenTable).messages)
  return {
    tools: JSON.stringify(taughtCallees(head)),
    conversation: input === undefined ? undefined : conversation.map(wordsOf),
    steps: stretchesOf(tokens, tokenTable).flatMap((stretch) => stepsOf(stretch, tokenTable)),
  }
}

/** Splits messages into the head, which defines the model's identity and tools, and the conversation. */
export function split(messages: readonly HarmonyMessage[]): {
  head: readonly HarmonyMessage[]
  conversation: readonly HarmonyMessage[]
} {
  const count = messages[1]?.role === 'developer' ? 2 : 1
  return { head: messages.slice(0, count), conversation: messages.slice(count) }
}

export function wordsOf(message: HarmonyMessage | undefined): string {
  const { role, name, recipient, channel, content } = message ?? {}
  return JSON.stringify([role, name, recipient, channel, content])
}

/** The model's tokens of one turn, or the number of results that it received. */
type Stretch = { readonly model: readonly number[] } | { readonly results: number }

function stretchesOf(chunks: readonly FixtureChunk[], tokenTable: TokenTable): Stretch[] {
  const stretches: Stretch[] = []
  let model: number[] = []
  let text = ''
  const endText = (): void => {
    for (const id of text === '' ? [] : writeTurn(text, tokenTable).tokens) model.push(id)
    text = ''
  }
  for (const chunk of chunks) {
    // Text may be cut anywhere, even inside a marker.
    if (typeof chunk === 'string') {
      text += chunk
      continue
    }
    endText()
    if (typeof chunk === 'object' && 'host' in chunk) {
      stretches.push({ model }, { results: 1 })
      model = []
    } else for (const id of idsOf(chunk)) model.push(id)
  }
  endText()
  return [...stretches, { model }]
}

function idsOf(chunk: Exclude<FixtureChunk, string | { host: unknown }>): number[] {
  const tokens = Array.isArray(chunk) ? (chunk as readonly (number | { id: number })[]) : [chunk as number]
  return tokens.map((token: number | { id: number }) => (typeof token === 'number' ? token : token.id))
}

function stepsOf(stretch: Stretch, tokenTable: TokenTable): Step[] {
  if ('results' in stretch) return [{ messages: Array(stretch.results).fill(''), tokens: undefined }]
  const begin = [SPECIAL.start, ...encoderOf(tokenTable)('assistant')]
  // In the transcript of a capture, a result may be followed by the beginning of the turn.
  const hasBegin = begin.every((id, index) => stretch.model[index] === id)
  const tokens = hasBegin || stretch.model.length === 0 ? stretch.model : [...begin, ...stretch.model]
  const starts = tokens.flatMap((id, index) => (id === SPECIAL.start ? [index] : []))
  return starts.map((start, index) => {
    const own = tokens.slice(start, starts[index + 1] ?? tokens.length)
    const { messages } = parseMessages(own, { tokenTable, role: null })
    return { messages: messages.map(wordsOf), tokens: own }
  })
}
