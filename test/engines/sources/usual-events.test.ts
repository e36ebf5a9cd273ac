import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ZodType } from 'zod'
import * as llamaServer from '../../../src/engines/sources/llama-server/completion-event.js'
import * as sglang from '../../../src/engines/sources/sglang/chunk.js'
import * as vllm from '../../../src/engines/sources/vllm/chunk.js'
import { runs } from '../../support/runs.js'

interface Server {
  readonly schema: ZodType
  readonly isUsual: (event: unknown) => boolean
  /** A token as the server sends it. */
  readonly usual: object
}

const captured = (file: string): object => {
  const [, json = ''] = /^data: (.*)$/m.exec(readFileSync(new URL(file, import.meta.url), 'utf8')) ?? []
  return JSON.parse(json)
}

const SERVERS: Readonly<Record<string, Server>> = {
  vLLM: {
    schema: vllm.CHUNK,
    isUsual: vllm.isUsual,
    usual: {
      ...{ id: 'cmpl-1', object: 'text_completion', created: 1_790_000_000, model: 'openai/gpt-oss-20b' },
      choices: [{ index: 0, text: ' a', logprobs: null, finish_reason: null, stop_reason: null, token_ids: [261] }],
      usage: null,
    },
  },
  SGLang: {
    schema: sglang.CHUNK,
    isUsual: sglang.isUsual,
    usual: {
      output_ids: [261],
      meta_info: { id: '1', finish_reason: null, prompt_tokens: 7, completion_tokens: 3, cached_tokens: 0 },
    },
  },
  'llama-server': {
    schema: llamaServer.EVENT,
    isUsual: llamaServer.isUsual,
    usual: captured('llama-server/captured/halves.sse'),
  },
}

const values = fc.oneof(
  fc.constantFrom(null, undefined, true, false, 0, -1, -0, 1.5, 1e300, '', 'x', 'stop', 'limit'),
  fc.constantFrom([], {}, [1], [-1], ['1'], [[1]], [null], { type: 'stop' }, { cache_n: 1 }, { cache_n: 'x' }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** The value with another one in some places, however deep. */
function changed(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) return fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, values)
  const parts = Object.entries(value).map(([name, part]) => fc.tuple(fc.constant(name), changed(part)))
  const isList = Array.isArray(value)
  const whole = fc
    .tuple(fc.tuple(...parts), fc.option(fc.tuple(fc.constantFrom('stop', 'usage', '9'), values), { freq: 8 }))
    .map(([entries, more]) => [...entries, ...(more === null ? [] : [more])])
    .map((entries) => (isList ? entries.map(([, part]) => part) : Object.fromEntries(entries)))
  return fc.oneof({ weight: 12, arbitrary: whole }, values)
}

describe.each(Object.entries(SERVERS))('%s', (_, { schema, isUsual, usual }) => {
  test('a token as the server sends it is usual', () => {
    expect(isUsual(usual)).toBe(true)
  })

  test('the schema accepts every usual event, and changes none of its fields', () => {
    let usuals = 0
    fc.assert(
      fc.property(changed(usual), (event) => {
        if (!isUsual(event)) return
        usuals++
        const { data, error } = schema.safeParse(event)
        expect(error).toBeUndefined()
        expect(event).toMatchObject(data as object)
      }),
      // Few changed events are usual.
      { numRuns: Math.max(runs(20_000), 1000) },
    )
    expect(usuals).toBeGreaterThan(0)
  })
})
