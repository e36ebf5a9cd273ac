import type { HarmonyMessage } from '../../../harmony/events.js'
import { parseMessages } from '../../../harmony/parse-messages.js'
import { SPECIAL } from '../../../harmony/vocabulary.js'
import { renderPrompt } from '../../../prompt/render-prompt.js'
import type { McpListing } from '../../../responses/mcp-listing.js'
import type { FixtureChunk, TokenFixture } from '../../../sources/token-fixture.js'
import { openingStart, readPrompt, type ScriptedPrompt } from '../../../testing/prompt.js'
import { restOfTurn } from '../../../testing/rest-of-turn.js'
import { writeTurn } from '../../../testing/write-turn.js'
import { encoderOf } from '../../../tokens/encoder.js'
import type { TokenTable } from '../../../tokens/token-table.js'
import { taughtCallees } from './taught-tools.js'

/** A fixture as a model plays it: what it answers, and what it says. */
export interface Recording {
  /** The tools that its prompt teaches, as JSON: their descriptions do not matter. */
  readonly tools: string
  /** The conversation that it answers; undefined if it was recorded without: then it answers any with these tools. */
  readonly conversation: readonly string[] | undefined
  readonly steps: readonly Step[]
}

/** A stretch of a recording: the model's from one `<|start|>` to the next, or the results of its calls. */
interface Step {
  /** What a prompt has of it once it has been played. */
  readonly messages: readonly string[]
  /** The model's ids; undefined for results, which a host writes in words of its own. */
  readonly tokens: readonly number[] | undefined
}

/**
 * @param listings - what the MCP servers of the request list, as the prompt teaches it
 * @throws RequestError if the fixture's request cannot be rendered
 */
export function createRecording(
  fixture: TokenFixture,
  listings: readonly McpListing[],
  tokenTable: TokenTable,
): Recording {
  const { request = {}, tokens } = fixture
  const { input, ...others } = request
  const asked = { ...others, input: input ?? [] }
  const prompt = renderPrompt(asked, { tokenTable, listings, date: '2026-01-01', images: 'placeholder' })
  const { head, conversation } = split(readPrompt(prompt.tokens, tokenTable).messages)
  return {
    tools: JSON.stringify(taughtCallees(head)),
    conversation: input === undefined ? undefined : conversation.map(wordsOf),
    steps: stretchesOf(tokens, tokenTable).flatMap((stretch) => stepsOf(stretch, tokenTable)),
  }
}

/** What a recording says next to this prompt; undefined if none of them has it. */
export function playedTurn(
  recordings: readonly Recording[],
  prompt: ScriptedPrompt,
  tokenTable: TokenTable,
): readonly number[] | undefined {
  const { head, conversation } = split(prompt.messages)
  const tools = JSON.stringify(taughtCallees(head))
  const begun = prompt.tokens.subarray(openingStart(prompt.tokens))
  // One that was recorded with its input knows better.
  const known = recordings.toSorted(
    (a, b) => Number(a.conversation === undefined) - Number(b.conversation === undefined),
  )
  for (const recording of known) {
    if (recording.tools !== tools) continue
    const rest = restOf(recording, conversation)
    // A host that began another message than the one recorded is not answered by it.
    if (rest !== undefined && restOfTurn(rest, begun, tokenTable) !== undefined) return rest
  }
  return undefined
}

/** The ids with which a recording goes on after this conversation. */
function restOf({ conversation, steps }: Recording, said: readonly HarmonyMessage[]): readonly number[] | undefined {
  let at = conversation?.length ?? said.findLastIndex(({ role }) => role === 'user' || role === 'developer') + 1
  if (at > said.length || conversation?.some((words, index) => words !== wordsOf(said[index]))) return undefined
  let next = 0
  for (; at < said.length; next++) {
    const step = steps[next]
    const isPlayed = step?.messages.every((words, index) => {
      const message = said[at + index]
      return step.tokens === undefined ? message?.role === 'tool' : words === wordsOf(message)
    })
    if (step === undefined || !isPlayed) return undefined
    at += step.messages.length
  }
  const left = steps.slice(next)
  const until = left.findIndex(({ tokens }) => tokens === undefined)
  const tokens = left.slice(0, until === -1 ? left.length : until).flatMap(({ tokens = [] }) => tokens)
  // The prompt ends in `<|start|>assistant` already.
  return tokens.length === 0 ? undefined : tokens.slice(2)
}

/** The first messages, which say what the model is and may use, and the conversation. */
function split(messages: readonly HarmonyMessage[]): {
  head: readonly HarmonyMessage[]
  conversation: readonly HarmonyMessage[]
} {
  const count = messages[1]?.role === 'developer' ? 2 : 1
  return { head: messages.slice(0, count), conversation: messages.slice(count) }
}

function wordsOf(message: HarmonyMessage | undefined): string {
  const { role, name, recipient, channel, content } = message ?? {}
  return JSON.stringify([role, name, recipient, channel, content])
}

/** What the model wrote in one go, or how many results it was given. */
type Stretch = { readonly model: readonly number[] } | { readonly results: number }

function stretchesOf(chunks: readonly FixtureChunk[], tokenTable: TokenTable): Stretch[] {
  const stretches: Stretch[] = []
  let model: number[] = []
  let text = ''
  const endText = (): void => {
    model.push(...(text === '' ? [] : writeTurn(text, tokenTable).tokens))
    text = ''
  }
  for (const chunk of chunks) {
    // Text may be cut anywhere, in a marker too.
    if (typeof chunk === 'string') {
      text += chunk
      continue
    }
    endText()
    if (typeof chunk === 'object' && 'host' in chunk) {
      stretches.push({ model }, { results: 1 })
      model = []
    } else model.push(...idsOf(chunk))
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
  // After a result the transcript of a capture may have the beginning of the turn.
  const hasBegin = begin.every((id, index) => stretch.model[index] === id)
  const tokens = hasBegin || stretch.model.length === 0 ? stretch.model : [...begin, ...stretch.model]
  const starts = tokens.flatMap((id, index) => (id === SPECIAL.start ? [index] : []))
  return starts.map((start, index) => {
    const own = tokens.slice(start, starts[index + 1] ?? tokens.length)
    const { messages } = parseMessages(own, { tokenTable, role: null })
    return { messages: messages.map(wordsOf), tokens: own }
  })
}
