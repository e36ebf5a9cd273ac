import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { root } from '../docs/pages.js'
import { deployFile, settingsOf, skipReason } from './files.js'

/** The directives of the unit's sections, with all values of each. */
function directives(): Readonly<Record<string, readonly string[]>> {
  const lines = deployFile('harmony-responses.service').split('\n')
  const all: Record<string, string[]> = {}
  for (const line of lines.filter((each) => /^\w+=/.test(each))) {
    const at = line.indexOf('=')
    const name = line.slice(0, at)
    all[name] = [...(all[name] ?? []), line.slice(at + 1)]
  }
  return all
}

describe('examples/deploy/harmony-responses.service', () => {
  test('starts the command with options that it has, and a store in the folder of the service', async () => {
    const { ExecStart: [start = ''] = [], StateDirectory } = directives()
    const [, words = ''] = /^\/usr\/bin\/env harmony-responses serve (.+)$/.exec(start) ?? []
    expect(StateDirectory).toEqual(['harmony-responses'])
    const settings = await settingsOf(words.replace(/\$\{STATE_DIRECTORY\}/, '/var/lib/harmony-responses').split(' '))
    expect(settings).toMatchObject({
      store: { text: '/var/lib/harmony-responses/responses.db' },
      vllm: expect.any(String),
      keys: { clients: { file: '/etc/harmony-responses/keys.txt' } },
    })
  })

  test("gives the operator's key as a credential, which the command reads as a file", async () => {
    const { LoadCredential: [credential = ''] = [], Environment: [variable = ''] = [] } = directives()
    const [name = '', value = ''] = variable.split('=')
    expect(value).toBe(`%d/${credential.split(':')[0]}`)
    const settings = await settingsOf(['--replay'], { [name]: value })
    expect(settings.keys.operator).toMatchObject({ file: value })
  })

  test('reloads by the signal at which keys are read again, and lets running responses end', () => {
    const { ExecReload, TimeoutStopSec: [seconds] = [] } = directives()
    expect(ExecReload).toEqual(['/bin/kill -HUP $MAINPID'])
    expect(Number(seconds)).toBeGreaterThan(10)
  })

  const skipped = skipReason('systemd-analyze')
  test.skipIf(skipped !== undefined)(`has no fault that systemd-analyze verify finds${skipped ?? ''}`, () => {
    const unit = `${root}examples/deploy/harmony-responses.service`
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
})
