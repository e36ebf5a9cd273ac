import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Checkout, createCheckout } from '../../docs/checkout.js'

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

describe.skipIf(process.platform === 'win32')('the process of serve', () => {
  let checkout: Checkout
  const running = new Set<ChildProcess>()
  beforeAll(async () => {
    checkout = await createCheckout()
    writeFileSync(join(checkout.folder, 'turns.json'), '[{"answer":"Hi"}]')
    return () => checkout.remove()
  })
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL')
  })

  /** Starts a program that runs `serve`. Returns it with the first line of what `serve` prints. */
  async function start(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn(program, args, {
      cwd: checkout.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    const errors = createInterface(child.stderr)[Symbol.asyncIterator]()
    let banner = ''
    for await (const line of createInterface(child.stdout)) {
      banner += `${line}\n`
      if (line.includes('Ctrl-C')) break
    }
    const [, url = ''] = /listens on (\S+)\/v1/.exec(banner) ?? []
    expect(url, banner).not.toBe('')
    return { child, banner, url, nextError: async () => String((await errors.next()).value) }
  }

  const COMMAND = [process.execPath, 'dist/cli/main.js', 'serve', '--script', 'turns.json', '--port', '0'] as const

  test('reads its keys again at SIGHUP under nohup, and goes on', async () => {
    const [old, next] = ['a-key-before-sighup', 'a-key-after-sighup']
    const file = join(checkout.folder, 'key')
    writeFileSync(file, old)
    const { child, url, nextError } = await start('nohup', COMMAND, { HARMONY_RESPONSES_API_KEY_FILE: file })
    const statusOf = async (key: string): Promise<number> =>
      (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status
    expect([await statusOf(old), await statusOf(next)]).toEqual([200, 401])
    // The first line of nohup may be its own.
    const read = async (): Promise<string> => {
      for (;;) {
        const line = await nextError()
        if (line.includes('keys')) return line
      }
    }
    writeFileSync(file, next)
    child.kill('SIGHUP')
    expect(await read()).toMatch(/keys read again {2}HARMONY_RESPONSES_API_KEY_FILE 1 key$/)
    expect([await statusOf(old), await statusOf(next)]).toEqual([401, 200])
    writeFileSync(file, '')
    child.kill('SIGHUP')
    expect(await read()).toMatch(/keys not read again {2}HARMONY_RESPONSES_API_KEY_FILE: expected a file that is not/)
    expect(await statusOf(next)).toBe(200)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  test.skipIf(!hasScript)(
    `stops when its terminal is closed, which sends SIGHUP, too${hasScript ? '' : ' (skipped: no util-linux script)'}`,
    async () => {
      const pidFile = join(checkout.folder, 'pid')
      const command = `echo $$ > ${pidFile}; exec ${COMMAND.join(' ')}`
      const { child } = await start('script', ['-q', '-e', '-c', command, '/dev/null'], { SHELL: '/bin/sh' })
      const pid = Number(readFileSync(pidFile, 'utf8'))
      expect(isRunning(pid)).toBe(true)
      // Without its other end, the terminal is closed.
      child.kill('SIGKILL')
      while (isRunning(pid)) await sleep(20)
    },
  )
})

function isRunning(pid: number): boolean {
  try {
    // A process that has ended and was not waited for has no command line any more.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
  } catch {
    return false
  }
}
