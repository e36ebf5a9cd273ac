import type { ClientRule, Ending, ReportBreak, Seen } from '../../clients/client.js'
import type { ChatClient } from './names.js'

export { CHAT_CLIENTS, type ChatClient } from './names.js'

/** Simulates how a client reads the chunks of one stream. */
export interface ChatClientReader {
  /** Reads what came in the place of a chunk. Has no effect after the client threw or stopped reading. */
  read(chunk: unknown): void
  /** Ends the stream. */
  end(): void
  readonly seen: Seen
}

/** Which parts of an answer a client shows at all: the others cannot be lost. */
export interface ChatReads {
  /** It shows `reasoning_content` or `reasoning`. */
  readonly reasoning: boolean
  /** It shows all choices, or the first alone, because it never asks for more. */
  readonly choices: 'all' | 'first'
  /** How it ends if the answer is cut off or filtered. */
  readonly incomplete: Ending
}

/** The model of a client: what it reads of a stream of Chat Completions, and what breaks it. */
export interface ChatClientModel {
  readonly client: ChatClient
  /** Its name for messages. */
  readonly name: string
  /** The package versions that the model was tested against. */
  readonly versions: Readonly<Record<string, string>>
  readonly reads: ChatReads
  /** The rules that it checks. Their ids start with `chat-` and the client's name. */
  readonly rules: readonly ClientRule[]
  begin(reportBreak: ReportBreak): ChatClientReader
}
