import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { afterAll, beforeAll, expect, test } from 'vitest'
// @ts-expect-error: dependency-cruiser reads its rules from JavaScript
import config from '../.dependency-cruiser.mjs'

// `npm run lint` holds the rules against src/. Here each is held against a small tree that breaks it.

const PLANTED: Readonly<Record<string, string>> = {
  'index.ts': `import './core/translate/translate.ts'; import './helpers/misc.ts'; import './cli/main.ts'; import './judge/conformance/check.ts'`,
  'cli/main.ts': `import '../endpoint/respond/respond.ts'`,
  'core/translate/translate.ts': `import type { Item } from '../items/item.ts'; const load = () => import('../tokens/table.ts')`,
  'core/items/item.ts': `export type { State } from '../completion/end.ts'`,
  'core/completion/end.ts': 'export interface State {}',
  'core/tokens/table.ts': `import { readFileSync } from 'node:fs'; import '../harmony/parser.ts'`,
  'core/harmony/parser.ts': `import { now } from '../../shared/system/clock.ts'; import '../sse/decode.ts'`,
  'core/sse/decode.ts': `import 'zod'; import 'eventsource-parser'`,
  'shared/system/clock.ts': `import 'node:module'; export const now = 1`,
  'dialects/chat.ts': `import type { Engine } from '../engines/contract/engine.ts'`,
  'engines/contract/engine.ts': 'export interface Engine {}',
  'endpoint/respond/respond.ts': `import './opening/open.ts'; import './other/lost.ts'; import '../../dialects/chat.ts'`,
  'endpoint/respond/opening/open.ts': `import '../calls/run.ts'; import '../respond.ts'`,
  'endpoint/respond/calls/run.ts': `import type { Opened } from '../opening/open.ts'`,
  'endpoint/respond/other/lost.ts': '',
  'judge/conformance/check.ts': `import '../../core/translate/translate.ts'; import '../../core/responses/events.ts'`,
  'core/responses/events.ts': '',
  'core/tokens/forgotten.ts': '',
  'helpers/misc.ts': '',
}

let root = ''
let found: readonly string[] = []

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'layers-'))
  for (const [path, text] of Object.entries(PLANTED)) {
    const file = join(root, 'src', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const name of ['zod', 'eventsource-parser']) {
    mkdirSync(join(root, 'node_modules', name), { recursive: true })
    writeFileSync(join(root, 'node_modules', name, 'index.js'), '')
  }
  const { forbidden, options } = config
  const { tsConfig: _, ...others } = options
  const { output } = await cruise(['src'], { ...others, baseDir: root, validate: true, ruleSet: { forbidden } })
  const { violations } = (output as ICruiseResult).summary
  found = violations.map(({ rule, from, to }) => `${rule.name}: ${short(from)} -> ${short(to)}`)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

const short = (path: string): string => path.replace(/^src\//, '').replace(/^node_modules\/([^/]+).*/, '$1')
/** What a rule reports of the tree, by the beginning of its name. */
const reported = (rule: string): string[] =>
  found.filter((line) => line.startsWith(rule)).map((line) => line.slice(line.lastIndexOf(': ') + 2))

test('an import of a layer above is reported, of types, too', () => {
  expect(reported('core: items imports only')).toEqual(['core/items/item.ts -> core/completion/end.ts'])
  expect(reported('core: tokens imports only')).toEqual(['core/tokens/table.ts -> core/harmony/parser.ts'])
  expect(reported('endpoint/respond: calls imports only')).toEqual([
    'endpoint/respond/calls/run.ts -> endpoint/respond/opening/open.ts',
  ])
})

test('an import of a neighbour on the same line is reported', () => {
  expect(reported('src: dialects imports only')).toEqual(['dialects/chat.ts -> engines/contract/engine.ts'])
  expect(reported('core: harmony imports only')).toEqual(['core/harmony/parser.ts -> core/sse/decode.ts'])
})

test('a file outside of every layer is reported', () => {
  expect(reported('src: each file stands')).toEqual(['index.ts -> helpers/misc.ts'])
  expect(reported('endpoint/respond: each file stands')).toEqual([
    'endpoint/respond/respond.ts -> endpoint/respond/other/lost.ts',
  ])
})

test('the judge may know the types of the wire, and not the translator', () => {
  expect(reported('the judge knows')).toEqual(['judge/conformance/check.ts -> core/translate/translate.ts'])
})

test('a circle of imports is reported, though a part of it is of types alone', () => {
  expect(reported('no file imports itself').length).toBeGreaterThan(0)
})

test('a file that no entry of the package leads to is reported', () => {
  expect(reported('each file is reachable')).toContain('core/tokens/forgotten.ts -> core/tokens/forgotten.ts')
})

test('a package, a module of Node or of the system is reported in pure code', () => {
  expect(reported('pure code imports no package')).toEqual(['core/tokens/table.ts -> fs'])
  expect(reported('core/sse/decode.ts imports no package')).toEqual(['core/sse/decode.ts -> zod'])
  expect(reported('pure code imports nothing of the system')).toEqual([
    'core/harmony/parser.ts -> shared/system/clock.ts',
  ])
})
