import { readTokenFixture } from '../engines/sources/token-fixture.js'
import { HarmonyResponsesError, type PolicyName, policies } from '../index.js'
import { oneFile, oneOf } from './command.js'
import { type Io, nameOf, readFileOrStdin, UsageError } from './io.js'
import { DIALECTS, FORMATS, printReplay } from './replay.js'

const CALLS = ['live', 'whole'] as const
const REASONING = ['raw', 'summary', 'both', 'hidden'] as const

/** The values of `replay`'s options, by name. */
export interface ReplayValues {
  readonly format: string
  readonly policy?: string | undefined
  readonly calls: string
  readonly reasoning?: string | undefined
  readonly citations: boolean
  readonly dialect: string
}

/** Translates a token fixture. Returns the exit code. */
export async function replayFile(values: ReplayValues, operands: readonly string[], io: Io): Promise<number> {
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
}
