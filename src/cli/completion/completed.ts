import type { Command } from '../command.js'
import { plainMarkdown } from '../options/help.js'
import type { Option } from '../options/option.js'

/** What a shell completes a value with; words of the user's own are `anything`. */
export type Values = readonly string[] | 'files' | 'folders' | 'anything'

/** An option as shells complete it. */
export interface CompletedOption {
  /** With `--`. */
  readonly name: string
  /** A few words on one line. */
  readonly about: string
  readonly isRepeatable: boolean
  /** Absent for one without a value. */
  readonly values?: Values
}

/** A command as shells complete it. */
export interface CompletedCommand {
  readonly name: string
  readonly about: string
  readonly options: readonly CompletedOption[]
  readonly operands: Values
}

/** Returns what shells complete of a command. */
export function completed({ name, summary: about, operand, options }: Command): CompletedCommand {
  return {
    ...{ name, about },
    options: [
      ...Object.entries(options).map(completedOption),
      { name: '--help', about: 'prints the help', isRepeatable: false },
    ],
    // A command without operands of its own may have an option with one: the recordings of `serve --replay`.
    operands: operand?.words ?? valuesOf(operand?.value ?? 'FILE'),
  }
}

function completedOption([name, option]: [string, Option]): CompletedOption {
  const [about = ''] = plainMarkdown(option.about).split(/[;:.] /)
  const given = { name: `--${name}`, about, isRepeatable: option.takes === 'list' }
  if (option.takes === 'nothing') return given
  if (option.takes === 'word') return { ...given, values: Object.keys(option.words) }
  return { ...given, values: (option.takes === 'list' ? option.words : undefined) ?? valuesOf(option.value) }
}

/** By the name of a value: `FILE.db`, `DIR[=ID]`. */
function valuesOf(value: string): Values {
  return /^FILE/.test(value) ? 'files' : /^DIR/.test(value) ? 'folders' : 'anything'
}

/** Quotes a text for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
