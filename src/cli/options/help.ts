import type { Command } from '../command.js'
import { wrap } from '../terminal-text.js'
import { type Choice, defaultOf, type Option, orList } from './option.js'

/** The columns of a help, and those before what an option does. */
const [COLUMNS, INDENT] = [118, 28]

/** Returns how a command is called: `check FILE...`. */
export function usageOf({ name, operand }: Command): string {
  return operand === undefined ? name : `${name} ${operand.value}${operand.isRepeated ? '...' : ''}`
}

/** Returns the help of a command. */
export function helpOf(command: Command): string {
  const { summary, options, help } = command
  const [before, after] = help
  const lines = Object.entries(options).flatMap(([name, option]) => linesOf(`  --${name}`, option))
  const head = `harmony-responses ${usageOf(command)}: ${summary}`
  return `${[head, before, [...lines, '  --help'].join('\n'), after].filter((part) => part !== '').join('\n\n')}\n`
}

function linesOf(name: string, option: Option): string[] {
  const about = plainMarkdown(aboutOf(option))
  const words = hasMeanings(option) ? wordsOf(option).flatMap((row) => columns(`    ${row[0]}`, row[1])) : []
  return [
    ...columns([name, placeholderOf(option)].join(' ').trimEnd(), words.length === 0 ? about : `${about}:`),
    ...words,
  ]
}

/** Returns the name of an option's value: `FILE`. */
export function placeholderOf(option: Option): string {
  return option.takes === 'nothing' ? (option.operand ?? '') : option.takes === 'word' ? 'WORD' : option.value
}

/** Returns what an option does, in Markdown, with its words if they need no explanation. */
export function aboutOf(option: Option): string {
  const { about, needs } = option
  const words =
    option.takes === 'list'
      ? option.words
      : option.takes === 'word' && !hasMeanings(option)
        ? shownWords(option)
        : undefined
  return [
    words === undefined ? about : `${about}: ${words.join(', ')}`,
    ...(option.takes === 'list' ? ['repeatable'] : []),
    ...(needs === undefined ? [] : [`only with ${orList(needs.map((each) => `\`--${each}\``))}`]),
  ].join('; ')
}

function shownWords(option: Choice): string[] {
  return wordsOf(option).map(([word, meaning]) => `\`${word}\` ${meaning}`.trimEnd())
}

/** Whether an option has words that it explains. */
export function hasMeanings(option: Option): option is Choice {
  return option.takes === 'word' && Object.values(option.words).some((meaning) => meaning !== '')
}

/** Returns the words of an option, and what each means. */
export function wordsOf(option: Choice): [word: string, meaning: string][] {
  const { words, or } = option
  const otherwise = defaultOf(option)
  const rows = Object.entries(words).map(([word, meaning]): [string, string] => [
    word,
    [meaning, ...(word === otherwise ? ['(default)'] : [])].filter((part) => part !== '').join(' '),
  ])
  return or === undefined ? rows : [...rows, [or.value, or.about]]
}

/** Returns Markdown without its marks: the text of links, and no backticks. */
export function plainMarkdown(text: string): string {
  return text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '')
}

/** Puts a name and a text beside each other; the text begins in a line of its own where the name is long. */
function columns(name: string, text: string): string[] {
  const lines = wrap(text, COLUMNS - INDENT, 0).map((line) => `${' '.repeat(INDENT)}${line}`.trimEnd())
  const [first = '', ...others] = lines
  if (name.length > INDENT - 2) return [name, ...lines]
  return [`${name.padEnd(INDENT)}${first.trimStart()}`.trimEnd(), ...others]
}
