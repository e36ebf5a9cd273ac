import { readTokenFixture } from '../engines/sources/token-fixture.js'
import { HarmonyResponsesError } from '../index.js'
import { type Io, nameOf, readFileOrStdin, UsageError } from './io.js'
import { type Format, printReplay, type TranslationOptions } from './replay.js'

/** The values of `replay`'s options, by name. */
export interface ReplayValues extends Pick<TranslationOptions, 'calls' | 'citations' | 'dialect'> {
  readonly format: Format
  readonly policy: TranslationOptions['policy'] | undefined
  readonly reasoning: TranslationOptions['reasoning'] | undefined
}

/** Translates a token fixture. Returns the exit code. */
export async function replayFile(
  { format, policy, reasoning, ...others }: ReplayValues,
  file: string,
  io: Io,
): Promise<number> {
  if (format === 'timeline' && others.dialect !== 'openai') {
    throw new UsageError(`--dialect: expected openai for a timeline, got ${JSON.stringify(others.dialect)}`)
  }
  const options = { ...others, ...(policy && { policy }), ...(reasoning && { reasoning }) }
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
