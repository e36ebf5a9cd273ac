import { type ParseArgsConfig, parseArgs } from 'node:util'
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

/** Splits arguments into options and operands. */
export function parse<const Given extends Options>(
  args: readonly string[],
  options: Given,
): ReturnType<typeof parseArgs<{ options: Given; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    // What follows the first sentence is advice for other cases.
    throw new UsageError(messageOf(error).split(/\.?\n|\. /)[0], { cause: error })
  }
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
