import { expect, test } from 'vitest'
import { fileMark, fileSearch } from '../../../src/core/recipients/builtins/file-search.js'

/** The line with the mark of a passage from a file of this name. */
function heading(filename: string): string | undefined {
  return fileSearch.resultText({ files: [{ file_id: 'file-1', filename, text: 'x' }] }, 'fs_1')?.split('\nx')[0]
}

test.each([
  ['a.md', 'a.md'],
  ['  a 【b】† c\n.md ', 'a b c .md'],
  ['a\u0000\u001b[31mb\u007f.md', 'a [31mb .md'],
  ['a\ud83e.md', 'a .md'],
  [`${'a'.repeat(59)}🦦.md`, 'a'.repeat(59)],
  [`${'a'.repeat(60)}.md`, 'a'.repeat(60)],
  ['می\u200cخواهم.pdf', 'می\u200cخواهم.pdf'],
  ['\u0007', 'file'],
  ['', 'file'],
])('the mark of a passage from %j names %j', (filename, name) => {
  expect(heading(filename)).toBe(`【fs1:0†${name}】`)
})

test.each([
  ['fs_68c1A', '68c1a:2'],
  ['fs_1', 'fs1:2'],
  ['___', 'fs:2'],
  ['', 'fs:2'],
])('the key of a result of the search %j is %s', (id, key) => {
  expect(fileMark(id, 2)).toBe(key)
})
