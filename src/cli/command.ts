import { type ParseArgsConfig, parseArgs } from 'node:util'
import { didYouMean } from '../shared/did-you-mean.js'
import { type Io, messageOf, UsageError } from './io.js'

type Options = NonNullable<ParseArgsConfig['options']>

/** The values of a command's options, by name. */
export type Values<Given extends Options> = ReturnType<
  typeof parseArgs<{ options: Given; allowPositionals: true }>
>['values']

/**
 * A command of the command line, in a file of its own. `run` imports its code, so that `--help` loads only this file.
 */
export interface Command {
  readonly name: string
  /** The operands after its name: `FILE`. */
  readonly operands: string
  /** A short description, half a line long. */
  readonly summary: string
  /** The lines of its help: its options and exit codes. */
  readonly help: string
  /** Options with the same name in two commands have the same type. */
  readonly options: Options
  /** Runs the command and returns the exit code. @throws UsageError for wrong usage */
  run(args: readonly string[], io: Io): Promise<number>
}

/** Defines a command whose `run` receives the parsed options and operands. */
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
 * Splits arguments into options and operands. A repeated option is refused: `parseArgs` would silently drop the first
 * value.
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
  // biome-ignore lint/plugin: `tokens` is requested above and no caller reads it, so the type without it is correct.
  return parsed as unknown as ReturnType<typeof parseArgs<{ options: Given; allowPositionals: true }>>
}

function isSingle(option: Options[string] | undefined): boolean {
  return option?.type === 'string' && option.multiple !== true
}

/** Returns the message of `parseArgs` in one sentence: it follows the first one with advice for other cases. */
function refusalOf(error: unknown, options: Options): string {
  const [sentence = ''] = messageOf(error).split(/\.?\n|\. /)
  const [, unknown] = /^Unknown option '--([^']+)'$/.exec(sentence) ?? []
  return unknown === undefined ? sentence : `${sentence}${didYouMean(unknown, Object.keys(options), '--')}`
}

/**
 * Checks an option that has to be one of some words.
 *
 * @param or - what else it may be, for the message: `a whole number`
 * @throws UsageError
 */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  option: string,
  given: string,
  or?: string,
): Word {
  const word = words.find((each) => each === given)
  if (word !== undefined) return word
  const known = [`one of ${words.join(', ')}`, ...(or === undefined ? [] : [or])].join(', or ')
  throw new UsageError(`${option}: expected ${known}, got ${JSON.stringify(given)}`)
}

/** Returns the single file that a command takes. */
export function oneFile(command: string, operands: readonly string[]): string {
  const [file, ...others] = operands
  if (file === undefined) throw new UsageError(`${command}: expected a file, or - for standard input`)
  if (others.length > 0) throw new UsageError(`${command}: expected one file, got ${operands.length}`)
  return file
}
