import { API_NAMES, type Api } from '../judge/conformance/api.js'
import { CHAT_CLIENTS, type ChatClient } from '../judge/conformance/chat/clients/names.js'
import { CLIENTS, type Client, type ExplainedClient, explain as explainTo } from '../judge/conformance/explain.js'
import { MESSAGES_CLIENTS, type MessagesClient } from '../judge/conformance/messages/clients/names.js'
import { apiOfCapture, readChatStreams, readMessageStreams, readStreams } from '../judge/conformance/read-streams.js'
import type { StreamEvent } from '../judge/conformance/stream-event.js'
import type { StreamChunk } from '../judge/conformance/violation.js'
import { HarmonyResponsesError } from '../shared/errors.js'
import { counted } from './counted.js'
import { type Io, nameOf, readFileOrStdin, UsageError } from './io.js'
import { createPaint, type Paint, placeStyle, plain } from './terminal-text.js'

/** How streams of an API are explained. */
interface Explained {
  readonly clients: readonly string[]
  /** The prefix of a client's name, for `explain`. */
  readonly prefix: string
  readonly event: string
  read(text: string): (StreamEvent | StreamChunk)[][]
}

const EXPLAINED: Readonly<Record<Api, Explained>> = {
  responses: { clients: CLIENTS, prefix: '', event: 'event', read: readStreams },
  chat: { clients: CHAT_CLIENTS, prefix: 'chat:', event: 'chunk', read: readChatStreams },
  messages: { clients: MESSAGES_CLIENTS, prefix: 'messages:', event: 'event', read: readMessageStreams },
}

/** A client of any API. */
export type AnyClient = Client | ChatClient | MessagesClient

/**
 * Explains how clients read a file's streams of the Responses API, of Chat Completions or of the Messages API; only how
 * the named client does, if any. Returns the exit code.
 */
export async function explainFile(client: AnyClient | undefined, file: string, io: Io): Promise<number> {
  const text = await readFileOrStdin(file, io)
  const api = apiOfCapture([text])
  const explained = EXPLAINED[api]
  const { clients: known, prefix, event } = explained
  if (client !== undefined && !known.includes(client)) {
    const names = `${known.slice(0, -1).join(', ')} and ${known.at(-1)}`
    throw new UsageError(`${nameOf(file)}: a stream of ${API_NAMES[api]}, which is explained for ${names}`)
  }
  const streams = parse(text, file, explained)
  const paint = createPaint(io.screen.hasColors)
  let hasErrors = false
  for (const [at, events] of streams.entries()) {
    await io.print(`stream ${at + 1}: ${counted(events.length, event)}\n`)
    for (const one of client === undefined ? known : [client]) {
      // The cast: these are the names that the table has for the API.
      const { text, errors } = explainTo(events, `${prefix}${one}` as ExplainedClient)
      if (errors.length > 0) hasErrors = true
      await io.print(`  ${withPlaces(plain(text), paint)}\n`)
    }
  }
  return hasErrors ? 1 : 0
}

/** Underlines the events at which a client stumbles. */
function withPlaces(text: string, paint: Paint): string {
  return text.replace(/\b(?:event|chunk|line) \d+\b/g, (place) => paint(place, placeStyle('red')))
}

/** Parses the streams of a file. A file without events is refused, like by `check`. */
function parse(text: string, file: string, { read }: Explained): (StreamEvent | StreamChunk)[][] {
  let streams: (StreamEvent | StreamChunk)[][]
  try {
    streams = read(text)
  } catch (error) {
    if (!(error instanceof HarmonyResponsesError)) throw error
    throw new UsageError(`${nameOf(file)}: ${error.message}`, { cause: error })
  }
  if (streams.length === 0) throw new UsageError(`${nameOf(file)}: no Responses stream: it contains no events`)
  return streams
}
