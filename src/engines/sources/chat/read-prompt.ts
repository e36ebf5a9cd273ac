import type { HarmonyMessage } from '../../../core/harmony/events.js'
import { eventHandler } from '../../../core/harmony/handler.js'
import { createNativeParser } from '../../../core/harmony/parser.js'
import { MESSAGE_ENDS } from '../../../core/harmony/stop-tokens.js'
import { FIRST_SPECIAL, SPECIAL } from '../../../core/harmony/vocabulary.js'
import { createDetokenizer } from '../../../core/tokens/detokenizer.js'
import { encoderOf } from '../../../core/tokens/encoder.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { createWork, type Slices } from '../../../shared/slices.js'
import { EngineError } from '../../contract/engine-error.js'

/**
 * Where a prompt ends: at the beginning of a turn; between two messages of it; in a message of reasoning; or in the answer.
 */
export type Opening = 'turn' | 'between' | 'reasoning' | 'answer'

/** A prompt, as messages. */
export interface ReadPrompt {
  /** The whole messages. */
  readonly messages: readonly HarmonyMessage[]
  readonly opening: Opening
  /** The text of the answer so far. */
  readonly begun: string
}

/** The characters of a token, on average. */
const CHARACTERS = 4

/**
 * Reads the ids of a prompt back into messages, in slices.
 *
 * @throws EngineError if it ends where only the model itself could continue: in a header, or in a call
 */
export function* readPrompt(prompt: readonly number[], tokenTable: TokenTable): Slices<ReadPrompt> {
  const messages: HarmonyMessage[] = []
  let texts: string[] = []
  const handler = eventHandler((event) => {
    if (event.type === 'message_start') {
      texts = []
      messages.push({ ...event.header, content: '' })
    } else if (event.type === 'message_text') texts.push(event.text)
    else if (event.type === 'message_end') (messages.at(-1) as HarmonyMessage).content = texts.join('')
  })
  const parser = createNativeParser({ tokenTable, role: null }, handler)
  const work = createWork()
  const assistant = encoderOf(tokenTable)('assistant')
  const beginning = [SPECIAL.start, ...assistant]
  const isTurn = beginning.every((id, at) => prompt[prompt.length - beginning.length + at] === id)
  const end = isTurn ? prompt.length - beginning.length : prompt.length
  const detokenizer = createDetokenizer(tokenTable)
  for (let at = 0; at < end; at++) {
    const id = prompt[at] as number
    const begun = messages.length
    parser.push(id, 'model')
    work.left -= CHARACTERS
    // The text of a message is most of a prompt, and needs no parser once its header is read.
    if (id === SPECIAL.message && messages.length > begun && parser.position === 'content') {
      let text = ''
      for (; at + 1 < end && (prompt[at + 1] as number) < FIRST_SPECIAL; at++) {
        text += detokenizer.push(prompt[at + 1] as number)
        work.left -= 1
        if (work.left <= 0) yield* work.pause()
      }
      texts.push(text, detokenizer.flush())
    }
    if (work.left <= 0) yield* work.pause()
  }
  if (isTurn || MESSAGE_ENDS.includes(prompt[end - 1] as number)) {
    parser.end()
    return { messages, opening: isTurn ? 'turn' : 'between', begun: '' }
  }
  const isContent = parser.position === 'content'
  parser.end(true)
  const last = messages.at(-1)
  const { role, recipient, channel, content = '' } = last ?? {}
  if (!isContent || role !== 'assistant' || recipient !== undefined) throw unfinished()
  return { messages: messages.slice(0, -1), opening: channel === 'analysis' ? 'reasoning' : 'answer', begun: content }
}

function unfinished(): EngineError {
  const message = 'a server of Chat Completions cannot continue the middle of a call or of a header'
  return new EngineError('server_error', message)
}
