import { CHAT_CLIENTS } from '../conformance/chat/clients/names.js'
import { CLIENTS, explain as explainTo } from '../conformance/explain.js'
import { isChatCapture, readChatStreams, readStreams } from '../conformance/read-streams.js'
import type { StreamEvent } from '../conformance/stream-event.js'
import type { StreamChunk } from '../conformance/violation.js'
import { HarmonyResponsesError } from '../errors.js'
import { oneFile, oneOf } from './command.js'
import { type Io, nameOf, readFileOrStdin, UsageError } from './io.js'
import { plain } from './terminal-text.js'

/**
 * Explains what clients make of a file's streams, of the Responses API or of Chat Completions; only of the named
 * client, if any. Returns the exit code.
 */
export async function explainFile(client: string | undefined, operands: readonly string[], io: Io): Promise<number> {
  if (client !== undefined) oneOf(CLIENTS, '--client', client)
  const file = oneFile('explain', operands)
  const text = await readFileOrStdin(file, io)
  const isChat = isChatCapture(text)
  const known: readonly string[] = isChat ? CHAT_CLIENTS : CLIENTS
  if (client !== undefined && !known.includes(client)) {
    throw new UsageError(`${nameOf(file)}: a stream of Chat Completions, which is explained for ${known.join(' and ')}`)
  }
  const streams = parse(text, file, isChat)
  const clients = client === undefined ? known : [client]
  let hasErrors = false
  for (const [at, events] of streams.entries()) {
    const what = isChat ? 'chunk' : 'event'
    await io.print(`stream ${at + 1}: ${events.length} ${what}${events.length === 1 ? '' : 's'}\n`)
    for (const one of clients) {
      const { text, errors } = explainTo(events, (isChat ? `chat:${one}` : one) as Parameters<typeof explainTo>[1])
      if (errors.length > 0) hasErrors = true
      await io.print(`  ${plain(text)}\n`)
    }
  }
  return hasErrors ? 1 : 0
}

/** Parses the streams of a file. A file without events is refused, like by `check`. */
function parse(text: string, file: string, isChat: boolean): (StreamEvent | StreamChunk)[][] {
  let streams: (StreamEvent | StreamChunk)[][]
  try {
    streams = isChat ? readChatStreams(text) : readStreams(text)
  } catch (error) {
    if (!(error instanceof HarmonyResponsesError)) throw error
    throw new UsageError(`${nameOf(file)}: ${error.message}`, { cause: error })
  }
  if (streams.length === 0) throw new UsageError(`${nameOf(file)}: no Responses stream: it contains no events`)
  return streams
}
