import { type ParseArgsConfig, parseArgs } from 'node:util'
import { didYouMean } from '../shared/did-you-mean.js'
import { type Io, messageOf, UsageError } from './io.js'
import { type Checked, checkOptions, type Option, type Options, oneOf, type Typed } from './options/option.js'

/**
 * A command of the command line, in a file of its own: its parser, checks, help, completion and page derive from this.
 * `run` imports its code, so that `--help` loads only this file.
 */
export interface Command {
  readonly name: string
  /** A short description, half a line long. */
  readonly summary: string
  /** What it takes besides options. */
  readonly operand?: Operand
  /** Options with the same name in two commands have the same type. */
  readonly options: Options
  /** The paragraphs of its help before and after the options. */
  readonly help: readonly [before: string, after: string]
  /** Runs the command and returns the exit code. @throws UsageError for wrong usage */
  run(args: readonly string[], io: Io): Promise<number>
}

/** What a command takes besides options. */
export interface Operand {
  readonly value: keyof typeof NOUNS
  readonly isRepeated?: boolean
  /** The only values that it takes. */
  readonly words?: readonly string[]
}

const NOUNS = { FILE: 'file', DIR: 'folder', URL: 'URL', SHELL: 'shell', ACTION: 'action' } as const

/** Defines a command whose `run` receives the checked options and operands. */
export function defineCommand<const Given extends Options>({
  run,
  ...command
}: Omit<Command, 'run' | 'options'> & {
  readonly operand: Operand
  readonly options: Given
  run(values: Checked<Given>, operands: Operands, io: Io): Promise<number>
}): Command {
  return {
    ...command,
    run(args, io) {
      const { typed, operands } = parse(args, command.options)
      return run(checkOptions(command.options, typed), checkOperands(command, operands), io)
    },
  }
}

type Operands = readonly [first: string, ...others: string[]]

/** @throws UsageError */
function checkOperands(
  { name, operand }: { readonly name: string; readonly operand: Operand },
  given: readonly string[],
): Operands {
  const [first, ...others] = given
  const { value, isRepeated, words } = operand
  if (first === undefined && value === 'FILE') {
    throw new UsageError(`${name}: expected a file, or - for standard input`)
  }
  if (first === undefined || (others.length > 0 && !isRepeated)) {
    throw new UsageError(`${name}: expected one ${NOUNS[value]}, got ${given.length}`)
  }
  if (words !== undefined) oneOf(words, name, first)
  return [first, ...others]
}

/**
 * Splits arguments into options and operands. A repeated option is refused: `parseArgs` would silently drop the first
 * value.
 *
 * @throws UsageError
 */
export function parse<Given extends Options>(
  args: readonly string[],
  options: Given,
): { readonly typed: Typed<Given>; readonly operands: readonly string[] } {
  const parsed = parseTokens(args, options)
  const given = parsed.tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const repeated = given.find((name, index) => isSingle(options[name]) && given.indexOf(name) !== index)
  if (repeated !== undefined) throw new UsageError(`--${repeated}: expected once, got it more than once`)
  // Cast: the values are those of the options, whose names `parseTokens` forgets.
  return { typed: parsed.values as Typed<Given>, operands: parsed.positionals }
}

const isSingle = (option?: Option): boolean => !!option && option.takes !== 'nothing' && option.takes !== 'list'

/** @throws UsageError */
function parseTokens(args: readonly string[], options: Options) {
  const config: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(options).map(([name, { takes }]) => [
      name,
      { type: takes === 'nothing' ? 'boolean' : 'string', multiple: takes === 'list' },
    ]),
  )
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: config, tokens: true })
  } catch (error) {
    throw new UsageError(refusalOf(error, options), { cause: error })
  }
}

/** Returns the message of `parseArgs` in one sentence: it follows the first one with advice for other cases. */
function refusalOf(error: unknown, options: Options): string {
  const [sentence = ''] = messageOf(error).split(/\.?\n|\. /)
  const [, unknown] = /^Unknown option '--([^']+)'$/.exec(sentence) ?? []
  return unknown === undefined ? sentence : `${sentence}${didYouMean(unknown, Object.keys(options), '--')}`
}
