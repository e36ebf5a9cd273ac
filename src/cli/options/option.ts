import { UsageError } from '../io.js'

/* An option is one row: its parser, help, configuration and page derive from it. It is data, so that --help loads no more. */

interface Row {
  /** What it does, in Markdown with links from `docs/`; the help shows it without marks. */
  readonly about: string
  /** The options of which one has to be given with it. */
  readonly needs?: readonly string[]
}

/** An option without a value. */
export interface Flag extends Row {
  readonly takes: 'nothing'
  /** The operand that the command takes with it: `[DIR]`. */
  readonly operand?: string
}

/** An option with a text that is not empty: `FILE`. */
export interface Text extends Row {
  readonly takes: 'text'
  readonly value: string
}

/** A repeatable option. */
export interface List extends Row {
  readonly takes: 'list'
  readonly value: string
  /** Whether its texts are `NAME=VALUE`: a configuration has an object instead of a list. */
  readonly isPairs?: boolean
  /** The only texts that it takes. */
  readonly words?: readonly string[]
}

/** An option with a whole number. */
export interface Count extends Row {
  readonly takes: 'count'
  readonly value: string
  /** 1 where it is absent. */
  readonly min?: number
  readonly max?: number
}

/** An option with one of some words, each with its meaning. Without a value it is the first of them. */
export interface Choice extends Row {
  readonly takes: 'word'
  readonly words: Readonly<Record<string, string>>
  /** Whether it is undefined without a value. */
  readonly isOptional?: boolean
  /** The number that it takes as well. */
  readonly or?: Count
}

export type Option = Flag | Text | List | Count | Choice

/** Options by their names without `--`. */
export type Options = Readonly<Record<string, Option>>

/** The values of options as typed, by name. */
export type Typed<Given extends Options> = {
  readonly [Name in keyof Given]?:
    | (Given[Name] extends Flag ? boolean : Given[Name] extends List ? readonly string[] : string)
    | undefined
}

type CamelCase<Name> = Name extends `${infer Word}-${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Name

/** The checked values of options, by their names in camel case. */
export type Checked<Given extends Options> = {
  readonly [Name in keyof Given as CamelCase<Name>]: Value<Given[Name]>
}

type Value<Given extends Option> = Given extends Flag
  ? boolean
  : Given extends List
    ? readonly string[]
    : Given extends Choice
      ?
          | keyof Given['words']
          | (Given extends { readonly isOptional: true } ? undefined : never)
          | (Given extends { readonly or: Count } ? number : never)
      : (Given extends Count ? number : string) | undefined

/** Checks each option by itself and with those that it needs. @throws UsageError */
export function checkOptions<Given extends Options>(options: Given, typed: Typed<Given>): Checked<Given> {
  const isGiven = (name: string): boolean => typed[name] !== undefined && typed[name] !== false
  const checked = Object.entries(options).map(([name, option]) => {
    const { needs } = option
    if (isGiven(name) && needs !== undefined && !needs.some(isGiven)) {
      throw new UsageError(`--${name}: expected only with ${orList(needs.map((each) => `--${each}`))}`)
    }
    return [
      name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      checkOption(option, `--${name}`, typed[name]),
    ]
  })
  return Object.fromEntries(checked)
}

function checkOption(option: Option, name: string, given: string | boolean | readonly string[] | undefined): unknown {
  if (option.takes === 'nothing') return given === true
  if (option.takes === 'list') {
    const { words, value } = option
    return (Array.isArray(given) ? (given as readonly string[]) : []).map((each) =>
      words === undefined ? textOf(value, name, each) : oneOf(words, name, each),
    )
  }
  if (typeof given !== 'string') return option.takes === 'word' ? defaultOf(option) : undefined
  if (option.takes === 'text') return textOf(option.value, name, given)
  if (option.takes === 'count') return countOf(option, name, given)
  const { or } = option
  if (or !== undefined && isWithin(or, given)) return Number(given)
  return oneOf(Object.keys(option.words), name, given, or && `a whole number ${rangeOf(or)}`)
}

/** Returns the value of an option without one. */
export function defaultOf({ words, isOptional }: Choice): string | undefined {
  return isOptional ? undefined : Object.keys(words)[0]
}

function textOf(value: string, name: string, given: string): string {
  if (given !== '') return given
  throw new UsageError(`${name}: expected ${value}, got an empty text`)
}

function countOf(option: Count, name: string, given: string): number {
  if (isWithin(option, given)) return Number(given)
  throw new UsageError(`${name}: expected a whole number ${rangeOf(option)}, got ${JSON.stringify(given)}`)
}

const isWithin = ({ min = 1, max = Number.MAX_SAFE_INTEGER }: Count, given: string): boolean =>
  /^\d+$/.test(given) && Number(given) >= min && Number(given) <= max

function rangeOf({ min = 1, max }: Count): string {
  return max === undefined ? `of at least ${min}` : `from ${min} to ${max}`
}

/** Joins names: `a, b or c`. */
export function orList(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' or $1')
}

/** Checks that it is one of some words; `or` is what else it may be, for the message. @throws UsageError */
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
