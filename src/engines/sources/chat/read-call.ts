import type { EndReason, HostUsage } from '../../../core/tokens/token-source.js'
import type { StepReader } from '../http/call-stream.js'
import type { HttpCall } from '../http/http-call.js'
import { type ChatChunk, readChunk } from './chat-chunk.js'
import { Echo } from './echo.js'
import type { Opening } from './read-prompt.js'
import { ThinkTags } from './think-tags.js'
import { ToolNames } from './tool-names.js'
import type { ChatTraits } from './traits.js'
import { HELD_CHARACTERS, HELD_JSON, TurnWriter } from './turn-writer.js'

export interface ChatReaderOptions {
  readonly opening: Opening
  /** The beginning of the answer that the server may repeat. Default: it repeats none. */
  readonly echo?: string
  readonly traits: Pick<Required<ChatTraits>, 'reasoningFields' | 'thinkTags'>
  readonly encode: (text: string) => readonly number[]
  /** Called with the field in which the server sends reasoning. */
  readonly onReasoningField?: (field: string) => void
  /** Returns the call that is made in place of this one, if a string that ends an answer may have ended the reasoning. */
  readonly again?: () => HttpCall | undefined
}

/** Reads the chunks of one call as steps with the ids of its turn. */
export function createChatReader(
  { promptFields = {} }: Pick<HttpCall, 'promptFields'>,
  options: ChatReaderOptions,
): StepReader {
  const { opening, echo: begun = '', traits, encode, onReasoningField, again } = options
  const { tools = [], demand, format, isParallel = true } = promptFields
  const think = new ThinkTags(traits.thinkTags)
  const echo = new Echo(begun)
  const writer = new TurnWriter({
    encode,
    names: new ToolNames(tools),
    opening,
    holds: tools.length === 0 ? 0 : format === undefined ? HELD_CHARACTERS : HELD_JSON,
    isParallel: isParallel && demand?.length !== 1,
  })
  let isOver = false
  let next: HttpCall | undefined
  let counted: HostUsage | undefined
  /** The counts of a call that was made again. */
  let before: HostUsage = {}

  /** Most servers send the content as it is: one object for each token less. */
  const isPlain = begun === '' && traits.thinkTags === 'none'

  function textOf(chunk: ChatChunk): number[] {
    const { reasoning, content, calls } = chunk
    if (isPlain || content === '') return writer.push(chunk)
    const thought = think.push(echo.push(content))
    return writer.push({ reasoning: reasoning + thought.reasoning, content: thought.content, calls })
  }

  /** Undefined if the call has not ended: it is made again. */
  function ended(reason: EndReason): number[] | undefined {
    if (reason === 'stop' && writer.hasOnlyReasoned) next = again?.()
    if (next !== undefined) return undefined
    isOver = true
    const held = think.push(echo.end())
    const { reasoning, content } = think.end()
    const last = { reasoning: held.reasoning + reasoning, content: held.content + content, calls: [] }
    return [...writer.push(last), ...writer.end(reason)]
  }

  return {
    read(event, take) {
      const chunk = readChunk(event, traits.reasoningFields)
      const { reasoningField, end } = chunk
      counted = chunk.usage ?? counted
      const usage = chunk.usage && sumOf(before, chunk.usage)
      if (reasoningField !== undefined) onReasoningField?.(reasoningField)
      if (isOver || next !== undefined) {
        // Only counts may follow the end, which some servers repeat.
        if (usage !== undefined) take({ tokens: [], usage })
        return
      }
      const tokens = textOf(chunk)
      const last = end && ended(end)
      for (const id of last ?? []) tokens.push(id)
      const step = { tokens, isAtWork: tokens.length === 0 }
      if (end === undefined && usage === undefined) take(step)
      else take({ ...step, ...(usage && { usage }), ...(last && end && { end: { reason: end } }) })
    },
    next(take, isDone) {
      // A server that says that it is done without a reason has sent all that it has.
      const last = !isOver && next === undefined && isDone && writer.hasWritten ? ended('stop') : undefined
      if (last !== undefined) take({ tokens: last, end: { reason: 'stop' } })
      const call = next
      next = undefined
      if (call !== undefined) before = sumOf(before, counted ?? {})
      return call
    },
  }
}

/** The counts of two requests that make up one call. */
function sumOf(one: HostUsage, other: HostUsage): HostUsage {
  const sum: Record<string, number> = { ...one }
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + (count as number)
  return sum
}
