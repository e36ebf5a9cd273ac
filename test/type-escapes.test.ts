import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The judge reads streams of other servers, which have no reliable type. */
const JUDGE = /^(?:conformance|probe)\//
const ESCAPE = /\bas (?:never|unknown as)\b/
const COMMENT = /\/\/.*|^\s*\/?\*.*/
/** A comment with more text than a linter's ignored rule. */
const REASON = /\/\/ (?!biome-ignore)|\*\/$/

const isEscape = (line: string): boolean => ESCAPE.test(line.replace(COMMENT, ''))

/** Escapes on lines that follow each other share a reason. */
function hasReason(lines: readonly string[], at: number): boolean {
  const [line = '', before = ''] = [lines[at], lines[at - 1]]
  return REASON.test(line) || REASON.test(before) || (isEscape(before) && hasReason(lines, at - 1))
}

test('each cast past the compiler has its reason beside it', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  const bare = files
    .filter((file) => file.endsWith('.ts') && !JUDGE.test(file) && !file.includes('generated'))
    .flatMap((file) => {
      const lines = readFileSync(`src/${file}`, 'utf8').split('\n')
      return lines.flatMap((line, at) => (isEscape(line) && !hasReason(lines, at) ? [`${file}:${at + 1}`] : []))
    })
  expect(bare).toEqual([])
})
