import { type ParseArgsConfig, parseArgs } from 'node:util'
import { didYouMean } from '../did-you-mean.js'
import { type Io, messageOf, UsageError } from './io.js'

type Options = NonNullable<ParseArgsConfig['options']>

/** What was given for a command's options, by their names. */
export type Values<Given extends Options> = ReturnType<
  typeof parseArgs<{ options: Given; allowPositionals: true }>
>['values']

/** A command of the command line, in a file of its own. What it runs is imported when it runs: `--help` loads no more. */
export interface Command {
  readonly name: string
  /** What comes after its name: `FILE`. */
  readonly operands: string
  /** What it does, in half a line. */
  readonly summary: string
  /** Its options, and what it exits with: the lines of the help. */
  readonly help: string
  /** Options of the same name in two commands are of the same type. */
  readonly options: Options
  /** Returns the exit code. Throws a {@link UsageError} where it is used wrongly. */
  run(args: readonly string[], io: Io): Promise<number>
}

/** A command whose `run` gets what its options say, and its operands. */
export function defineCommand<const Given extends Options>({
  run,
  ...command
}: Omit<Command, 'run' | 'options'> & {
  readonly options: Given
  run(values: Values<Given>, operands: readonly string[], io: Io): Promise<number>
}): Command {
  return {
    ...command,
    run(args, io) {
      const { values, positionals } = parse(args, command.options)
      return run(values, positionals, io)
    },
  }
}

/**
 * Splits arguments into options and operands. An option that is given twice is refused: `parseArgs` would drop the first
 * value in silence.
 *
 * @throws UsageError
 */
export function parse<const Given extends Options>(
  args: readonly string[],
  options: Given,
): ReturnType<typeof parseArgs<{ options: Given; allowPositionals: true }>> {
  let parsed: { readonly tokens: readonly { readonly kind: string; readonly name?: string }[] }
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options, tokens: true })
  } catch (error) {
    throw new UsageError(refusalOf(error, options), { cause: error })
  }
  const given = parsed.tokens.flatMap(({ kind, name = '' }) => (kind === 'option' ? [name] : []))
  const repeated = given.find((name, index) => isSingle(options[name]) && given.indexOf(name) !== index)
  if (repeated !== undefined) throw new UsageError(`--${repeated}: expected once, got it more than once`)
  // The cast: `tokens` is asked for above and no caller reads it, so that the type without them is right.
  return parsed as unknown as ReturnType<typeof parseArgs<{ options: Given; allowPositionals: true }>>
}

function isSingle(option: Options[string] | undefined): boolean {
  return option?.type === 'string' && option.multiple !== true
}

/** What `parseArgs` says, in one sentence: what follows its first one is advice for other cases. */
function refusalOf(error: unknown, options: Options): string {
  const [sentence = ''] = messageOf(error).split(/\.?\n|\. /)
  const [, unknown] = /^Unknown option '--([^']+)'$/.exec(sentence) ?? []
  return unknown === undefined ? sentence : `${sentence}${didYouMean(unknown, Object.keys(options), '--')}`
}

/** One of the words that an option may be. */
export function oneOf<const Word extends string>(words: readonly Word[], option: string, given: string): Word {
  const word = words.find((each) => each === given)
  if (word !== undefined) return word
  throw new UsageError(`${option}: expected one of ${words.join(', ')}, got ${JSON.stringify(given)}`)
}

/** The one file that a command takes. */
export function oneFile(command: string, operands: readonly string[]): string {
  const [file, ...others] = operands
  if (file === undefined) throw new UsageError(`${command}: expected a file, or - for standard input`)
  if (others.length > 0) throw new UsageError(`${command}: expected one file, got ${operands.length}`)
  return file
}
