import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from '../../src/cli/make-folder.js'

const folder = mkdtempSync(join(tmpdir(), 'make-folder-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a folder is made with those above it, and one that is there is left as it is', async () => {
  const path = join(folder, 'a', 'b', 'c')
  await makeFolder(path)
  await makeFolder(path)
  expect(statSync(path).isDirectory()).toBe(true)
})

test('a file instead of the folder, or above it, is an error', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(join(file, 'x'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

test.runIf(process.platform === 'linux')(
  'a place where the system makes no folder is an error, and not tried for ever',
  async () => {
    await expect(makeFolder('/proc/x/y')).rejects.toMatchObject({ code: 'ENOENT' })
  },
)
