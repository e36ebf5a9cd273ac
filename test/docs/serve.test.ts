import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from '../../src/cli/command.js'
import { DIALECTS } from '../../src/cli/replay.js'
import { run } from '../../src/cli/run.js'
import { ENGINES } from '../../src/cli/serve/engines/index.js'
import { LIMIT_NAMES } from '../../src/cli/serve/limits.js'
import { OPTIONS } from '../../src/cli/serve/options.js'
import { createPrometheusMetrics } from '../../src/cli/serve/prometheus.js'
import { KEY_VARIABLES, STORE_VARIABLE } from '../../src/cli/serve/secrets.js'
import type { ServeOption, Sharing } from '../../src/cli/serve/serve-option.js'
import { workerFamilies } from '../../src/cli/serve/workers/gathered-metrics.js'
import { UNKNOWN_POLICIES } from '../../src/core/diagnostics/unknown-parts.js'
import { ATTACHMENT_POLICIES } from '../../src/endpoint/prompt/attachments.js'
import { PASSED_PATHS } from '../../src/engines/contract/engine-server.js'
import { NAMED_BACKENDS } from '../../src/engines/sources/structured-outputs/backends.js'
import { policies } from '../../src/index.js'
import { fakeIo } from '../cli/io.js'
import { expectGenerated } from './generated.js'
import { optionTable } from './option-table.js'
import { blocks, pageOf } from './pages.js'

/** The README's command that starts the endpoint, and the one that asks it. */
function commands(): string[] {
  return blocks.filter(({ page, language }) => page === 'README.md' && language === 'sh').map(({ code }) => code.trim())
}

test("the README's first command prints its second one, which is answered with the recorded stream", async () => {
  const [start = '', ask = ''] = commands()
  expect(start).toBe('npm start')
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
    exit = run(['serve', '--replay', '--port', '0'], io)
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

function tableOf(isShown: (name: string) => boolean): string {
  return optionTable(Object.fromEntries(Object.entries(OPTIONS).filter(([name]) => isShown(name))))
}

test('docs/serve.md has every engine and every option of serve, as the help says', () => {
  expectGenerated(
    'docs/serve.md',
    'engines',
    tableOf((name) => name in ENGINES),
  )
  expectGenerated(
    'docs/serve.md',
    'options',
    tableOf((name) => !(name in ENGINES)),
  )
  const named = new Set(pageOf('docs/serve.md').match(/--[a-z][a-z-]+/g))
  expect([...named].filter((name) => !(name.slice(2) in OPTIONS))).toEqual([])
})

/** Options by what workers make of them; those with the same words are one row. */
function workersTable(): string {
  const shown = Object.entries<ServeOption>(OPTIONS).filter(
    ([, { workers }]) => workers.is !== 'same' || workers.isRead,
  )
  const texts = shown.map(([name, { workers }]) => [`\`--${name}\``, sharedAs(workers)] as const)
  const rows = [...new Set(texts.map(([, text]) => text))].map((text) => {
    const names = texts.flatMap(([name, each]) => (each === text ? [name] : []))
    return `| ${names.join(', ')} | ${text} |`
  })
  return ['| option | with `--workers` |', '|---|---|', ...rows].join('\n')
}

function sharedAs({ is, about, isRead }: Sharing): string {
  const read = 'each worker reads the file, which cannot be standard input or a pipe'
  const what = { same: read, refused: 'refused', one: 'one for all', each: 'each worker' }[is]
  if (about === undefined) return what
  return `${what}${is === 'each' ? ' ' : ': '}${about}${isRead ? `; ${read}` : ''}`
}

test('docs/serve.md says what workers make of each option', () => {
  expectGenerated('docs/serve.md', 'workers', workersTable())
})

test('the words of options of serve are those that the library knows', () => {
  const { policy, dialect, images, unknown, pass, 'structured-outputs': backend } = OPTIONS
  expect(Object.keys(policy.words)).toEqual(Object.keys(policies))
  expect(Object.keys(dialect.words)).toEqual(DIALECTS)
  expect(Object.keys(images.words)).toEqual(ATTACHMENT_POLICIES)
  expect(Object.keys(unknown.words)).toEqual(UNKNOWN_POLICIES)
  expect(Object.keys(backend.words)).toEqual(NAMED_BACKENDS)
  expect(pass.words).toEqual(PASSED_PATHS)
})

test('docs/serve.md names every limit, and no other', () => {
  const [, section = ''] = /^## Limits\n([\s\S]*?)^## /m.exec(pageOf('docs/serve.md')) ?? []
  const named = Array.from(section.matchAll(/`(\w+)`/g), ([, name]) => name)
  expect([...new Set(named)].toSorted()).toEqual([...LIMIT_NAMES].toSorted())
})

test('docs/serve.md names every metric, and no other', () => {
  const written = [...createPrometheusMetrics().read(), ...workerFamilies(0, 0)].map(({ name }) => name)
  const named = pageOf('docs/serve.md').match(/\bharmony_\w+/g) ?? []
  expect([...new Set(named)].toSorted()).toEqual(written.toSorted())
})

test('the commands of docs/serve.md are ones that the command line takes', () => {
  const blocks = Array.from(pageOf('docs/serve.md').matchAll(/^npx harmony-responses serve(.*)$/gm), ([, args]) => args)
  for (const args of blocks) {
    const words = (args ?? '').trim().split(/\s+/)
    expect(() => parse(words, OPTIONS)).not.toThrow()
  }
  expect(blocks.length).toBeGreaterThan(0)
})

test('docs/serve.md and the list of keys have the same variables', () => {
  const [, section = ''] = pageOf('docs/serve.md').split('\n## Keys in files\n')
  const [own = ''] = section.split('\n## ')
  const named = Array.from(own.matchAll(/^\| .+ \| `(HARMONY_\w+)` \|/gm), ([, name = '']) => name)
  expect(named).toEqual([...Object.values(KEY_VARIABLES), STORE_VARIABLE])
})
