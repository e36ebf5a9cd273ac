import { CLIENTS, explain as explainTo } from '../conformance/explain.js'
import { readStreams } from '../conformance/read-streams.js'
import type { StreamEvent } from '../conformance/stream-event.js'
import { HarmonyResponsesError } from '../errors.js'
import { oneFile, oneOf } from './command.js'
import { type Io, nameOf, readFileOrStdin, UsageError } from './io.js'
import { plain } from './terminal-text.js'

/** Says what clients make of a file's streams; of one client's, if it is named. Returns the exit code. */
export async function explainFile(client: string | undefined, operands: readonly string[], io: Io): Promise<number> {
  const clients = client === undefined ? CLIENTS : [oneOf(CLIENTS, '--client', client)]
  const file = oneFile('explain', operands)
  const streams = parse(await readFileOrStdin(file, io), file)
  let hasErrors = false
  for (const [at, events] of streams.entries()) {
    await io.print(`stream ${at + 1}: ${events.length} event${events.length === 1 ? '' : 's'}\n`)
    for (const one of clients) {
      const { text, errors } = explainTo(events, one)
      if (errors.length > 0) hasErrors = true
      await io.print(`  ${plain(text)}\n`)
    }
  }
  return hasErrors ? 1 : 0
}

/** The streams of a file. A file without events is refused, as `check` does. */
function parse(text: string, file: string): StreamEvent[][] {
  let streams: StreamEvent[][]
  try {
    streams = readStreams(text)
  } catch (error) {
    if (!(error instanceof HarmonyResponsesError)) throw error
    throw new UsageError(`${nameOf(file)}: ${error.message}`, { cause: error })
  }
  if (streams.length === 0) throw new UsageError(`${nameOf(file)}: no Responses stream: it contains no events`)
  return streams
}
