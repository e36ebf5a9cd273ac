import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  appendPrivately,
  decodeText,
  type Replacing,
  readText,
  replaceFile,
  writeWhole,
} from '../../../../src/shared/system/platform/text-files.js'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'text-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const TEXT = 'ann: Grüße 🌍\r\n'

describe('a text', () => {
  test.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16, as PowerShell 5 redirects', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16 of the other order', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16()],
  ])('of %s is read without its mark', async (_, bytes) => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, bytes)
    expect(await readText(file)).toBe(TEXT)
  })

  test('may be empty, or one byte', () => {
    expect(['', 'a'].map((text) => decodeText(Buffer.from(text)))).toEqual(['', 'a'])
  })
})

describe('a file that is written whole', () => {
  test('replaces the one before, and leaves no draft', async () => {
    const file = join(newFolder(), 'file')
    for (const text of ['one', 'two']) {
      await writeWhole(file, [text, '\n'])
      expect(readFileSync(file, 'utf8')).toBe(`${text}\n`)
    }
    expect(readdirSync(join(file, '..'))).toEqual(['file'])
  })

  test('leaves no draft where it cannot be written', async () => {
    const folder = newFolder()
    await mkdir(join(folder, 'taken'))
    await expect(writeWhole(join(folder, 'taken'), ['text'])).rejects.toThrow()
    expect(readdirSync(folder)).toEqual(['taken'])
  })
})

/** A system that refuses renames with these codes, one for each try. */
function refusing(platform: string, codes: readonly string[]) {
  const pauses: number[] = []
  const renames: [string, string][] = []
  const system: Replacing = {
    platform,
    async rename(from, to) {
      const code = codes[renames.push([from, to]) - 1]
      if (code !== undefined) throw Object.assign(new Error(code), { code })
    },
    async wait(ms) {
      pauses.push(ms)
    },
  }
  return { system, pauses, renames }
}

describe('replacing a file', () => {
  test.each(['EPERM', 'EACCES', 'EBUSY'])('waits on Windows while another program has it open (%s)', async (code) => {
    const { system, pauses, renames } = refusing('win32', [code, code, code])
    await replaceFile('a.part', 'a', system)
    expect(pauses).toEqual([10, 20, 40])
    expect(renames).toEqual(Array(4).fill(['a.part', 'a']))
  })

  test('gives up after two seconds, with the error of the system', async () => {
    const { system, pauses } = refusing('win32', Array(100).fill('EPERM'))
    await expect(replaceFile('a.part', 'a', system)).rejects.toMatchObject({ code: 'EPERM' })
    const waited = pauses.reduce((sum, ms) => sum + ms, 0)
    expect([waited > 1000, waited <= 2000]).toEqual([true, true])
  })

  test.each([
    ['linux', 'EPERM'],
    ['darwin', 'EACCES'],
    ['win32', 'ENOENT'],
    ['win32', 'EXDEV'],
  ])('on %s does not wait after %s', async (platform, code) => {
    const { system, pauses } = refusing(platform, [code])
    await expect(replaceFile('a.part', 'a', system)).rejects.toMatchObject({ code })
    expect(pauses).toEqual([])
  })
})

test('texts that are appended at the same time do not mix, however long they are', async () => {
  const file = join(newFolder(), 'lines')
  const lines = Array.from({ length: 8 }, (_, nth) => String(nth).repeat(2_000_000))
  await Promise.all(lines.map((line) => appendPrivately(file, `${line}\n`)))
  const written = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  expect(written.toSorted().map((line) => [line[0], line.length])).toEqual(lines.map((line) => [line[0], line.length]))
  for (const line of written) expect(new Set(line).size).toBe(1)
})
