import { describe, expect, test } from 'vitest'
import { run } from '../../src/cli/run.js'
import { fakeIo } from './io.js'

/** What the command prints as errors, and its exit code. */
async function refused(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const io = Object.assign(fakeIo(), { env })
  const code = await run(['store', ...args], io)
  return [code, io.err]
}

describe('store', () => {
  test.each<[string, readonly string[], string]>([
    ['no action', [], 'store: expected one action, got 0'],
    ['an unknown action', ['vacuum'], 'store: expected one of status, delete-owner, got "vacuum"'],
    ['two actions', ['status', 'delete-owner'], 'store: expected one action, got 2'],
    ['no store', ['status'], 'store status: expected --store STORE, or HARMONY_RESPONSES_STORE'],
    ['no owner to delete', ['delete-owner', '--store', 'a.db'], 'store delete-owner: expected --owner NAME'],
    ['an owner to count', ['status', '--store', 'a.db', '--owner', 'ann'], '--owner: expected only with delete-owner'],
    ['an empty owner', ['delete-owner', '--owner', ''], '--owner: expected NAME, got an empty text'],
    ['a missing file', ['status', '--store', 'no/such.db'], '--store no/such.db: expected a store, got no such file'],
    ['standard input', ['status', '--store', '-'], '--store: expected a file, got "-"'],
    [
      'a scheme that nobody knows',
      ['status', '--store', 'mysql://ann:secret@db/a'],
      '--store: expected a file, postgres://USER:PASSWORD@HOST/DATABASE or redis://USER:PASSWORD@HOST, got mysql://',
    ],
  ])('%s is one line, and exit code 2', async (_, args, line) => {
    expect(await refused(args)).toEqual([2, `harmony-responses: ${line}\n`])
  })

  test.each(['postgres://ann:secret@127.0.0.1:1/responses', 'redis://ann:secret@127.0.0.1:1'])(
    'a server that is not there is one line without the password: %s',
    async (url) => {
      const env = { HARMONY_RESPONSES_STORE: url }
      const [code, line] = await refused(['status'], env)
      expect([code, line]).toEqual([2, expect.stringMatching(/^harmony-responses: HARMONY_RESPONSES_STORE: [^\n]*\n$/)])
      expect(line).not.toContain('secret')
    },
  )
})
