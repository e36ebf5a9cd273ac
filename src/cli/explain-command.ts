import { CLIENTS, explain as explainTo } from '../conformance/explain.js'
import { readStreams } from '../conformance/read-streams.js'
import type { StreamEvent } from '../conformance/stream-event.js'
import { HarmonyResponsesError } from '../errors.js'
import { type Command, defineCommand, oneFile, oneOf } from './command.js'
import { nameOf, readText, UsageError } from './io.js'
import { plain } from './terminal-text.js'

export const explain: Command = defineCommand({
  name: 'explain',
  operands: 'FILE',
  summary: 'says what clients make of such a stream; - reads standard input',
  help: `  --client NAME             openai, ai-sdk, openai-agents, langchain or codex (default: a line for each)
It exits as check does: with 1 where a client errs.
`,
  options: { client: { type: 'string' } },
  async run({ client }, operands, io) {
    const clients = client === undefined ? CLIENTS : [oneOf(CLIENTS, '--client', client)]
    const file = oneFile('explain', operands)
    const streams = parse(await readText(file, io), file)
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
  },
})

/** The streams of a file; a file without any is no stream, as for `check`. */
function parse(text: string, file: string): StreamEvent[][] {
  let streams: StreamEvent[][]
  try {
    streams = readStreams(text)
  } catch (error) {
    if (!(error instanceof HarmonyResponsesError)) throw error
    throw new UsageError(`${nameOf(file)}: ${error.message}`, { cause: error })
  }
  if (streams.length === 0) throw new UsageError(`${nameOf(file)}: no stream of events: it has no event`)
  return streams
}
