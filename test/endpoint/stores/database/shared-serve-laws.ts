import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SEAL } from './checkout-and-server.js'
import { continuesElsewhere, refused, serve } from './served.js'

/** A kind of store behind a URL that `serve` takes. */
export interface UrlKind {
  /** A built checkout. */
  readonly folder: string
  /** The address of a server, with its password. */
  readonly server: { readonly url: string; readonly port: number; readonly password: string }
  /** What a start says that keeps responses there, after `keeps responses in `. */
  readonly shown: string
}

/** What is wrong with a start: its variables, what it says, and its other options. */
export type Refusals = Readonly<
  Record<string, readonly [change: (url: string) => NodeJS.ProcessEnv, said: string, options?: readonly string[]]>
>

/**
 * What `serve` does with every store behind a URL.
 *
 * @param name - as in `a shared Postgres`
 * @param refusals - by what is wrong
 * @param prepare - makes what is wrong on the server
 */
export function sharedServeLaws(
  name: string,
  kind: () => UrlKind,
  refusals: Refusals,
  prepare: (what: string) => Promise<void>,
): void {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    `a response of ${name} continues in another process after %s, and its client misses no event`,
    async (signal) => {
      const { folder, server, shown } = kind()
      const env = { ...SEAL, HARMONY_RESPONSES_STORE: server.url }
      const { first, second } = await continuesElsewhere(folder, [], signal, env)
      const metrics = await (await fetch(`${second.url}/metrics`)).text()
      expect(second.banner).toContain(`keeps responses in ${shown}`)
      const printed = [first.banner, second.banner, metrics, first.errors, await second.kill('SIGTERM')].join('\n')
      expect(metrics).toContain('responses')
      expect(printed).not.toContain(server.password)
    },
  )

  test(`a password of ${name} on the command line is told once, and one in the environment or in a file is not`, async () => {
    const { folder, server } = kind()
    const told = 'other users of this machine see its password'
    const script = join(folder, 'script.json')
    writeFileSync(script, JSON.stringify([[{ answer: 'Hi!' }]]))
    const shown = await serve(folder, ['--script', script, '--store', server.url], SEAL)
    expect((await shown.kill('SIGTERM')).split(told).length - 1).toBe(1)
    const file = join(folder, 'store.txt')
    writeFileSync(file, `${server.url}\n`)
    const hidden = await serve(folder, ['--script', script, '--durability', 'power'], {
      ...SEAL,
      HARMONY_RESPONSES_STORE_FILE: file,
    })
    expect(await hidden.kill('SIGTERM')).not.toContain(told)
  })

  test.each(Object.keys(refusals))(
    `a start on ${name} is refused by one line and exit 2, without a credential, if %s`,
    async (what) => {
      const { folder, server } = kind()
      await prepare(what)
      const [change, said, options = []] = refusals[what] as Refusals[string]
      const [code, lines] = await refused(folder, ['--replay', ...options], { ...SEAL, ...change(server.url) })
      expect(lines, lines.join('\n')).toEqual([expect.stringContaining(said)])
      expect(lines.join()).not.toMatch(/swordfish|hunter2/)
      expect(code).toBe(2)
    },
  )
}
