import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { toDialect, vllm } from '../../src/dialects/index.js'
import { readTokenFixture } from '../../src/sources/token-fixture.js'
import { tokenTable } from '../laws/streams.js'
import { describeWithShared, sharedFolder } from '../support/shared-data.js'
import { callTo, createRun, messageOn } from '../translate/run.js'

type Fields = Record<string, unknown>

async function mapped(events: Parameters<typeof toDialect>[0]): Promise<Fields[]> {
  const all: Fields[] = []
  for await (const event of toDialect(events, vllm)) all.push(event)
  return all
}

const python = { tools: [{ type: 'mcp', server_label: 'code_interpreter', require_approval: 'never' }] }

test('in the vllm dialect, parts of raw reasoning have events of their own', async () => {
  const run = createRun()
  run.push(messageOn('analysis', 'Hm<|end|>'))
  run.end('stop')
  const events = await mapped(run.events)
  expect(events.map(({ type }) => type).slice(2, -1)).toEqual([
    'response.output_item.added',
    'response.reasoning_part.added',
    'response.reasoning_text.delta',
    'response.reasoning_text.done',
    'response.reasoning_part.done',
    'response.output_item.done',
  ])
  expect(events[2]).toMatchObject({ item: { content: null, encrypted_content: null, summary: [] } })
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
 * Every difference between vLLM's own events of the captured run and ours of the same tokens. docs/dialects.md has the
 * table: a row for each `row`. Whatever differs and is in no line here fails the test, and so does a line that nothing
 * needs.
 */
const DIFFERENCES: readonly { readonly row: string; readonly at: RegExp }[] = [
  { row: 'ids', at: /(^|\.)(item_)?id$/ },
  { row: '`content_index`', at: /\.done\.content_index$/ },
  { row: '`call_id` of an `mcp_call`', at: /\.item\.call_id$/ },
  { row: '`output` of an `mcp_call`', at: /^output_item\.done\.item\.output$/ },
  { row: '`phase`', at: /^output_item\.(added|done)\.item\.phase$/ },
  { row: '`response.output`', at: /^completed\.response\.output\./ },
  { row: '`output_messages`', at: /^completed\.response\.output_messages\./ },
  { row: '`reasoning_tokens`', at: /\.reasoning_tokens$/ },
  { row: '`tool_output_tokens`', at: /\.tool_output_tokens(_per_turn\.\d+)?$/ },
  { row: 'input tokens', at: /\.(input|cached|total)_tokens(_per_turn\.\d+)?$/ },
  { row: '`input_messages`', at: /^completed\.response\.input_messages\./ },
  { row: '`created_at`', at: /\.created_at$/ },
  { row: '`max_output_tokens`', at: /\.max_output_tokens$/ },
  { row: 'tools', at: /\.response\.tools\.\d+\./ },
  { row: 'fields of the response', at: /^(created|in_progress|completed)\.response\.\w+(\.\w+)?$/ },
]

describeWithShared("beside vLLM's own events of the captured run", () => {
  const read = (name: string): string =>
    readFileSync(`${sharedFolder()}/data/captured/vllm/vllm-pr-28034.${name}`, 'utf8')
  const theirs = (): Fields[] =>
    read('events.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const ours = (): Promise<Fields[]> => {
    const { request, tokens } = readTokenFixture(read('tokens.json'))
    const run = createRun({
      request: request ?? {},
      policy: 'vllm',
      responseMessages: true,
      tokenTable,
      usageByTurn: true,
      usage: { inputTokens: 177 },
    })
    run.push(...tokens)
    run.end('stop')
    return mapped(JSON.parse(JSON.stringify(run.events)))
  }

  test("our events are the same in type, text and nesting as vLLM's own of the captured run", async () => {
    const shape = (events: readonly Fields[]): unknown[] =>
      events.map(({ type, output_index, delta, text, arguments: args, part, name }) => {
        const { text: whole, type: kind } = (part ?? {}) as Fields
        return { type, output_index, delta, text, args, whole, kind, name }
      })
    expect(shape(await ours())).toEqual(shape(theirs()))
  })

  test("every difference from vLLM's own events is in the table, and every line of the table is needed", async () => {
    const found = new Set<string>()
    const events = theirs()
    for (const [index, event] of (await ours()).entries()) {
      const path = String(event['type']).replace('response.', '')
      for (const at of differences(event, events[index], path)) found.add(at)
    }
    const rowOf = (at: string): string => DIFFERENCES.find((line) => line.at.test(at))?.row ?? `none for ${at}`
    expect(new Set([...found].map(rowOf))).toEqual(new Set(DIFFERENCES.map(({ row }) => row)))
  })
})

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
