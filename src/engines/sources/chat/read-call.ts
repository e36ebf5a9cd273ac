import type { EndReason } from '../../../core/tokens/token-source.js'
import type { StepReader } from '../http/call-stream.js'
import type { HttpCall } from '../http/http-call.js'
import { type ChatChunk, readChunk } from './chat-chunk.js'
import type { Opening } from './read-prompt.js'
import { ThinkTags } from './think-tags.js'
import { ToolNames } from './tool-names.js'
import type { ChatTraits } from './traits.js'
import { TurnWriter } from './turn-writer.js'

export interface ChatReaderOptions {
  readonly opening: Opening
  readonly traits: Pick<Required<ChatTraits>, 'reasoningFields' | 'thinkTags'>
  readonly encode: (text: string) => readonly number[]
  /** Called with the field in which the server sends reasoning. */
  readonly onReasoningField?: (field: string) => void
}

/** Reads the chunks of one call as steps with the ids of its turn. */
export function createChatReader(
  { promptFields = {} }: Pick<HttpCall, 'promptFields'>,
  options: ChatReaderOptions,
): StepReader {
  const { opening, traits, encode, onReasoningField } = options
  const { tools = [], demand, format, isParallel = true } = promptFields
  const hasTools = tools.length > 0
  const think = new ThinkTags(traits.thinkTags)
  const writer = new TurnWriter({
    encode,
    names: new ToolNames(tools),
    opening,
    holds: !hasTools ? 'nothing' : format === undefined ? 'some' : 'all',
    isParallel: isParallel && demand?.length !== 1,
  })
  let isOver = false

  function textOf({ reasoning, content, calls }: ChatChunk): number[] {
    if (content === '') return writer.push({ reasoning, content, calls })
    const thought = think.push(content)
    return writer.push({ reasoning: reasoning + thought.reasoning, content: thought.content, calls })
  }

  function ended(reason: EndReason): number[] {
    isOver = true
    return [...writer.push({ ...think.end(), calls: [] }), ...writer.end(reason)]
  }

  return {
    read(event, take) {
      const chunk = readChunk(event, traits.reasoningFields)
      const { reasoningField, end, usage } = chunk
      if (reasoningField !== undefined) onReasoningField?.(reasoningField)
      if (isOver) {
        // Only counts may follow the end.
        if (usage !== undefined) take({ tokens: [], usage })
        return
      }
      const tokens = textOf(chunk)
      if (end !== undefined) for (const id of ended(end)) tokens.push(id)
      const step = { tokens, isAtWork: tokens.length === 0 }
      if (end === undefined && usage === undefined) take(step)
      else take({ ...step, ...(usage && { usage }), ...(end && { end: { reason: end } }) })
    },
    next(take, isDone) {
      // A server that says that it is done without a reason has sent all that it has.
      if (!isOver && isDone && writer.hasWritten) take({ tokens: ended('stop'), end: { reason: 'stop' } })
      return undefined
    },
  }
}
