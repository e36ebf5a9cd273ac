import { HarmonyResponsesError, type PolicyName, policies } from '../index.js'
import { readTokenFixture } from '../sources/token-fixture.js'
import { type Command, defineCommand, oneFile, oneOf } from './command.js'
import { nameOf, readFileOrStdin, UsageError } from './io.js'
import { DIALECTS, FORMATS, printReplay } from './replay.js'

const CALLS = ['live', 'whole'] as const
const REASONING = ['raw', 'summary', 'both', 'hidden'] as const

export const replay: Command = defineCommand({
  name: 'replay',
  operands: 'FILE',
  summary: 'translates a token fixture',
  help: `  --format jsonl            one event per line (default)
           sse              the frames that a server would send
           timeline         tokens and events side by side
  --policy openai           a call to an undeclared tool becomes a function call (default)
           agents           ... an MCP call that failed
           vllm             ... an MCP call that waits for its result
           functions-only   every call becomes a function call
  --calls  live             announces the client's calls at once (default)
           whole            ... once their arguments are complete
  --reasoning raw           shows reasoning as reasoning text (default)
              summary       ... as a summary, which every client shows
              both          ... both ways
              hidden        ... without its text
  --citations               turns citation marks into annotations
  --dialect openai          words the events as OpenAI does (default)
            open-responses  ... as Open Responses does
            vllm            ... as vLLM does
  --help

What a fixture or its request says overrides these defaults, and an option overrides both. The same file always
gives the same output: ids follow from the fixture's name, times from its created_at. A timeline is as wide as the
terminal, or as COLUMNS says.

Exit codes: 0 translated, 1 not a valid token fixture, 2 wrong usage or an unreadable file.
`,
  options: {
    format: { type: 'string', default: 'jsonl' },
    policy: { type: 'string' },
    calls: { type: 'string', default: 'live' },
    reasoning: { type: 'string' },
    citations: { type: 'boolean', default: false },
    dialect: { type: 'string', default: 'openai' },
  },
  async run(values, operands, io) {
    const file = oneFile('replay', operands)
    const format = oneOf(FORMATS, '--format', values.format)
    const policy =
      values.policy === undefined ? undefined : oneOf(Object.keys(policies) as PolicyName[], '--policy', values.policy)
    const calls = oneOf(CALLS, '--calls', values.calls)
    const dialect = oneOf(DIALECTS, '--dialect', values.dialect)
    const reasoning = values.reasoning === undefined ? undefined : oneOf(REASONING, '--reasoning', values.reasoning)
    if (format === 'timeline' && dialect !== 'openai') {
      throw new UsageError(`--dialect: expected openai for a timeline, got ${JSON.stringify(dialect)}`)
    }
    const { citations } = values
    const options = {
      calls,
      citations,
      dialect,
      ...(policy === undefined ? {} : { policy }),
      ...(reasoning === undefined ? {} : { reasoning }),
    }

    const text = await readFileOrStdin(file, io)
    try {
      const fixture = readTokenFixture(text)
      for await (const piece of printReplay(fixture, format, options, io.screen)) await io.print(piece)
      return 0
    } catch (error) {
      if (!(error instanceof HarmonyResponsesError)) throw error
      throw new Error(`${nameOf(file)}: ${error.message}`, { cause: error })
    }
  },
})
