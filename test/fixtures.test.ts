import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { fixedOptions, printReplay } from '../src/cli/replay.js'
import type { ResponseStreamEvent } from '../src/core/responses/events.js'
import { collectResponse } from '../src/core/translate/collect-response.js'
import { type FixtureChunk, parseTokenFixture } from '../src/engines/sources/replay.js'
import { translate } from '../src/index.js'

const folder = fileURLToPath(new URL('../fixtures/', import.meta.url))
const names = readdirSync(folder).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? [])
const screen = { columns: 120, hasColors: false }

const read = (file: string): string => readFileSync(folder + file, 'utf8')
const readJson = (name: string) => JSON.parse(read(`${name}.json`))
const expectedEvents = (name: string): ResponseStreamEvent[] =>
  read(`${name}.events.jsonl`)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The same stream in as few chunks as there can be: a new one only where host text starts or the form changes. */
function joined(chunks: readonly FixtureChunk[]): FixtureChunk[] {
  const out: FixtureChunk[] = []
  for (const chunk of chunks) {
    const last = out.at(-1)
    if (typeof chunk === 'string' && typeof last === 'string') out[out.length - 1] = last + chunk
    else if (typeof chunk === 'string' || (typeof chunk === 'object' && 'host' in chunk)) out.push(chunk)
    else if (Array.isArray(last)) last.push(...[chunk].flat())
    else out.push([chunk].flat())
  }
  return out
}

describe.each(names)('the fixture %s', (name) => {
  test('the fixture gives exactly its expected events, cut as it was captured', async () => {
    const lines: string[] = []
    for await (const text of printReplay(parseTokenFixture(readJson(name)), 'jsonl', {}, screen)) lines.push(text)
    expect(lines.join('')).toBe(read(`${name}.events.jsonl`))
  })

  test('the fixture gives the same items and the same response in as few chunks as there can be', async () => {
    const fixture = parseTokenFixture(readJson(name))
    const source = function* () {
      yield* joined(fixture.tokens)
      return fixture.end
    }
    const response = await collectResponse(translate(source(), fixedOptions(fixture)))
    expect(response).toEqual(await collectResponse(expectedEvents(name)))
  })

  test('the fixture is named as its file, and README.md says what it shows', () => {
    expect(readJson(name).name).toBe(name)
    expect(read('README.md')).toContain(`| \`${name}.json\` |`)
  })
})

test('every file of expected events belongs to a fixture', () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.events.jsonl'))
  expect(files).toEqual(names.map((name) => `${name}.events.jsonl`))
})

test('no fixture holds a secret of an MCP server', () => {
  for (const name of names) {
    for (const tool of readJson(name).request.tools ?? []) {
      expect(tool.headers ?? null).toBeNull()
      expect(tool).not.toHaveProperty('authorization')
    }
  }
})

test('the run captured from vLLM gives the very deltas that vLLM sent', () => {
  const deltas = expectedEvents('vllm-mcp-python').flatMap((event) =>
    'delta' in event ? [[event.type, event.delta]] : [],
  )
  expect(deltas).toEqual(readJson('vllm-mcp-python').deltas)
})
