import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UsageError } from '../../../src/cli/io.js'
import { readSecret } from '../../../src/cli/serve/secrets.js'
import { keysBeside } from '../../../src/cli/serve/store-keys.js'
import { realFolder } from '../io.js'

/** A folder for a store, which is removed afterwards. */
async function inFolder(work: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'seal-keys-'))
  try {
    await work(join(folder, 'responses.db'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Reads the keys beside a store. Returns the path of their file. */
async function keysOf(file: string): Promise<string> {
  const secret = await keysBeside('--store', file, realFolder())
  await readSecret(secret, realFolder())
  return 'file' in secret ? secret.file : ''
}

test.skipIf(process.platform === 'win32')(
  'seal keys beside a store are drawn once, into a file of mode 600, and refused where others can read or change it',
  async () => {
    await inFolder(async (file) => {
      const keys = `${file}.keys`
      expect(await keysOf(file)).toBe(keys)
      expect(statSync(keys).mode & 0o777).toBe(0o600)
      const drawn = readFileSync(keys, 'utf8')
      for (const mode of [0o400, 0o600, 0o700]) {
        chmodSync(keys, mode)
        expect(await keysOf(file)).toBe(keys)
      }
      for (const mode of [0o604, 0o640, 0o644, 0o660, 0o602]) {
        chmodSync(keys, mode)
        const told = `--store ${file}: ${keys} has mode ${mode.toString(8)}, which lets other users in. Run chmod 600 on it, or delete it if its keys may be known`
        await expect(keysOf(file)).rejects.toEqual(new UsageError(told))
      }
      expect(readFileSync(keys, 'utf8')).toBe(drawn)
    })
  },
)

test.skipIf(process.platform === 'win32')('a key file that its operator made is held to the same mode', async () => {
  await inFolder(async (file) => {
    writeFileSync(`${file}.keys`, `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o644 })
    await expect(keysOf(file)).rejects.toThrow(UsageError)
  })
})
