import { parseArgs } from 'node:util'
import { PROFILES, type Profile } from '../conformance/invariant.js'
import { HarmonyResponsesError, type PolicyName, policies } from '../index.js'
import { readTokenFixture } from '../sources/token-fixture.js'
import { type CheckReport, printCheck } from './check.js'
import { runProbe } from './probe.js'
import { DIALECTS, FORMATS, printReplay } from './replay.js'
import type { Screen } from './timeline-layout.js'

/** All that the command line touches of the world. */
export interface Io {
  /** The package's version. */
  readonly version: string
  /** What standard output is shown on. */
  readonly screen: Screen
  readFile(path: string): Promise<string>
  readStdin(): Promise<string>
  /** Writes to standard output. Resolves when more may come; rejects with `EPIPE` once nobody reads any more. */
  print(text: string): Promise<void>
  /** Writes to standard error. */
  complain(text: string): void
}

const HELP = `harmony-responses: Harmony token streams as OpenAI Responses events

Usage:
  harmony-responses replay FILE    translates a token fixture; - reads standard input
  harmony-responses check FILE     checks streams of events of any server: SSE, or JSON a line; - reads standard input
  harmony-responses probe URL      judges a live Responses server (see probe --help)

Options of check:
  --profile openai          what OpenAI's streams always do (default)
            open-responses  what Open Responses requires
            client:NAME     what a client needs: openai, ai-sdk, openai-agents, langchain, codex
  --json                    one line of JSON for machines
It exits with 0 where all is well, with 1 where a stream is not as it should be, and with 2 where it is none.

Options of replay:
  --format jsonl            one event a line (default)
           sse              the frames that a server would send
           timeline         tokens, Harmony and events side by side
  --policy openai           a call of an undeclared tool is a function call (default: as the fixture says, else this)
           agents           ... is an MCP call that failed
           vllm             everything but functions.* is an MCP call
           functions-only   everything is a function call
  --calls  live             the client's calls are announced at once (default)
           whole            ... once their arguments are whole
  --reasoning raw           as reasoning text (default: as the fixture or its request says, else this)
              summary       as a summary, which every client shows
              both          either way
              hidden        without its text
  --citations               citation marks become annotations
  --dialect openai          the events as OpenAI words them (default)
            open-responses  ... as Open Responses does
            vllm            ... as vLLM does; neither is for a timeline
  --help
  --version

The same file always gives the same output: ids follow from the fixture's name, times from its created_at.
`

const CALLS = ['live', 'whole'] as const
const REASONING = ['raw', 'summary', 'both', 'hidden'] as const

/** A command line that makes no sense. */
class UsageError extends Error {}

/**
 * The command line.
 *
 * @param argv - the arguments alone
 * @returns the exit code: 0, 1 where the input is bad or a check finds something, 2 where the usage is
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    if (argv[0] === 'probe') return await runProbe(argv.slice(1), io)
    return await execute(argv, io)
  } catch (error) {
    if (errorCode(error) === 'EPIPE') return 0
    const message = messageOf(error).replace(/[\s\p{Cc}]+/gu, ' ')
    io.complain(`harmony-responses: ${message}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function execute(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse(argv)
  if (values.help) return print(HELP, io)
  if (values.version) return print(`${io.version}\n`, io)

  const [command, file, ...others] = positionals
  if (command === undefined) throw new UsageError('expected a command: replay FILE or check FILE (see --help)')
  oneOf(['replay', 'check'], 'command', command)
  if (file === undefined) throw new UsageError(`${command}: expected a file, or - for standard input`)
  if (others.length > 0) throw new UsageError(`${command}: expected one file, got ${others.length + 1}`)
  const name = file === '-' ? 'standard input' : file
  return command === 'check' ? check(file, name, values, io) : replay(file, name, values, io)
}

async function check(file: string, name: string, values: Values, io: Io): Promise<number> {
  const profile = oneOf(PROFILES, '--profile', values.profile)
  const report = await reportOn(file, name, profile, values.json, io)
  await io.print(report.text)
  return report.isGood ? 0 : 1
}

async function reportOn(file: string, name: string, profile: Profile, isJson: boolean, io: Io): Promise<CheckReport> {
  try {
    return printCheck(await read(file, name, io), profile, isJson)
  } catch (error) {
    // 1 says that a stream is not as it should be; here there is none.
    const place = error instanceof HarmonyResponsesError ? `${name}: ` : ''
    throw new UsageError(`${place}${messageOf(error)}`, { cause: error })
  }
}

async function replay(file: string, name: string, values: Values, io: Io): Promise<number> {
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

  const text = await read(file, name, io)
  try {
    const fixture = readTokenFixture(text)
    for await (const piece of printReplay(fixture, format, options, io.screen)) await io.print(piece)
    return 0
  } catch (error) {
    if (!(error instanceof HarmonyResponsesError)) throw error
    throw new Error(`${name}: ${error.message}`, { cause: error })
  }
}

async function print(text: string, io: Io): Promise<number> {
  await io.print(text)
  return 0
}

type Values = ReturnType<typeof parse>['values']

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        format: { type: 'string', default: 'jsonl' },
        policy: { type: 'string' },
        calls: { type: 'string', default: 'live' },
        reasoning: { type: 'string' },
        citations: { type: 'boolean', default: false },
        dialect: { type: 'string', default: 'openai' },
        profile: { type: 'string', default: 'openai' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        version: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    // What follows the first sentence is advice for other cases.
    throw new UsageError(messageOf(error).split(/\.?\n|\. /)[0], { cause: error })
  }
}

function oneOf<const Word extends string>(words: readonly Word[], option: string, given: string): Word {
  const word = words.find((each) => each === given)
  if (word !== undefined) return word
  throw new UsageError(`${option}: expected one of ${words.join(', ')}, got ${JSON.stringify(given)}`)
}

async function read(file: string, name: string, io: Io): Promise<string> {
  try {
    return await (file === '-' ? io.readStdin() : io.readFile(file))
  } catch (error) {
    // Node says "ENOENT: no such file or directory, open 'FILE'".
    const reason = /^E[A-Z]+: ([^,]+)/.exec(messageOf(error))?.[1] ?? messageOf(error)
    throw new Error(`cannot read ${name}: ${reason}`, { cause: error })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
