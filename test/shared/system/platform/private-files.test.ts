import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPrivateFile, sharedMode, writePrivately } from '../../../../src/shared/system/platform/private-files.js'

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'private-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'file')
}

const modeOf = (file: string): number => statSync(file).mode & 0o777

/** As file systems without links answer: Linux, macOS, Windows. */
function refuse(code: string): () => never {
  return () => {
    throw Object.assign(new Error(code), { code })
  }
}

describe('a private file', () => {
  test.each([
    ['', undefined],
    [' where the file system has no links, as exFAT on Linux', refuse('EPERM')],
    [' where the file system has no links, as exFAT on macOS', refuse('ENOTSUP')],
    [' where the file system has no links, as exFAT on Windows', refuse('EISDIR')],
  ])('is written once, for its owner alone, and leaves no draft%s', (_, link) => {
    const file = newFile()
    for (const text of ['first', 'second']) writePrivately(file, text, link)
    expect(readFileSync(file, 'utf8')).toBe('first')
    expect(readdirSync(join(file, '..'))).toEqual(['file'])
    if (process.platform !== 'win32') expect(modeOf(file)).toBe(0o600)
  })

  test('that cannot be written is the error of the system', () => {
    expect(() => writePrivately(join(newFile(), 'file'), 'text')).toThrow('ENOENT')
  })

  test('is created empty, and left as it is if it is there', () => {
    const file = newFile()
    createPrivateFile(file)
    expect(readFileSync(file, 'utf8')).toBe('')
    writeFileSync(file, 'text')
    createPrivateFile(file)
    expect(readFileSync(file, 'utf8')).toBe('text')
  })
})

test('a file that others may use has a shared mode, except on Windows, which has none', () => {
  const file = newFile()
  writeFileSync(file, '')
  chmodSync(file, 0o644)
  expect(['linux', 'darwin', 'win32'].map((platform) => sharedMode(file, platform))).toEqual(['644', '644', undefined])
  chmodSync(file, 0o600)
  expect(sharedMode(file, 'linux')).toBeUndefined()
  expect(sharedMode(`${file}-missing`, 'linux')).toBeUndefined()
})
