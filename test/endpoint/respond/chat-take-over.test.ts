import { expect, test } from 'vitest'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseUsage } from '../../../src/core/responses/response.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { type RespondOptions, respond } from '../../../src/endpoint/respond/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { ends, piece, say, think } from '../../engines/sources/chat/chunks.js'
import { type ChatTurn, chatEngine } from '../../support/chat-server.js'
import { DEATH, dyingEngine } from '../../support/dying-engine.js'

const tokenTable = await loadTokenTable()
const python: Tool = {
  answers: ({ type }) => type === 'code_interpreter_call',
  isRepeatable: () => true,
  run: async () => ({ output: '4' }),
}
/** The limit is in the server's tokens, of which the answer has fewer than it has ids. */
const request = {
  max_output_tokens: 40,
  input: 'What is 2+2?',
  tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
} as never
const COUNTS = { choices: [], usage: { prompt_tokens: 30, completion_tokens: 10 } }
const ANSWER = 'It is four, as you can see, and that is certain. '.repeat(10)
const pieces = Array.from({ length: 10 }, (_, nth) => ANSWER.slice(nth * 49, (nth + 1) * 49))

/** A server that continues a beginning, and plays the rest by what it is told. */
const plays: ChatTurn = ({ messages }) => {
  const last = messages.at(-1)
  if (last.role === 'assistant') return [say(ANSWER.slice(last.content.length)), ends('stop'), COUNTS]
  if (last.role === 'tool') return [think('I have it.'), ...pieces.map(say), ends('stop'), COUNTS]
  return [
    think('I compute it.'),
    piece(0, '{"code":"', { id: 'a', name: 'python' }),
    piece(0, '2+2"}'),
    ends('tool_calls'),
    COUNTS,
  ]
}

async function run(options: Partial<RespondOptions>) {
  const entries: Entry[] = []
  const errors: unknown[] = []
  let output: readonly OutputItem[] = []
  let ending = ''
  let usage: ResponseUsage | null | undefined
  for await (const events of respond(request, {
    ...{ engine: chatEngine([plays], { preset: 'vllm' }), tokenTable, tools: [python], responseId: 'resp_1' },
    clock: () => 1_800_000_000,
    append: async (batch) => void entries.push(...batch),
    onError: (error) => void errors.push(error),
    ...options,
  })) {
    for (const event of events) {
      if ('response' in event) output = event.response.output
      ending = event.type
    }
  }
  return { entries, errors, output, ending, usage }
}

/** Where a process may die: the entries, with the last one whole. */
const whole = await run({})
const places = whole.entries.map((_, at) => at + 1).filter((at) => at < whole.entries.length)
const textOf = (output: readonly OutputItem[]): string =>
  output.flatMap((item) => (item.type === 'message' ? item.content.map(({ text }) => text) : [])).join('')
const isHalfCall = (entries: readonly Entry[]): boolean => {
  const last = entries.at(-1)
  return last?.type === 'chunk' && entries.filter(({ type }) => type === 'turn').length === 1 && entries.length > 3
}

test('the response has a call, its result and an answer', () => {
  expect([whole.ending, textOf(whole.output)]).toEqual(['response.completed', ANSWER])
  expect(places.length).toBeGreaterThan(12)
})

test.each(places)(
  'where the server continues a beginning, another process completes it after %i entries',
  async (at) => {
    const entries = whole.entries.slice(0, at)
    const { ending, output, errors } = await run({ entries })
    if (ending === 'response.failed') {
      expect(isHalfCall(entries)).toBe(true)
      expect(String(errors)).toContain('cannot continue the middle of a call')
    } else expect([ending, textOf(output)]).toEqual(['response.completed', ANSWER])
  },
)

test.each(places)('elsewhere it completes the response, or fails it in one event, after %i entries', async (at) => {
  const entries = whole.entries.slice(0, at)
  const { ending, output, errors } = await run({ entries, engine: chatEngine([plays]) })
  if (ending === 'response.completed') expect(textOf(output)).toBe(ANSWER)
  else expect([ending, String(errors)]).toEqual(['response.failed', expect.stringMatching(/cannot continue/)])
})

test('an engine of token ids does not continue it, nor the other way round', async () => {
  const ids = scriptedEngine([answer('Hi')], { tokenTable })
  const entries = whole.entries.slice(0, 3)
  const { ending, errors } = await run({ entries, engine: ids })
  expect([ending, String(errors)]).toEqual([
    'response.failed',
    expect.stringContaining('one of the kind that began the response'),
  ])
  const other = await run({ engine: ids })
  const back = await run({ entries: other.entries.slice(0, 3) })
  expect([back.ending, String(back.errors)]).toEqual([
    'response.failed',
    expect.stringContaining('one of the kind that began the response'),
  ])
})

/** The steps of a whole response, after each of which its server may die. */
const healthy = dyingEngine(chatEngine([plays], { preset: 'vllm' }))
await run({ engine: healthy })
const deaths = Array.from({ length: healthy.steps - 1 }, (_, at) => at + 1)

/** A response whose server dies once, and is asked again. */
async function died(at: number, preset: 'vllm' | undefined) {
  const engine = dyingEngine(chatEngine([plays], preset === undefined ? {} : { preset }), [at])
  return await run({ engine, delay: async () => {}, onDiagnostic: () => {} })
}

test.each(deaths)(
  'a server that continues a beginning and dies after %i steps is asked again, but not in a call',
  async (at) => {
    const { ending, output, entries, usage } = await died(at, 'vllm')
    if (ending === 'response.failed') expect(isHalfCall(entries.slice(0, -1))).toBe(true)
    else {
      expect([ending, textOf(output)]).toEqual(['response.completed', ANSWER])
      // The call that died has no counts: the server's own are those of the call that ended.
      expect(usage?.input_tokens).toBe(whole.usage?.input_tokens)
    }
  },
)

test.each(deaths)(
  'a server that begins another message and dies after %i steps is asked again before an answer',
  async (at) => {
    const { ending, output, errors } = await died(at, undefined)
    expect(errors).toEqual([DEATH])
    if (ending === 'response.completed') expect(textOf(output)).toBe(ANSWER)
    else {
      // It fails in one event, with what the server has said.
      expect(ending).toBe('response.failed')
      expect(output.at(-1)?.type).toMatch(/^(message|code_interpreter_call)$/)
    }
  },
)
