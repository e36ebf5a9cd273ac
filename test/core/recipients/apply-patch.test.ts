import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namesPatchTool, patchText, readPatch } from '../../../src/core/recipients/apply-patch.js'
import type { PatchOperation } from '../../../src/core/responses/items.js'
import { RUNS } from '../../support/runs.js'

const lines = (...all: string[]): string => all.join('\n')
const UPDATE = lines('*** Begin Patch', '*** Update File: a.txt', '@@ def f():', '-old', '+new', '*** End Patch')
const UPDATED = { type: 'update_file', path: 'a.txt', diff: lines('@@ def f():', '-old', '+new') }

describe('a patch', () => {
  test.each<[what: string, text: string, operation: object]>([
    ['changes a file', UPDATE, UPDATED],
    ['ends in line breaks', `${UPDATE}\n\n`, UPDATED],
    ['has CR LF', UPDATE.replaceAll('\n', '\r\n'), UPDATED],
    ['lacks its end', UPDATE.replace('\n*** End Patch', ''), UPDATED],
    ['lacks its beginning', UPDATE.replace('*** Begin Patch\n', ''), UPDATED],
    ['stands in a shell command', `apply_patch <<'EOF'\n${UPDATE}\nEOF`, UPDATED],
    [
      'adds a file',
      lines('*** Begin Patch', '*** Add File: b.txt', '+one', '+two', '*** End Patch'),
      { type: 'create_file', path: 'b.txt', diff: '+one\n+two' },
    ],
    [
      'deletes a file',
      '*** Begin Patch\n*** Delete File: b.txt\n*** End Patch',
      { type: 'delete_file', path: 'b.txt' },
    ],
    [
      'says where the file ends',
      lines('*** Begin Patch', '*** Update File: a.txt', '+x', '*** End of File', '*** End Patch'),
      { type: 'update_file', path: 'a.txt', diff: '+x\n*** End of File' },
    ],
    ['is the argument of a function', JSON.stringify({ patch: UPDATE }), UPDATED],
    ['is the last word of a command', JSON.stringify({ cmd: ['apply_patch', UPDATE] }), UPDATED],
    ['is a string of JSON', JSON.stringify(UPDATE), UPDATED],
    ['is an operation', JSON.stringify(UPDATED), UPDATED],
    ['is an operation of the API', JSON.stringify({ operation: UPDATED }), UPDATED],
  ])('a patch that %s is read', (_, text, operation) => expect(readPatch(text)).toEqual({ operation }))

  test.each([
    '',
    ' ',
    'a.txt',
    '*** Begin Patch\n*** End Patch',
    '*** Update File: ',
    '{}',
    '{"patch":1}',
    '{"patch":"x"}',
    'null',
    '[[]]',
    JSON.stringify({ type: 'update_file', path: 'a.txt' }),
    JSON.stringify({ type: 'rename_file', path: 'a.txt', diff: '' }),
  ])('%j is no patch', (text) => expect(readPatch(text)).toBeUndefined())

  test('of a patch of several files the first is the operation, and the others are the rest', () => {
    const second = lines('*** Delete File: b.txt', '*** End Patch')
    expect(readPatch(UPDATE.replace('*** End Patch', second))).toEqual({ operation: UPDATED, rest: second })
  })

  test('the text of an operation is read as that operation', () => {
    const word = fc.stringMatching(/^[\w./-]+$/)
    const line = fc.oneof(
      fc.constantFrom('@@', '@@ class A', '*** End of File', ' '),
      word.map((text) => `+${text}`),
    )
    const diff = fc.array(line, { minLength: 1, maxLength: 5 }).map((all) => all.join('\n'))
    const operation: fc.Arbitrary<PatchOperation> = fc.oneof(
      fc.record({ type: fc.constantFrom('create_file' as const, 'update_file' as const), path: word, diff }),
      fc.record({ type: fc.constant('delete_file' as const), path: word }),
    )
    fc.assert(
      fc.property(operation, (given) => {
        expect(readPatch(patchText(given))).toEqual({ operation: given })
      }),
      { numRuns: RUNS },
    )
  })

  test('any text is read without an exception, and reading the result again changes nothing', () => {
    const part = fc.oneof(
      fc.constantFrom('*** Update File: a', '*** Add File: b', '*** Delete File: c', '*** End Patch', '\n', '{"', '["'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const read = readPatch(parts.join('\n'))
        if (read !== undefined) expect(readPatch(patchText(read.operation))).toEqual({ operation: read.operation })
      }),
      { numRuns: RUNS },
    )
  })

  test.each([
    ['functions.apply_patch', true],
    ['apply_patch', true],
    ['functions.apply', false],
    ['tools.apply_patch', false],
  ])('whether %s names the tool: %s', (recipient, does) => expect(namesPatchTool(recipient)).toBe(does))
})
