import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompleteItem } from '../../../src/core/items/host/host-item.js'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { type ResponseHandle, respond, translateEntries } from '../../../src/endpoint/respond/index.js'
import type { Tool, ToolContext } from '../../../src/endpoint/tools/tool.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { checkEvents } from '../../../src/judge/conformance/index.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { runs } from '../../support/runs.js'
import { encodeHarmony } from '../../support/tokens.js'
import { ANSWER, type Asked, GITHUB, modelOf, optionsOf, type RunOptions, run, SEARCH } from './scripted.js'

const REQUEST: ResponseRequest = { input: 'Go.', tools: [GITHUB] }
const IMAGE: CompleteItem = { type: 'image_generation_call', status: 'completed', result: 'iVBORw0KGgo=' }

const typesIn = (output: readonly OutputItem[]): string[] => output.map(({ type }) => type)

/** A tool that inserts an item, and then answers. */
const inserting = (item: unknown): Tool => ({
  answers: () => true,
  run: async (_call, { insert }) => {
    insert(item as CompleteItem)
    return { output: 'shown' }
  },
})

/** The result of inserting an item as soon as the response is open. */
const runWith = (item: CompleteItem, options: RunOptions = {}): ReturnType<typeof run> =>
  run({ input: 'Go.' }, { turns: [ANSWER], onOpen: ({ insert }) => void insert(item), ...options })

/** Keeps the handle of a response, for later use. */
function keeper(): { handle: ResponseHandle | undefined; onOpen(response: ResponseHandle): void } {
  return {
    handle: undefined,
    onOpen(response) {
      this.handle = response
    },
  }
}

/** The error of `insert` for an item. */
async function refusalOf(item: unknown, request: ResponseRequest = { input: 'Go.' }): Promise<unknown> {
  let refusal: unknown
  const { output } = await run(request, {
    turns: [ANSWER],
    onOpen({ insert }) {
      try {
        insert(item as CompleteItem)
      } catch (error) {
        refusal = error
      }
    },
  })
  expect(typesIn(output)).toEqual(['message'])
  return refusal
}

/** Reads a response, and calls back at each event. */
async function read(
  request: ResponseRequest,
  options: RunOptions,
  onEvent: (type: string, event: ResponseStreamEvent) => void,
): Promise<void> {
  for await (const events of respond(request, optionsOf(options)))
    for (const event of events) onEvent(event.type, event)
}

/** An engine that yields the answer token by token, and calls back before each. */
const telling = (onToken: (index: number) => unknown) => ({
  ...modelOf([]),
  generate: () =>
    tokenStream(async function* () {
      for (const [index, id] of encodeHarmony(ANSWER).entries()) {
        await onToken(index)
        yield id
      }
      return { reason: 'stop' as const }
    }),
})

describe('an item that a tool inserts', () => {
  test('an item that a tool inserts stands before the result of its call, with the events of its type', async () => {
    const { events, output } = await run(REQUEST, { turns: [SEARCH, ANSWER], tools: [inserting(IMAGE)] })
    expect(typesIn(output)).toEqual(['mcp_call', 'image_generation_call', 'message'])
    expect(output[1]).toEqual({ ...IMAGE, id: expect.stringMatching(/^ig_/) })
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => /image_gen|mcp_call.comp/.test(type))).toEqual([
      'response.image_generation_call.in_progress',
      'response.image_generation_call.generating',
      'response.image_generation_call.completed',
      'response.mcp_call.completed',
    ])
    expect(checkEvents(events).filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test('an item that a tool inserts is shown while the tool still runs', async () => {
    let see = (): void => {}
    const seen = new Promise<void>((resolve) => {
      see = resolve
    })
    const tool: Tool = {
      answers: () => true,
      async run(_call, { insert }) {
        await Promise.resolve()
        insert(IMAGE)
        await seen
        return { output: 'seen' }
      },
    }
    const outputs: unknown[] = []
    await read(REQUEST, { turns: [SEARCH, ANSWER], tools: [tool] }, (_type, event) => {
      if (event.type !== 'response.output_item.done') return
      const item = event.item as { type: string; output?: string }
      if (item.type === IMAGE.type) see()
      if (item.type === 'mcp_call') outputs.push(item.output)
    })
    expect(outputs).toEqual(['seen'])
  })

  test('an item that a tool inserts is written before it is shown', async () => {
    const written: string[] = []
    let before: readonly string[] = []
    const options: RunOptions = {
      turns: [SEARCH, ANSWER],
      tools: [inserting(IMAGE)],
      append: async (entries) => {
        await Promise.resolve()
        written.push(...entries.map(({ type }) => type))
      },
    }
    await read(REQUEST, options, (type) => {
      if (type === 'response.image_generation_call.in_progress') before = [...written]
    })
    expect(before.slice(-2)).toEqual(['tool_started', 'item'])
    expect(written).toContain('tool_result')
  })

  test('an item that a tool inserts is not told to the model, and counts neither as tokens nor as a call', async () => {
    const results = await Promise.all(
      [IMAGE, undefined].map(async (item) => {
        const asked: Asked[] = []
        const tool = item === undefined ? [] : [inserting(item)]
        const plain: Tool = { answers: () => true, run: async () => ({ output: 'shown' }) }
        const request = { ...REQUEST, max_tool_calls: 2 }
        const options = { turns: [SEARCH, SEARCH, SEARCH, ANSWER], asked, tools: [...tool, plain] }
        const { response, transcript } = await run(request, options)
        return { usage: response.usage, transcript, contexts: asked.map(({ context }) => context) }
      }),
    )
    expect(results[0]).toEqual(results[1])
  })

  test('an item that a tool inserts comes too late when the call has its result', async () => {
    let late: ToolContext['insert'] = () => true
    const taken: boolean[] = []
    const tool: Tool = {
      answers: () => true,
      async run(_call, { insert }) {
        taken.push(late(IMAGE))
        late = insert
        return { output: 'done' }
      },
    }
    const { output } = await run(REQUEST, { turns: [SEARCH, SEARCH, ANSWER], tools: [tool] })
    expect(typesIn(output)).toEqual(['mcp_call', 'mcp_call', 'message'])
    // The first is the test's own.
    expect(taken).toEqual([true, false])
  })

  test('the refusal of an item that a tool inserts is an error in the code of the tool', async () => {
    const caught: unknown[] = []
    const tool: Tool = {
      answers: () => true,
      async run(call, { insert }) {
        for (const item of [{ id: 'x' }, { ...IMAGE, id: call.id }]) {
          try {
            insert(item as CompleteItem)
          } catch (error) {
            caught.push(error)
          }
        }
        return { output: 'nothing to show' }
      },
    }
    const { output } = await run(REQUEST, { turns: [SEARCH, ANSWER], tools: [tool] })
    expect(typesIn(output)).toEqual(['mcp_call', 'message'])
    expect(caught.map(String)).toEqual([
      'HarmonyResponsesError: hostItem: expected an item with a type, got an object',
      expect.stringMatching(/insert: id: expected an unused id, got "mcp_/),
    ])
  })
})

describe('an item that the host inserts by its handle', () => {
  test('an item that the host inserts in the middle of a message stands there, and the message continues', async () => {
    const kept = keeper()
    // Behind `<|channel|>final<|message|>Hi`.
    const engine = telling((index) => index === 4 && kept.handle?.insert(IMAGE))
    const { events, output } = await run({ input: 'Go.' }, { engine, onOpen: (response) => kept.onOpen(response) })
    expect(output).toMatchObject([{ type: 'message', content: [{ text: 'Hi' }] }, { type: 'image_generation_call' }])
    const types: string[] = events.map(({ type }) => type)
    expect(types.indexOf('response.image_generation_call.completed')).toBeGreaterThan(
      types.indexOf('response.output_text.delta'),
    )
    expect(types.indexOf('response.image_generation_call.completed')).toBeLessThan(
      types.indexOf('response.output_text.done'),
    )
    expect(checkEvents(events).filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test('an item that the host inserts is shown while the engine computes', async () => {
    let see = (): void => {}
    const seen = new Promise<void>((resolve) => {
      see = resolve
    })
    const engine = telling((index) => (index === 2 ? seen : undefined))
    const types: string[] = []
    const onOpen = async ({ insert }: ResponseHandle): Promise<void> => {
      await Promise.resolve()
      insert(IMAGE)
    }
    await read({ input: 'Go.' }, { engine, onOpen }, (type) => {
      types.push(type)
      if (type === 'response.image_generation_call.completed') see()
    })
    expect(types.at(-1)).toBe('response.completed')
  })

  test('items that the host inserts enter in their order, in front of the turn that comes next', async () => {
    const onOpen = ({ insert }: ResponseHandle): void => {
      for (const type of ['first', 'second', 'third']) insert({ type })
    }
    const { entries, output } = await run({ input: 'Go.' }, { turns: [ANSWER], onOpen })
    expect(typesIn(output)).toEqual(['first', 'second', 'third', 'message'])
    expect(entries.slice(0, 5).map(({ type }) => type)).toEqual(['open', 'item', 'item', 'item', 'turn'])
  })

  test('an item that the host inserts comes too late when the response is about to end, and the host is told so', async () => {
    const kept = keeper()
    const taken: unknown[] = []
    const stream = respond(
      { input: 'Go.' },
      {
        ...optionsOf({ turns: [ANSWER], onOpen: (response) => kept.onOpen(response) }),
        append(entries) {
          for (const { type } of entries) {
            if (type === 'stop' || type === 'end') taken.push(kept.handle?.insert({ type: `while_${type}` }))
          }
        },
      },
    )
    const events: ResponseStreamEvent[] = []
    for await (const batch of stream) events.push(...batch)
    expect(taken).toEqual([true, false])
    expect(kept.handle?.signal.aborted).toBe(true)
    expect(kept.handle?.insert(IMAGE)).toBe(false)
    expect(kept.handle?.insert({} as never)).toBe(false)
    const { response } = events.at(-1) as { response: { output: OutputItem[] } }
    expect(typesIn(response.output)).toEqual(['message', 'while_stop'])
  })

  test('an item of the host that was taken is shown before the response fails or is aborted', async () => {
    for (const ending of ['response.failed', 'aborted']) {
      const abort = new AbortController()
      const kept = keeper()
      const engine = telling(() => {
        kept.handle?.insert(IMAGE)
        if (ending === 'aborted') abort.abort()
        else throw new Error('broken')
      })
      const { events, output } = await run(
        { input: 'Go.' },
        { engine, signal: abort.signal, onError: () => {}, onOpen: (response) => kept.onOpen(response) },
      )
      expect(events.at(-1)?.type).toBe('response.failed')
      expect(typesIn(output)).toEqual([IMAGE.type])
      expect(kept.handle?.insert(IMAGE)).toBe(false)
    }
  })

  test('an item that the host inserts comes too late when the reader has left', async () => {
    const kept = keeper()
    const stream = respond(
      { input: 'Go.' },
      optionsOf({ turns: [ANSWER], onOpen: (response) => kept.onOpen(response) }),
    )
    while (kept.handle === undefined) await stream.next()
    await stream.return([])
    expect([kept.handle.signal.aborted, kept.handle.insert(IMAGE)]).toEqual([true, false])
  })

  test('an item that the host inserts is the same for every reader of the entries', async () => {
    const { events, entries } = await runWith(IMAGE)
    const reader = translateEntries(optionsOf({}))
    const read = (JSON.parse(JSON.stringify(entries)) as typeof entries).flatMap((entry) => reader.apply(entry))
    expect(read).toEqual(events)
  })
})

/** Lets other work go on for so many turns of the queue of promises. */
async function ticks(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await Promise.resolve()
}

test('whenever an item is inserted, it is in the output once if it was taken, and nowhere if it was not', async () => {
  const delays = fc.array(fc.oneof(fc.nat({ max: 120 }), fc.nat({ max: 1500 })), { maxLength: 8 })
  const pace = fc.record({ engine: fc.nat({ max: 6 }), append: fc.nat({ max: 6 }), tool: fc.nat({ max: 40 }) })
  await fc.assert(
    fc.asyncProperty(delays, delays, pace, async (own, ofTool, { engine, append, tool }) => {
      const taken: string[] = []
      const late: string[] = []
      const insertAfter = async (insert: ToolContext['insert'], who: string, all: readonly number[]): Promise<void> => {
        const inserted = all.map(async (delay, index) => {
          await ticks(delay)
          const id = `${who}_${index}`
          ;(insert({ ...IMAGE, id }) ? taken : late).push(id)
        })
        await Promise.all(inserted)
      }
      const model = modelOf([SEARCH, ANSWER])
      const entries: Entry[] = []
      const events: ResponseStreamEvent[] = []
      const running: Promise<void>[] = []
      const stream = respond(REQUEST, {
        ...optionsOf({}),
        engine: {
          ...model,
          generate: (context, options) =>
            tokenStream(async function* () {
              for await (const token of model.generate(context, options)) {
                await ticks(engine)
                yield token
              }
              return { reason: 'stop' as const }
            }),
        },
        tools: [
          {
            answers: () => true,
            async run(_call, { insert }) {
              running.push(insertAfter(insert, 'tool', ofTool))
              await ticks(tool)
              return { output: 'done' }
            },
          },
        ],
        onOpen: ({ insert }) => void running.push(insertAfter(insert, 'own', own)),
        async append(added) {
          await ticks(append)
          entries.push(...structuredClone(added))
        },
      })
      for await (const batch of stream) events.push(...batch)
      await Promise.all(running)
      expect(taken.length + late.length).toBe(own.length + ofTool.length)
      const { response } = events.at(-1) as { response: { output: OutputItem[] } }
      expect(response.output.flatMap(({ type, id }) => ((type as string) === IMAGE.type ? [id] : []))).toEqual(taken)
      expect(checkEvents(events).filter(({ severity }) => severity === 'error')).toEqual([])
      // All of a tool's stand before its result.
      const order = entries.map((entry) => (entry.type === 'item' ? (entry.item.id ?? '') : entry.type))
      const result = order.indexOf('tool_result')
      expect(order.slice(result).filter((each) => each.startsWith('tool_') && each !== 'tool_result')).toEqual([])
      const reader = translateEntries(optionsOf({}))
      expect(entries.flatMap((entry) => reader.apply(entry))).toEqual(events)
    }),
    { numRuns: runs(200) },
  )
})

describe('the host is told that a response is open', () => {
  test('the host is told once that a response is open, when that is written, and with its request', async () => {
    const written: string[] = []
    const told: [handle: ResponseHandle, written: string][] = []
    const request: ResponseRequest = { input: 'Go.', tools: [{ ...GITHUB, authorization: 'secret' }] }
    const options: RunOptions = {
      turns: [SEARCH, SEARCH, ANSWER],
      append: (entries) => void written.push(...entries.map(({ type }) => type)),
      onOpen: (response) => void told.push([response, written.join()]),
    }
    await read(request, options, () => {})
    expect(told).toEqual([[expect.objectContaining({ id: 'resp_1', request: REQUEST }), 'open']])
  })

  test('a process that continues from entries without an end tells the host again that the response is open', async () => {
    const { entries } = await run({ input: 'Go.' }, { turns: [ANSWER] })
    const told: string[] = []
    const onOpen = ({ id }: ResponseHandle): void => void told.push(id)
    await run({ input: 'Go.' }, { turns: [ANSWER], entries: entries.slice(0, -1), onOpen })
    expect(told).toEqual(['resp_1'])
    await run({ input: 'Go.' }, { turns: [ANSWER], entries, onOpen })
    expect(told).toEqual(['resp_1'])
  })

  test.each<[what: string, request: object, options: RunOptions]>([
    ['a request that is refused', { input: [{ type: 'nonsense' }] }, {}],
    ['a response that is not generated', { input: 'Go.', generate: false }, {}],
    [
      'a compaction',
      { input: [{ role: 'user', content: 'Hi' }, { type: 'compaction_trigger' }] },
      { sealCompaction: (summary) => btoa(summary) },
    ],
    ['a response that was aborted before', { input: 'Go.' }, { signal: AbortSignal.abort() }],
  ])('onOpen is not called for %s', async (_what, request, options) => {
    const told: unknown[] = []
    await run(request, { turns: [ANSWER], ...options, onOpen: (response) => void told.push(response) }).catch(() => {})
    expect(told).toEqual([])
  })

  test.each<[how: string, onOpen: () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('oops')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('oops'))],
  ])('the error of an onOpen that %s goes to onError', async (_how, onOpen) => {
    const errors: unknown[] = []
    const { response } = await run(
      { input: 'Go.' },
      { turns: [ANSWER], onOpen, onError: (error) => void errors.push(error) },
    )
    expect(response.status).toBe('completed')
    expect(errors.map(String)).toEqual(['Error: oops'])
  })
})

describe('a process that continues from the entries', () => {
  const tool = (id?: string): Tool => ({
    answers: () => true,
    isRepeatable: () => true,
    async run(call, { insert }) {
      const isNew = insert({ ...IMAGE, ...(id !== undefined && { id: `${call.id}_${id}` }) })
      return { output: `new: ${isNew}` }
    },
  })

  test.each([
    ['once, if it has an id', 'image', ['image_generation_call']],
    ['twice, if it has none', undefined, ['image_generation_call', 'image_generation_call']],
  ])('an item of a call that is run again is in the output %s', async (_what, id, images) => {
    const options = { turns: [SEARCH, ANSWER], tools: [tool(id)] }
    const whole = await run(REQUEST, options)
    const cut = whole.entries.findIndex(({ type }) => type === 'item') + 1
    const { output } = await run(REQUEST, { ...options, entries: whole.entries.slice(0, cut) })
    expect(typesIn(output)).toEqual(['mcp_call', ...images, 'message'])
    expect(output[0]).toMatchObject({ output: `new: ${images.length === 2}` })
  })
})

// An item may contain untrusted data from a tool.
describe('an item that is hostile', () => {
  test.each<[what: string, item: unknown, message: RegExp]>([
    ['no object', 7, /^hostItem: expected an item with a type/],
    ['a function in it', { type: 'x', toJSON() {} }, /^hostItem: expected plain JSON data/],
    ['501 levels', JSON.parse(`${'{"type":"x","a":'.repeat(501)}1${'}'.repeat(501)}`), /at most 500 levels/],
    ['a call of the client', { type: 'function_call', call_id: 'c', name: 'rm', arguments: '{}' }, /^insert: type/],
    ['a custom call', { type: 'custom_tool_call', call_id: 'c', name: 'sh', input: 'rm' }, /^insert: type/],
    ['a shell call', { type: 'local_shell_call', call_id: 'c', action: { command: ['rm'] } }, /^insert: type/],
    ['a patch', { type: 'apply_patch_call', call_id: 'c', operation: {} }, /^insert: type/],
    ['a request for approval', { type: 'mcp_approval_request', name: 'rm', arguments: '{}' }, /^insert: type/],
    ['an approval', { type: 'mcp_approval_response', approve: true }, /^insert: type/],
    ['the answer of a client', { type: 'function_call_output', call_id: 'c', output: '' }, /^insert: type/],
    ['what a shell said', { type: 'shell_call_output', call_id: 'c', output: [] }, /^insert: type/],
    ['a listing', { type: 'mcp_list_tools', server_label: 'github', tools: [] }, /^insert: type/],
    ['a trigger', { type: 'compaction_trigger' }, /^insert: type: expected a type that a host may insert/],
    ['an instruction', { type: 'message', role: 'developer', content: [] }, /^insert: role: expected 'assistant'/],
    ['a message of nobody', { type: 'message', content: [] }, /^insert: role: expected 'assistant', got undefined/],
  ])('a hostile item is refused: %s', async (_what, item, message) => {
    const refusal = await refusalOf(item)
    expect(refusal).toBeInstanceOf(HarmonyResponsesError)
    expect((refusal as Error).message).toMatch(message)
  })

  test('an item with the id of an item of the conversation is refused, as it could not be continued', async () => {
    const input = [{ type: 'message', role: 'user', id: 'msg_1', content: 'Go.' }]
    const refusal = await refusalOf({ ...IMAGE, id: 'msg_1' }, { input } as ResponseRequest)
    expect(String(refusal)).toMatch(/insert: id: expected an unused id, got "msg_1"/)
  })

  test('an item with the id of another item in front of it is refused', async () => {
    const errors: unknown[] = []
    const { output } = await run(
      { input: 'Go.' },
      {
        turns: [ANSWER],
        onError: (error) => void errors.push(error),
        onOpen({ insert }) {
          insert({ ...IMAGE, id: 'ig_1' })
          insert({ type: 'other', id: 'ig_1' })
        },
      },
    )
    expect(typesIn(output)).toEqual(['image_generation_call', 'message'])
    expect(errors.map(String)).toEqual([expect.stringContaining('insert: id: expected an unused id')])
  })

  test('an item with names that objects have by nature, and with an unknown type, is taken as it is', async () => {
    const item = JSON.parse('{"type":"__proto__","__proto__":{"polluted":1},"constructor":{"prototype":{}}}')
    const { output, events } = await runWith(item)
    expect(JSON.stringify(output[0])).toContain('"__proto__":{"polluted":1}')
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    expect(events.at(-1)?.type).toBe('response.completed')
  })

  test('an item of five million characters is taken as it is, since an image may have as many', async () => {
    const result = 'x'.repeat(5_000_000)
    const { output } = await runWith({ ...IMAGE, result })
    expect(output[0]).toMatchObject({ result })
  })

  test('an item that says that it is in progress runs nothing and delays nothing', async () => {
    const tools: Tool[] = [{ answers: () => true, run: async () => expect.unreachable('it ran') }]
    const pending: CompleteItem[] = [
      { type: 'mcp_call', status: 'in_progress', server_label: 'github', name: 'search', arguments: '{}' },
      { type: 'code_interpreter_call', status: 'interpreting', code: '1', container_id: 'c', outputs: null },
      { type: 'web_search_call', status: 'searching', action: { type: 'search', query: 'x' } },
      { type: 'mcp_call', status: 'failed', error: { message: 'no' }, name: 'x', arguments: '', server_label: 'y' },
    ]
    for (const item of pending) {
      const { output, response } = await runWith(item, { tools })
      expect(typesIn(output)).toEqual([item.type, 'message'])
      expect(response.status).toBe('completed')
    }
  })

  test('an inserted call does not make the model continue, nor end the turn of parallel_tool_calls: false', async () => {
    const kept = keeper()
    const failed = { type: 'mcp_call', status: 'failed', error: { message: 'no' } }
    const engine = telling((index) => index === 4 && kept.handle?.insert(failed))
    const request = { input: 'Go.', parallel_tool_calls: false }
    const { output, entries } = await run(request, { engine, onOpen: (response) => kept.onOpen(response) })
    expect(typesIn(output)).toEqual(['message', 'mcp_call'])
    expect(entries.filter(({ type }) => type === 'turn')).toHaveLength(1)
  })

  test("an item that the host inserts is not checked like the model's output", async () => {
    const invalid: unknown[] = []
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' } },
      required: ['a'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema', name: 'x', strict: true, schema }
    const ANSWERED = { type: 'message', role: 'assistant', status: 'completed', phase: 'final_answer' }
    const content = [{ type: 'output_text', text: 'Not JSON.', annotations: [], logprobs: [] }]
    await run({ input: 'Go.', text: { format } } as ResponseRequest, {
      turns: ['<|channel|>final<|message|>{"a":1}<|return|>'],
      onInvalidOutput: (each) => void invalid.push(each),
      onOpen: ({ insert }) => void insert({ ...ANSWERED, content }),
    })
    expect(invalid).toEqual([])
  })
})
