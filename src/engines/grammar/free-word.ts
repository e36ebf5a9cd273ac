import type { Grammar } from './expression.js'

/** Returns a beginning for names of new rules that no name of the grammar has. */
export function freeWord(word: string, grammar: Grammar): string {
  let free = word
  while ([...grammar.keys()].some((name) => name.startsWith(free))) free += 'x'
  return free
}
