import {
  CHAT_CORPUS,
  CORPUS_VERSION,
  corpusLines,
  MESSAGES_CORPUS,
  RESPONSES_CORPUS,
} from '../judge/conformance/corpus/line.js'
import { inFolder } from '../shared/system/platform/paths.js'
import { corpusSchema } from './corpus-schema.js'
import { chatStreams, corpusStreams, messageStreams } from './corpus-streams.js'
import { type Io, messageOf, UsageError } from './io.js'

/** Runs `harmony-responses corpus`. Returns the exit code. */
export async function writeCorpus(folder: string, io: Io): Promise<number> {
  const streams = await corpusStreams(io)
  const save = (name: string, pieces: Iterable<string>): Promise<void> => write(folder, name, pieces, io)
  const saveJson = (name: string, value: unknown): Promise<void> => save(name, [`${JSON.stringify(value, null, 2)}\n`])

  const responses = new Tally(corpusLines(RESPONSES_CORPUS, streams))
  await save('streams.jsonl', responses.lines())
  const chat = new Tally(corpusLines(CHAT_CORPUS, chatStreams(streams)))
  await save('chat-streams.jsonl', chat.lines())
  const messages = new Tally(corpusLines(MESSAGES_CORPUS, messageStreams(streams)))
  await save('messages-streams.jsonl', messages.lines())

  const ofResponses = RESPONSES_CORPUS.profiles
  const ofChat = CHAT_CORPUS.profiles
  const ofMessages = MESSAGES_CORPUS.profiles
  const event = { type: 'object', required: ['type'] }
  await saveJson('schema.json', corpusSchema('Responses events', event, ofResponses))
  await saveJson('chat-schema.json', corpusSchema('chunks of Chat Completions', {}, ofChat))
  await saveJson('messages-schema.json', corpusSchema('events of the Messages API', {}, ofMessages))
  await saveJson('corpus.json', {
    corpus: CORPUS_VERSION,
    package: `harmony-responses ${io.version}`,
    profiles: ofResponses,
    ...responses.counts,
    chat: { profiles: ofChat, ...chat.counts },
    messages: { profiles: ofMessages, ...messages.counts },
  })
  await save('README.md', [README])
  await io.print(
    `${responses.words} of Responses, ${chat.words} of Chat Completions and ${messages.words} of Messages in ${folder}\n`,
  )
  return 0
}

/** Writes lines and counts them. */
class Tally {
  readonly #lines: Iterable<{ readonly family: string | null }>
  readonly #families = new Map<string, number>()
  #good = 0

  constructor(lines: Iterable<{ readonly family: string | null }>) {
    this.#lines = lines
  }

  *lines(): Generator<string> {
    for (const line of this.#lines) {
      const { family } = line
      if (family === null) this.#good++
      else this.#families.set(family, (this.#families.get(family) ?? 0) + 1)
      yield `${JSON.stringify(line)}\n`
    }
  }

  /** The counts of the written lines. */
  get counts(): { readonly good: number; readonly damaged: number; readonly families: Record<string, number> } {
    const damaged = [...this.#families.values()].reduce((sum, count) => sum + count, 0)
    return { good: this.#good, damaged, families: Object.fromEntries(this.#families) }
  }

  get words(): string {
    const { good, damaged, families } = this.counts
    return `${good} good and ${damaged} damaged streams of ${Object.keys(families).length} families`
  }
}

async function write(folder: string, name: string, pieces: Iterable<string>, io: Io): Promise<void> {
  const path = inFolder(folder, name)
  try {
    await io.writeFile(path, pieces)
  } catch (error) {
    throw new UsageError(`corpus: cannot write ${path}: ${messageOf(error)}`, { cause: error })
  }
}

const README = `# A corpus of streams

Each line of \`streams.jsonl\` is a JSON object with a stream of OpenAI Responses events, and what the judge of
harmony-responses says of it under each profile. \`chat-streams.jsonl\` has the same for streams of Chat Completions, and
\`messages-streams.jsonl\` for those of the Messages API. \`schema.json\`, \`chat-schema.json\` and \`messages-schema.json\` are
their JSON Schemas. Nothing else is needed to read them.

- \`family\` and \`damage\` describe the mistake in the stream, and \`at\` is the number of its event; they are null in a good
  one.
- \`events\` are the events, or the chunks, in the order in which a server sends them. To play them, send each as
  \`data: JSON\` with a blank line behind it, and after the chunks of Chat Completions \`data: [DONE]\` with a blank line.
  An event of the Messages API has a line \`event: TYPE\` in front, with its \`type\`.
- \`says["client:codex"].ok\` says whether the user of that client sees all of the response, and nothing else;
  \`explanation\` says what the user sees. \`says.openai\` and \`says["open-responses"]\` hold the stream against what OpenAI's
  streams always do, and against the Open Responses specification. In \`chat-streams.jsonl\`, \`says["chat:openai"]\` and
  \`says["chat:ai-sdk"]\` are those of the clients, and \`says.chat\` holds the stream against what OpenAI's always do; in
  \`messages-streams.jsonl\`, \`says["messages:anthropic"]\` and so on, and \`says.messages\` what Anthropic's always do.

A test of a judge: its verdict on \`events\` is \`ok\` where \`says\` is. A test of a client: play a line with
\`family\` null, and compare what it shows of the damaged lines of the same \`stream\`.

\`corpus.json\` has the version of this form: a reader that knows version ${CORPUS_VERSION} reads every corpus of version ${CORPUS_VERSION},
if it ignores profiles in \`says\` that it does not know.
`
