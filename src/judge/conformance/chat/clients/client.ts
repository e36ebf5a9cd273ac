import type { ClientModel, Ending } from '../../clients/client.js'
import type { ChatClient } from './names.js'

export { CHAT_CLIENTS, type ChatClient } from './names.js'

/** The parts of an answer that a client shows: it cannot lose others. */
export interface ChatReads {
  /** It shows `reasoning_content` or `reasoning`. */
  readonly reasoning: boolean
  /** It shows all choices, or the first alone, because it never asks for more. */
  readonly choices: 'all' | 'first'
  /** How it ends if the answer is cut off or filtered. */
  readonly incomplete: Ending
}

/** The model of a client of Chat Completions. It reads any value in place of chunks. */
export type ChatClientModel = ClientModel<unknown, ChatClient, ChatReads>
