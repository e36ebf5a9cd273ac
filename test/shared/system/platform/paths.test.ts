import { posix, win32 } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inFolder, isWithin, nameWithin } from '../../../../src/shared/system/platform/paths.js'

describe('a file in a folder', () => {
  test.each([
    ['C:\\My Recordings', 'C:\\My Recordings/a.json'],
    ['C:\\My Recordings\\', 'C:\\My Recordings/a.json'],
    ['C:\\', 'C:/a.json'],
    ['rec/', 'rec/a.json'],
  ])('on Windows, of %s is %s', (folder, file) => {
    expect(inFolder(folder, 'a.json', win32)).toBe(file)
  })

  test('elsewhere, a backslash is part of a name', () => {
    expect(inFolder('rec\\', 'a.json', posix)).toBe('rec\\/a.json')
    expect(inFolder('/', 'a.json', posix)).toBe('/a.json')
  })
})

describe('a path', () => {
  test.each([
    [win32, 'C:\\docs', 'C:\\docs\\a.md', true],
    [win32, 'C:\\docs', 'c:\\DOCS\\a.md', true],
    [win32, 'D:\\', 'D:\\a.md', true],
    [win32, 'C:\\docs', 'C:\\docs-secret\\a.md', false],
    [win32, 'C:\\docs', 'D:\\docs\\a.md', false],
    [win32, 'C:\\docs', '\\\\server\\share\\a.md', false],
    [win32, 'C:\\docs', 'C:\\a.md', false],
    [posix, '/', '/a.md', true],
    [posix, '/docs', '/docs/..a.md', true],
    [posix, '/docs', '/docs', false],
    [posix, '/docs', '/', false],
    [posix, '/docs', '/docs-secret/a.md', false],
  ])('leads into a folder, or not: %#', (rules, folder, path, isInside) => {
    expect(isWithin(folder, path, rules)).toBe(isInside)
  })
})

test('a file of a folder has the same name on every system', () => {
  expect(nameWithin('C:\\docs', 'C:\\docs\\a\\b.md', win32)).toBe('a/b.md')
  expect(nameWithin('docs', 'docs/a/b\\c.md', posix)).toBe('a/b\\c.md')
})
