import { aboutOf, hasMeanings, placeholderOf, wordsOf } from '../../src/cli/options/help.js'
import type { Option, Options } from '../../src/cli/options/option.js'

/** The table of a page with options, as the help says what they do. */
export function optionTable(options: Options): string {
  return ['| option | what it does |', '|---|---|', ...Object.entries(options).map(rowOf)].join('\n')
}

function rowOf([name, option]: [string, Option]): string {
  const words = hasMeanings(option) ? wordsOf(option) : []
  const meanings = words.map(([word, meaning]) => `<br>\`${word}\`: ${meaning}`).join('')
  const typed = `--${`${name} ${placeholderOf(option)}`.trimEnd().replaceAll('|', '\\|')}`
  return `| \`${typed}\` | ${aboutOf(option)}${meanings} |`
}
