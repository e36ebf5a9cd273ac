import type { Citation, OutputItem } from '../../core/responses/items.js'
import type { Response } from '../../core/responses/response.js'
import { check } from '../../shared/errors.js'
import { isUrlCitation } from '../answer-stream.js'
import { isServed, isToolUse, MessageAnswer, messageOf } from './answer.js'
import { type MessageAnswerOptions, resolveAnswerOptions } from './answer-options.js'
import type { Message, MessageStreamEvent } from './message.js'

/**
 * Returns the answer to a Messages request that does not stream: the assembled events of {@link toMessageEvents}.
 *
 * @param response - of a terminal event. One that failed or was cancelled is no answer
 * @throws HarmonyResponsesError `bad_stream` if it is not a response, or one that is not completed or incomplete;
 * `bad_option`
 *
 * @example
 * ```ts
 * import { collectResponse, translate } from 'harmony-responses'
 * import { toMessage } from 'harmony-responses/dialects'
 *
 * const message = toMessage(await collectResponse(translate(tokens, { request })))
 * console.log(message.stop_reason) // end_turn
 * ```
 */
export function toMessage(response: Response, options: MessageAnswerOptions = {}): Message {
  const answer = new MessageAnswer(resolveAnswerOptions('toMessage', options))
  const { object, status } = Object(response) as Partial<Response>
  check(object === 'response', 'toMessage', 'a response', response, 'bad_stream')
  const isAnswer = status === 'completed' || status === 'incomplete'
  check(isAnswer, 'toMessage', 'a response that is completed or incomplete', status, 'bad_stream')
  const first = answer.begin(response)
  const outputEvents = response.output.flatMap((item, at) => eventsOf(item, at, answer))
  return messageOf([...first, ...outputEvents, ...answer.end(response)]) as Message
}

function eventsOf(item: OutputItem, at: number, answer: MessageAnswer): MessageStreamEvent[] {
  if (isToolUse(item)) return item.status === 'completed' ? answer.call(item) : []
  if (item.type === 'reasoning') {
    const parts = item.content.length > 0 ? item.content : item.summary
    const events = parts.flatMap(({ text }) => answer.reasoning(at, text))
    answer.reasoned(at, item.encrypted_content)
    return events
  }
  if (isServed(item)) return answer.served(at, item)
  const isPreamble = item.phase === 'commentary'
  // A host's inserted message may contain a refusal: as in a stream, that is no text.
  return item.content.flatMap(({ type, text, annotations }) =>
    type !== 'output_text'
      ? []
      : citedPieces(text, annotations).flatMap((piece) => [
          ...answer.text(at, isPreamble, piece.text),
          ...(piece.citation === undefined ? [] : answer.cite(at, piece.citation)),
        ]),
  )
}

interface CitedPiece {
  readonly text: string
  readonly citation?: Citation
}

/** Cuts a text behind each of its citations, where its stream has them. */
function citedPieces(text: string, citations: readonly Citation[]): CitedPiece[] {
  const pieces: CitedPiece[] = []
  let [from, at, codePoints] = [0, 0, 0]
  for (const citation of citations) {
    const end = isUrlCitation(citation) ? citation.end_index : 0
    for (; codePoints < end && at < text.length; codePoints++) at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1
    pieces.push({ text: text.slice(from, at), citation })
    from = at
  }
  return [...pieces, { text: text.slice(from) }]
}
