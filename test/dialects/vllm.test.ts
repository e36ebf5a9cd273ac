import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ResponseRequest } from '../../src/core/responses/request.js'
import { fromDialect, toDialect, vllm } from '../../src/dialects/index.js'
import { readTokenFixture } from '../../src/engines/sources/token-fixture.js'
import { callTo, createRun, messageOn } from '../core/translate/run.js'
import {
  splitEmoji as emoji,
  preamble as files,
  plainAnswer as hello,
  longAnswer as months,
  type Turn,
  call as weather,
} from '../engine/scripts.js'
import { tokenTable } from '../laws/streams.js'
import { describeWithShared, sharedFolder } from '../support/shared-data.js'
import { encodeHarmony } from '../support/tokens.js'

type Fields = Record<string, unknown>

async function mapped(events: Parameters<typeof toDialect>[0]): Promise<Fields[]> {
  const all: Fields[] = []
  for await (const event of toDialect(events, vllm)) all.push(event)
  return all
}

const python = { tools: [{ type: 'mcp', server_label: 'code_interpreter', require_approval: 'never' }] }

test('in the vllm dialect, missing values are null: the content of announced reasoning, the namespace of a call', async () => {
  const run = createRun()
  run.push(`${messageOn('analysis', 'Hm<|end|>')}<|start|>assistant${callTo('functions.f', '{}<|call|>')}`)
  run.end('stop')
  const added = (await mapped(run.events)).filter(({ type }) => type === 'response.output_item.added')
  expect(added[0]).toMatchObject({ item: { content: null, encrypted_content: null, summary: [] } })
  expect(added[1]).toMatchObject({ item: { name: 'f', namespace: null, async: null, caller: null } })
})

test('the parts of reasoning of a vLLM before 0.32, which have events of their own, are read', async () => {
  const part = { type: 'reasoning_text', text: 'Hm' }
  const events = ['added', 'done'].map((moment) => ({
    ...{ type: `response.reasoning_part.${moment}`, sequence_number: 0, part },
    ...{ item_id: 'rs_1', output_index: 0, content_index: 0 },
  }))
  const read: string[] = []
  for await (const { type } of fromDialect(events, vllm)) read.push(type)
  expect(read).toEqual(['response.content_part.added', 'response.content_part.done'])
})

test('the last of the arguments comes with the name of the call, a function’s and an MCP tool’s', async () => {
  const run = createRun({ request: python })
  run.push(`${callTo('python', '1<|call|>')}<|start|>assistant${callTo('functions.f', '{}<|call|>')}`)
  run.end('stop')
  const named = (await mapped(run.events)).filter(({ type }) => String(type).endsWith('_arguments.done'))
  expect(named.map(({ name }) => name)).toEqual(['python', 'f'])
})

test('in the vllm dialect, finished text without probabilities has null for them', async () => {
  const run = createRun()
  run.push(messageOn('final', 'Hi<|return|>'))
  run.end('stop')
  const events = await mapped(run.events)
  expect(events.find(({ type }) => type === 'response.content_part.done')).toMatchObject({ part: { logprobs: null } })
  expect(events.find(({ type }) => type === 'response.output_item.done')).toMatchObject({
    item: { content: [{ logprobs: null }] },
  })
})

test('in the vllm dialect, code that is only announced is null', async () => {
  const run = createRun({ request: { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] } })
  run.push(callTo('python', '1<|call|>'))
  run.end('stop')
  const added = (await mapped(run.events)).find(({ type }) => type === 'response.output_item.added')
  expect(added).toMatchObject({ item: { type: 'code_interpreter_call', code: null } })
})

/**
 * Every difference between vLLM 0.32's own events and ours of the same tokens. docs/dialects.md has the table: a row for
 * each `row`. Whatever differs and is in no line here fails the test, and so does a line that nothing needs.
 */
const DIFFERENCES: readonly { readonly row: string; readonly at: RegExp }[] = [
  { row: 'ids', at: /(^|\.)(item_|call_)?id$/ },
  { row: '`phase`', at: /\.phase$/ },
  { row: 'fields of the event in its item', at: /^output_item\.done\.item\.(output_index|sequence_number)$/ },
  { row: 'status of reasoning in the last event', at: /^completed\.response\.output\.\d+\.status$/ },
  { row: '`reasoning_tokens`', at: /\.reasoning_tokens$/ },
  { row: 'input tokens', at: /\.(input|total)_tokens(_per_turn\.\d+)?$/ },
  { row: 'fields of the response', at: /^(created|in_progress|completed)\.response\.\w+$/ },
]

const SAID: Readonly<Record<string, Turn>> = { hello, months, emoji, files, weather }
const recorded = (file: string): Fields[] =>
  readFileSync(`${sharedFolder()}/data/captured/${file}`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const sent = (events: readonly unknown[]): Promise<Fields[]> => mapped(JSON.parse(JSON.stringify(events)))

describeWithShared("beside vLLM's own events", () => {
  test("every difference from vLLM 0.32's own events is in the table, and every line of the table is needed", async () => {
    const found = new Set<string>()
    for (const [name, { answer }] of Object.entries(SAID)) {
      const theirs = recorded(`engines/vllm-0.32-responses/${name}.jsonl`)
      const request = requestOf(theirs[0])
      const run = createRun({ request, tokenTable, usageByTurn: true })
      run.push(...encodeHarmony(answer))
      run.end('stop')
      const ours = await sent(run.events)
      expect(ours.map(({ type }) => type)).toEqual(theirs.map(({ type }) => type))
      for (const [index, event] of ours.entries()) {
        const path = String(event['type']).replace('response.', '')
        for (const at of differences(event, theirs[index], path)) found.add(at)
      }
    }
    const rowOf = (at: string): string => DIFFERENCES.find((line) => line.at.test(at))?.row ?? `none for ${at}`
    expect(new Set([...found].map(rowOf))).toEqual(new Set(DIFFERENCES.map(({ row }) => row)))
  })

  test('our events of a run with a hosted tool are the same in type, text and nesting as those of an older vLLM', async () => {
    const shape = (events: readonly Fields[]): unknown[] =>
      events.map(({ type, output_index, delta, text, arguments: args, part, name }) => {
        const { text: whole, type: kind } = (part ?? {}) as Fields
        const now = String(type).replace('reasoning_part', 'content_part')
        return { type: now, output_index, delta, text, args, whole, kind, name }
      })
    const fixture = readFileSync(`${sharedFolder()}/data/captured/vllm/vllm-pr-28034.tokens.json`, 'utf8')
    const { request = {}, tokens } = readTokenFixture(fixture)
    const run = createRun({ request, policy: 'vllm', tokenTable })
    run.push(...tokens)
    run.end('stop')
    expect(shape(await sent(run.events))).toEqual(shape(recorded('vllm/vllm-pr-28034.events.jsonl')))
  })
})

/** What the request said, as the first event repeats it. */
function requestOf(created: Fields = {}): ResponseRequest {
  const { tools, max_output_tokens } = created['response'] as Pick<ResponseRequest, 'tools' | 'max_output_tokens'>
  return { ...(tools && { tools }), ...(max_output_tokens && { max_output_tokens }) }
}

test('docs/dialects.md names every difference', () => {
  const page = readFileSync(new URL('../../docs/dialects.md', import.meta.url), 'utf8')
  for (const { row } of DIFFERENCES) expect(page).toContain(`| ${row} |`)
})

/** Where two values differ, as paths. */
function differences(a: unknown, b: unknown, path: string): string[] {
  if (Object(a) !== a || Object(b) !== b) return a === b ? [] : [path]
  const [left, right] = [a as Fields, b as Fields]
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].flatMap((key) => differences(left[key], right[key], `${path}.${key}`))
}
