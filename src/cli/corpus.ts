import { CORPUS_VERSION, corpusLines } from '../conformance/corpus/line.js'
import { CORPUS_SCHEMA } from '../conformance/corpus/schema.js'
import { PROFILES } from '../conformance/index.js'
import { corpusStreams } from './corpus-streams.js'
import { type Io, messageOf, UsageError } from './io.js'

/** `harmony-responses corpus`. Returns the exit code. */
export async function writeCorpus(folder: string, io: Io): Promise<number> {
  const streams = await corpusStreams(io)
  const families = new Map<string, number>()
  let good = 0
  function* lines(): Generator<string> {
    for (const line of corpusLines(streams)) {
      if (line.family === null) good++
      else families.set(line.family, (families.get(line.family) ?? 0) + 1)
      yield `${JSON.stringify(line)}\n`
    }
  }
  await write(folder, 'streams.jsonl', lines(), io)
  const damaged = [...families.values()].reduce((sum, count) => sum + count, 0)
  const about = {
    corpus: CORPUS_VERSION,
    package: `harmony-responses ${io.version}`,
    profiles: PROFILES,
    good,
    damaged,
    families: Object.fromEntries(families),
  }
  await write(folder, 'schema.json', [`${JSON.stringify(CORPUS_SCHEMA, null, 2)}\n`], io)
  await write(folder, 'corpus.json', [`${JSON.stringify(about, null, 2)}\n`], io)
  await write(folder, 'README.md', [README], io)
  await io.print(`${good} good and ${damaged} damaged streams of ${families.size} families in ${folder}\n`)
  return 0
}

async function write(folder: string, name: string, pieces: Iterable<string>, io: Io): Promise<void> {
  const path = `${folder.replace(/[/\\]+$/, '')}/${name}`
  try {
    await io.writeFile(path, pieces)
  } catch (error) {
    throw new UsageError(`corpus: cannot write ${path}: ${messageOf(error)}`, { cause: error })
  }
}

const README = `# A corpus of Responses streams

Each line of \`streams.jsonl\` is a JSON object with a stream of OpenAI Responses events, and what the judge of
harmony-responses says of it under each profile. \`schema.json\` is its JSON Schema. Nothing else is needed to read it.

- \`family\` and \`damage\` say what is wrong in the stream, and \`at\` at which event; they are null in a good one.
- \`events\` are the events in the order in which a server sends them. To play them, send each as \`data: JSON\` with a blank
  line behind it.
- \`says["client:codex"].ok\` says whether the user of that client sees all of the response, and nothing else;
  \`explanation\` says what the user sees. \`says.openai\` and \`says["open-responses"]\` hold the stream against what OpenAI's
  streams always do, and against the Open Responses specification.

A test of a judge: its verdict on \`events\` is \`ok\` where \`says\` is. A test of a client: play a line with
\`family\` null, and compare what it shows of the damaged lines of the same \`stream\`.

\`corpus.json\` has the version of this form: a reader that knows version ${CORPUS_VERSION} reads every corpus of version ${CORPUS_VERSION}.
`
