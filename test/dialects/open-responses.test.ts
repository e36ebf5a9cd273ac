import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openResponses, toDialect } from '../../src/dialects/index.js'
import { callTo, createRun, inTurn, messageOn } from '../core/translate/run.js'
import { anyStream, endReason, run } from '../laws/streams.js'
import { runs } from '../support/runs.js'
import { describeWithShared, sharedFolder } from '../support/shared-data.js'

async function mapped(events: Parameters<typeof toDialect>[0]): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = []
  for await (const event of toDialect(events, openResponses)) all.push(event)
  return all
}

const typesOf = (events: readonly Record<string, unknown>[]): unknown[] => events.map(({ type }) => type)

test('raw reasoning has the events that Open Responses gives it', async () => {
  const run = createRun()
  run.push(messageOn('analysis', 'Hm<|end|>'))
  run.end('stop')
  expect(typesOf(await mapped(run.events)).slice(2, -1)).toEqual([
    'response.output_item.added',
    'response.content_part.added',
    'response.reasoning.delta',
    'response.reasoning.done',
    'response.content_part.done',
    'response.output_item.done',
  ])
})

test('what Open Responses does not know has a prefix: events, items and tools', async () => {
  const request = {
    tools: [
      { type: 'mcp', server_label: 'github', require_approval: 'never' },
      { type: 'function', name: 'f' },
    ],
  }
  const run = createRun({ request })
  run.push(inTurn(callTo('github.search', '{}<|call|>'), callTo('functions.f', '{}<|call|>')))
  run.end('stop')
  const events = await mapped(run.events)
  expect(typesOf(events).filter((type) => String(type).includes('mcp'))).toEqual([
    'openai:response.mcp_call.in_progress',
    'openai:response.mcp_call_arguments.delta',
    'openai:response.mcp_call_arguments.done',
  ])
  const { response } = events.at(-1) as { response: Record<'output' | 'tools', { type: string }[]> }
  expect(response.output.map(({ type }) => type)).toEqual(['openai:mcp_call', 'function_call'])
  expect(response.tools.map(({ type }) => type)).toEqual(['openai:mcp', 'function'])
})

describeWithShared('by the schemas of Open Responses', () => {
  interface Schema {
    readonly properties: Record<string, { readonly enum?: readonly string[] }>
    readonly required: readonly string[]
  }
  const schemas = new Map<string, Schema>()
  const file = JSON.parse(readFileSync(`${sharedFolder()}/data/openresponses/streaming-event-schemas.json`, 'utf8'))
  for (const schema of Object.values(file) as Schema[]) {
    for (const type of schema.properties['type']?.enum ?? []) schemas.set(type, schema)
  }

  test('the schemas of Open Responses know every event, with every field that they require, or it has a prefix', async () => {
    await fc.assert(
      fc.asyncProperty(anyStream(), endReason, async ({ chunks, setup }, reason) => {
        for (const event of await mapped(run(chunks, setup, reason).events)) {
          const type = String(event['type'])
          if (type.startsWith('openai:')) continue
          for (const field of schemas.get(type)?.required ?? [`no schema of ${type}`])
            expect(event).toHaveProperty([field])
        }
      }),
      { numRuns: runs(200) },
    )
  })
})

test('an image that the host inserted has the prefix on every event about it', async () => {
  const run = createRun()
  run.insert({ type: 'image_generation_call', status: 'completed', result: 'aGk=' })
  run.end('stop')
  expect(typesOf(await mapped(run.events)).slice(2, -1)).toEqual([
    'response.output_item.added',
    'openai:response.image_generation_call.in_progress',
    'openai:response.image_generation_call.generating',
    'openai:response.image_generation_call.completed',
    'response.output_item.done',
  ])
})
