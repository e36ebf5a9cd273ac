import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { filePieces } from '../../src/cli/file-pieces.js'
import { run } from '../../src/cli/run.js'
import { configSchema } from '../../src/cli/serve/config-file.js'
import { readMcpConfig } from '../../src/cli/serve/mcp-config.js'
import type { ResponseObject } from '../../src/core/responses/response.js'
import { type Entry, translateEntries } from '../../src/endpoint/respond/index.js'
import { createSeal, parseSealKeys, unsealInput } from '../../src/endpoint/seal/index.js'
import { readTokenFixture, replay } from '../../src/engines/sources/replay.js'
import { collectResponse, loadTokenTable, Translator, translate } from '../../src/index.js'
import { fakeIo, realFolder } from '../cli/io.js'
import { refusal, serve } from '../cli/served.js'
import { withEchoesSince } from '../core/translate/snapshots/echoes-since.js'

/*
 * What users have on their disks, as commit 960f501a wrote or read it: fixtures of the package with their events, recordings
 * of `serve --record` and of `record`, captured streams of its three APIs, entries, sealed reasoning, and all files that
 * `serve` reads. Snapshots of that version are in test/core/translate/snapshots/, its database in
 * test/endpoint/stores/sqlite/earlier/, the schemas of its corpus are held by test/cli/corpus.test.ts.
 */
const folder = fileURLToPath(new URL('960f501a/', import.meta.url))
const textOf = (file: string): string => readFileSync(folder + file, 'utf8')
const jsonOf = (file: string) => JSON.parse(textOf(file))
const filesIn = (name: string, ending: string): string[] =>
  readdirSync(folder + name)
    .filter((file) => file.endsWith(ending))
    .map((file) => `${name}/${file}`)

const fixtures = filesIn('fixtures', '.json')
const recordings = [...filesIn('recordings', '.json'), 'recorded-by-record.json']

/** Runs a command that must succeed, and returns what it prints. */
async function output(...args: readonly string[]): Promise<string> {
  const io = Object.assign(realFolder(), { pieces: filePieces })
  expect([await run(args, io), io.err]).toEqual([0, ''])
  return io.out
}

describe.each(fixtures)('%s', (file) => {
  test('gives the events that it gave, with the echoes that came since', async () => {
    const events = textOf(file.replace('.json', '.events.jsonl')).trimEnd().split('\n')
    const expected = events.map((line) => `${JSON.stringify(withEchoesSince(JSON.parse(line)))}\n`).join('')
    expect(await output('replay', folder + file)).toBe(expected)
  })

  test('has events that the judge finds as right as it did', async () => {
    const events = folder + file.replace('.json', '.events.jsonl')
    expect(await output('check', events)).toMatch(/ 0 violations, 0 warnings/)
    expect(await output('explain', events)).not.toBe('')
  })
})

describe.each([...fixtures, ...recordings])('the fixture %s', (file) => {
  test('is read without a loss', () => {
    const { deltas: _, ...given } = jsonOf(file)
    expect(readTokenFixture(textOf(file))).toEqual(given)
  })
})

test('a recording of record() is translated to the same answer', async () => {
  const fixture = readTokenFixture(textOf('recorded-by-record.json'))
  const response = await collectResponse(translate(replay(fixture), { request: fixture.request ?? {} }))
  expect(response.output.map((item) => ('content' in item ? item.content : undefined))).toMatchObject([
    [{ text: 'Hm.' }],
    [{ text: 'Hello!' }],
  ])
})

test('serve --replay plays the recordings of its folder', async () => {
  const { io } = await serve(['--replay', `${folder}recordings/`])
  expect(io.out).toContain('plays 4 recordings')
  const printed = await output('replay', `${folder}${recordings[0]}`)
  expect(printed.trimEnd().split('\n').at(-1)).toContain('2 + 2 = 4.')
})

test.each([
  ['call.sse', 'openai'],
  ['chat.sse', 'chat:openai'],
  ['messages.sse', 'messages:anthropic'],
])('the captured stream %s is as right as it was', async (file, profile) => {
  expect(await output('check', '--profile', profile, `${folder}streams/${file}`)).toMatch(/ 0 violations, 0 warnings/)
})

describe('entries', () => {
  test('are of a behaviour that only their version has, and are refused by one line', async () => {
    const { entries } = jsonOf('entries.json') as { readonly entries: readonly Entry[] }
    const translation = translateEntries({ tokenTable: await loadTokenTable() })
    const message = expect.stringMatching(/^entries: expected entries of behaviour \d+, got 3$/)
    expect(errorOf(() => translation.apply(entries[0] as Entry))).toMatchObject({ code: 'bad_option', message })
    expect(translation.response).toBeUndefined()
  })
})

test('sealed reasoning opens with its key', () => {
  const { request, response } = jsonOf('sealed.json') as { request: { input: string }; response: ResponseObject }
  const seal = createSeal(parseSealKeys(textOf('serve/seal-keys.txt')))
  const input = [{ role: 'user' as const, content: request.input }, ...response.output] as never
  expect(unsealInput(input, { seal, caller: 'ann' }).history).toMatchObject([{ text: 'I add.' }])
})

describe('the files of serve', () => {
  /** A copy, in which the paths of the configuration lead to the copies. */
  function copied(): string {
    const copy = mkdtempSync(join(tmpdir(), 'earlier-'))
    onTestFinished(() => rmSync(copy, { recursive: true }))
    cpSync(`${folder}serve`, copy, { recursive: true })
    const FILES = ['script', 'api-keys', 'seal-keys', 'instructions', 'mcp-config', 'record', 'audit']
    const options = Object.entries(jsonOf('serve/serve.json')).map(([name, value]) =>
      FILES.includes(name) ? [name, join(copy, value as string)] : [name, value],
    )
    writeFileSync(join(copy, 'serve.json'), JSON.stringify(Object.fromEntries(options)))
    return copy
  }

  test('start it, and mean what they meant: keys, seal keys, a script, a configuration', async () => {
    const { url, io } = await serve(['--config', join(copied(), 'serve.json')])
    const { request, response } = jsonOf('sealed.json')
    const ask = async (body: object, key: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const answer = await fetch(`${url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: answer.status, body: (await answer.json()) as ResponseObject }
    }
    expect((await ask(request, 'another-key-0123456789')).status).toBe(401)
    const first = await ask(request, 'a-key-of-ann-alone')
    const contents = (output: ResponseObject['output']) =>
      output.map((item) => ('content' in item ? item.content : null))
    expect(contents(first.body.output)).toEqual(contents(response.output))
    const input = [
      { role: 'user', content: request.input },
      ...response.output,
      { role: 'user', content: 'And 3 + 3?' },
    ]
    const next = await ask({ ...request, input }, 'a-key-of-ann-alone')
    expect(next.status).toBe(200)
    expect(next.body.output.map(({ type }) => type)).toContain('function_call')
    expect(io.err).toContain('"event":"request"')
  })

  test.each(['mcp.json', 'mcp.toml'])('%s names the same MCP servers', async (file) => {
    const io = realFolder()
    const config = { command: 'node', args: ['docs.mjs'], env: { A: 'x' } }
    expect(await readMcpConfig(`${folder}serve/${file}`, io)).toEqual(
      file === 'mcp.json' ? [{ label: 'docs', config }] : [],
    )
    expect(io.err).toBe('')
  })

  test('may have every option and value that a configuration could have', () => {
    expect(lacking(jsonOf('serve-config.schema.json'), configSchema())).toEqual([
      // That version took a context of one token, and refused the other values, too, but its schema did not say so.
      '/properties/context-size/minimum: 1 is 2',
      '/properties/on-disconnect/anyOf/1/maximum: 9007199254740991 is 86400',
      '/properties/delay/maximum: 9007199254740991 is 10000',
    ])
  })
})

describe('a file of a newer version is refused by one line, and stays as it is:', () => {
  /** A folder with a fixture of the next version. */
  function newer(): string {
    const made = mkdtempSync(join(tmpdir(), 'newer-'))
    onTestFinished(() => rmSync(made, { recursive: true }))
    mkdirSync(join(made, 'recordings'))
    const fixture = { ...jsonOf(recordings[0] as string), version: 2, tokens: { packed: 'Zm9v' } }
    writeFileSync(join(made, 'recordings', 'new.json'), JSON.stringify(fixture))
    return join(made, 'recordings', 'new.json')
  }
  const SAID = 'version: expected 1, got 2'

  test('a fixture, by replay and by serve --replay', async () => {
    const file = newer()
    const before = [readFileSync(file), statSync(file).mtimeMs]
    const io = realFolder()
    expect(await run(['replay', file], io)).toBe(1)
    expect([io.out, io.err]).toEqual(['', `harmony-responses: ${file}: ${SAID}\n`])
    expect(await refusal(['--replay', file])).toEqual([2, `${file}: ${SAID}`])
    expect(await refusal(['--replay', join(file, '..')])).toEqual([2, `${join(file, '..')}/new.json: ${SAID}`])
    expect([readFileSync(file), statSync(file).mtimeMs]).toEqual(before)
    expect(readdirSync(join(file, '..'))).toEqual([basename(file)])
  })

  test('a snapshot', async () => {
    const snapshot = { ...new Translator({}).snapshot(), version: 2 } as never
    const error = errorOf(() => Translator.restore(snapshot, {}))
    expect(error).toMatchObject({ code: 'bad_snapshot', message: 'snapshot.version: expected 1, got 2' })
  })

  test('a configuration with an option that is not known here', async () => {
    const file = 'serve.json'
    const io = fakeIo({ [file]: JSON.stringify({ replay: true, 'next-option': 1 }) })
    expect(await run(['serve', '--config', file], io)).toBe(2)
    expect(io.err).toBe('harmony-responses: --config serve.json: expected an option of serve, got "next-option"\n')
    expect(io.written).toEqual({})
  })
})

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

/** Names what a schema allows and another one does not: properties, and the values of enumerations. */
function lacking(earlier: object, now: unknown, path = ''): string[] {
  return Object.entries(earlier).flatMap(([name, value]) => {
    const found = (Object(now) as Record<string, unknown>)[name]
    const at = `${path}/${name}`
    if (name === 'description' || name === 'title' || name === '$schema') return []
    if (name === 'enum')
      return (value as unknown[]).filter((each) => !(found as unknown[])?.includes(each)).map((each) => `${at}/${each}`)
    if (typeof value === 'object' && value !== null) return lacking(value, found, at)
    return value === found ? [] : [`${at}: ${value} is ${found}`]
  })
}
