import type { Fields } from '../../../shared/fields.js'
import { CHAT_CLIENTS } from '../../conformance/chat/clients/names.js'
import { problemsOf } from '../../conformance/schemas/parse-event.js'
import type { ApiReader, ApiReply, ApiServer } from '../conversation/api-server.js'
import { judgeChunks } from '../judge-events.js'
import { chatCompletionSchema } from './completion-schema.js'
import { type ChatMessage, messageOfChunks, messageOfCompletion } from './message.js'

/** The content of an answer of Chat Completions. */
export interface ChatContent extends ChatMessage {
  /** The chunks of a stream; empty for an answer that was not streamed. */
  readonly chunks: readonly Fields[]
  /** The answer that was not streamed; empty for a stream. */
  readonly completion: Fields
}

/** An answer of Chat Completions, after it was judged. */
export type ChatReply = ChatContent & ApiReply

/** The Chat Completions of a server, for a scenario. */
export type ChatServer = ApiServer<ChatContent>

export const CHAT: ApiReader<ChatContent> = {
  api: 'chat',
  clients: CHAT_CLIENTS,
  nothing: { ...messageOfChunks([]), chunks: [], completion: {} },
  judge: judgeChunks,
  isError: (chunk) => chunk['choices'] === undefined && chunk['error'] !== undefined,
  endFaults({ isDone }) {
    const expected = 'data: [DONE] at the end'
    return isDone ? [] : [{ rule: 'done-is-sent', severity: 'warning', expected, got: 'the end of the stream' }]
  },
  ofStream: (chunks) => ({ ...messageOfChunks(chunks), chunks, completion: {} }),
  shape: 'completion-shape',
  problemsOf: (completion) => problemsOf(completion, chatCompletionSchema),
  ofAnswer: (completion) => ({ ...messageOfCompletion(completion), chunks: [], completion }),
  ending: 'finish_reason',
}
