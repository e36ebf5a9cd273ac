import { type Command, defineCommand } from './command.js'

export const corpus: Command = defineCommand({
  name: 'corpus',
  operand: { value: 'DIR' },
  summary: "writes good and damaged streams with the judge's verdicts",
  help: [
    `Writes into the folder DIR, for tests of servers, clients and judges in any language:

  streams.jsonl           a stream of Responses on each line, with the violations that each profile finds
  schema.json             the JSON Schema of a line
  chat-streams.jsonl      the same for streams of Chat Completions
  chat-schema.json        the JSON Schema of a line of it
  messages-streams.jsonl  the same for streams of the Messages API
  messages-schema.json    the JSON Schema of a line of it
  corpus.json             the version of the form and of the package, and the counts
  README.md               how to read them`,
    `The same version of the package always writes the same bytes.

Exit codes: 0 it is written, 2 wrong usage, or the folder cannot be written.`,
  ],
  options: {},
  async run(_values, [folder], io) {
    const { writeCorpus } = await import('./corpus.js')
    return writeCorpus(folder, io)
  },
})
