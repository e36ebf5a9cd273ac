import { readdir, readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { expect, test } from 'vitest'
import { run } from '../../src/cli/run.js'
import { LIMIT_NAMES } from '../../src/cli/serve/limits.js'
import { createPrometheusMetrics } from '../../src/cli/serve/prometheus.js'
import { KEY_VARIABLES } from '../../src/cli/serve/secrets.js'
import { serve } from '../../src/cli/serve-command.js'
import { fakeIo } from '../cli/io.js'
import { blocks, pageOf } from './pages.js'

/** The README's command that starts the endpoint, after it has installed it, and the one that asks it. */
function commands(): string[] {
  const [start = '', ask = ''] = blocks
    .filter(({ page, language }) => page === 'README.md' && language === 'sh')
    .map(({ code }) => code.trim())
  return [start.split('\n').at(-1) ?? '', ask]
}

test("the README's first command prints its second one, which is answered with the recorded stream", async () => {
  const [start = '', ask = ''] = commands()
  const [npx, name, ...args] = start.split(' ')
  expect([npx, name]).toEqual(['npx', 'harmony-responses'])
  let stop = (): void => {}
  let exit: Promise<number> = Promise.resolve(1)
  const out = await new Promise<string>((resolve) => {
    const io = Object.assign(fakeIo(), {
      readFile: (path: string) => readFile(path, 'utf8'),
      readFolder: readdir,
      print: async (text: string) => resolve(text),
      onStop(listener: () => void) {
        stop = listener
        return () => {}
      },
    })
    exit = run([...args, '--port', '0'], io)
  })
  const [, url = ''] = /listens on (\S+)\/v1/.exec(out) ?? []
  const unindented = out.replaceAll(url, 'http://127.0.0.1:8000').replace(/^ {2}/gm, '')
  expect(unindented).toContain(ask)

  const [, path = ''] = /8000(\S+)/.exec(ask) ?? []
  const [, body = ''] = /-d '(.*)'/.exec(ask) ?? []
  const [, header = ''] = /-H '(.*)'/.exec(ask) ?? []
  const headers = Object.fromEntries([header.split(': ')])
  const text = await (await fetch(url + path, { method: 'POST', headers, body })).text()
  expect(text).toContain('"text":"The capital of France is Paris."')
  expect(text).toContain('event: response.completed\n')
  stop()
  expect(await exit).toBe(0)
})

test('docs/serve.md and the help have every option of serve, and no other', () => {
  const options = Object.keys(serve.options).map((name) => `--${name}`)
  const named = (text: string): string[] => [...new Set(text.match(/--[a-z][a-z-]+/g))].toSorted()
  const expected = [...options, '--help'].toSorted()
  expect(named(serve.help)).toEqual(expected)
  expect(named(pageOf('docs/serve.md'))).toEqual(options.toSorted())
})

test('docs/serve.md names every limit, and no other', () => {
  const [, section = ''] = /^## Limits\n([\s\S]*?)^## /m.exec(pageOf('docs/serve.md')) ?? []
  const named = Array.from(section.matchAll(/`(\w+)`/g), ([, name]) => name)
  expect([...new Set(named)].toSorted()).toEqual([...LIMIT_NAMES].toSorted())
})

test('docs/serve.md names every metric, and no other', () => {
  const written = Array.from(
    createPrometheusMetrics()
      .text()
      .matchAll(/^# TYPE (\w+)/gm),
    ([, name]) => name,
  )
  const named = pageOf('docs/serve.md').match(/\bharmony_\w+/g) ?? []
  expect([...new Set(named)].toSorted()).toEqual(written.toSorted())
})

test('the commands of docs/serve.md are ones that the command line takes', () => {
  const blocks = Array.from(pageOf('docs/serve.md').matchAll(/^npx harmony-responses serve(.*)$/gm), ([, args]) => args)
  for (const args of blocks) {
    const words = (args ?? '').trim().split(/\s+/)
    expect(() => parseArgs({ args: words, options: serve.options, allowPositionals: true })).not.toThrow()
  }
  expect(blocks.length).toBeGreaterThan(0)
})

test('docs/serve.md and the list of keys have the same variables', () => {
  const [, section = ''] = pageOf('docs/serve.md').split('\n## Keys in files\n')
  const [own = ''] = section.split('\n## ')
  const named = Array.from(own.matchAll(/^\| .+ \| `(HARMONY_\w+)` \|/gm), ([, name = '']) => name)
  expect(named).toEqual(Object.values(KEY_VARIABLES))
})
