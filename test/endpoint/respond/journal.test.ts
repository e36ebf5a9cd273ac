import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { BEHAVIOR_VERSION, type Entry } from '../../../src/endpoint/journal/entry.js'
import {
  type RespondOptions,
  type ResponseHandle,
  respond,
  translateEntries,
} from '../../../src/endpoint/respond/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { checkEvents } from '../../../src/judge/conformance/index.js'
import { runs } from '../../support/runs.js'
import { expectSameAfterDeath, type RunOn } from './same-after-death.js'
import { ANSWER, echo, GITHUB, modelOf, optionsOf, type Run, type RunOptions, run, SEARCH } from './scripted.js'

const THINK = '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant'
const FORCED =
  '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=github.search <|constrain|>json<|message|>{"q":1}<|call|>'
const PYTHON = '<|channel|>analysis to=python code<|message|>1+1<|call|>'
const LOCKED = '<|channel|>commentary to=vault.open<|message|>{}<|call|>'
const CLIENT = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>'
// The model ends the first call with <|end|>, and both wait.
const TWO = SEARCH.replace('<|call|>', `<|end|><|start|>assistant${PYTHON}`)

const REQUEST = {
  input: 'Go.',
  include: ['code_interpreter_call.outputs'],
  tools: [
    GITHUB,
    { type: 'mcp', server_label: 'vault', require_approval: 'always' },
    { type: 'code_interpreter' },
    { type: 'function', name: 'f' },
  ],
} as ResponseRequest

/** A conversation that is compacted before the first turn: the model writes the beginning of its turn for a summary. */
const COMPACTED = {
  ...REQUEST,
  input: ['Go.', 'Now!'].map((content) => ({ role: 'user', content })),
  context_management: [{ type: 'compaction', compact_threshold: 100 }],
} as ResponseRequest
const sealCompaction = (text: string): string => text

/** The same tools in an item, which declares one of the request's own otherwise. */
const inItem = ({ tools, input, ...request }: ResponseRequest): ResponseRequest => ({
  ...request,
  tools: [{ type: 'custom', name: 'f' }],
  input: [
    ...(typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])),
    { type: 'additional_tools', role: 'developer', tools },
  ],
})

/** Answers, and fails at python. */
const moody: Tool = {
  answers: () => true,
  isRepeatable: () => true,
  run: async (call, context) => {
    if (call.type === 'code_interpreter_call') return { error: { message: 'no python today' } }
    return echo.run(call, context)
  },
}

const FILE_SEARCH = { type: 'file_search_call', status: 'completed', queries: ['x'], results: null }

/** Inserts an image into the output, and answers. A repeated call inserts the same image. */
const drawing: Tool = {
  answers: () => true,
  isRepeatable: () => true,
  run: async (call, context) => {
    context.insert({ type: 'image_generation_call', id: `${call.id}_image`, status: 'completed', result: 'iVBO' })
    return echo.run(call, context)
  },
}

/**
 * A host that inserts an item as soon as the response is open, and then whenever the model comes to one of every so many
 * tokens of its context. What it inserts there follows from the place alone.
 */
function hostThatInserts(turns: readonly string[], every: number): Pick<RespondOptions, 'engine' | 'onOpen'> {
  const model = modelOf(turns)
  let insert: ResponseHandle['insert'] = () => false
  return {
    onOpen(response) {
      insert = response.insert
      insert({ type: 'compaction', id: 'own_open', encrypted_content: 'gAAA' })
    },
    engine: {
      ...model,
      generate(context, options) {
        const tokens = model.generate(context, options)
        return tokenStream(async function* () {
          // A position is identified by all text before it, because a compacted conversation reaches the same length
          // again.
          let place = [...context].reduce((sum, id) => (sum * 31 + id) % 0x7fffffff, 0)
          for (let at = context.length; ; at++) {
            const step = await tokens.next()
            if (step.done) return step.value
            if (at % every === 0) insert({ ...FILE_SEARCH, id: `own_${at}_${place}` })
            place = (place * 31 + Number(step.value)) % 0x7fffffff
            yield step.value
          }
        })
      },
    },
  }
}

/** The turns of a response: calls of the host's tools, and then an ending. */
const script = (): fc.Arbitrary<string[]> =>
  fc
    .record({
      calls: fc.array(fc.constantFrom(SEARCH, PYTHON, TWO, THINK + SEARCH), { maxLength: 3 }),
      last: fc.constantFrom(ANSWER, THINK + ANSWER, CLIENT, LOCKED),
    })
    .map(({ calls, last }) => [...calls, last])

describe('a response is what went into it', () => {
  test('a process that continues from any entry finds the same events', async () => {
    await fc.assert(
      fc.asyncProperty(
        script(),
        fc.constantFrom(echo, moody, drawing),
        fc.option(fc.nat({ max: 60 })),
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 12 })),
        fc.constantFrom(REQUEST, COMPACTED, inItem(REQUEST), inItem(COMPACTED)),
        fc.nat(),
        async (turns, tool, most, isParallel, every, asked, death) => {
          const limit = most === null ? {} : { max_output_tokens: most + 1 }
          const request = { ...asked, ...limit, parallel_tool_calls: isParallel }
          const shared = { turns, tools: [tool], sealCompaction }
          const goOn = (entries: readonly Entry[]): Promise<Run> =>
            run(request, { ...shared, entries, ...(every !== null && hostThatInserts(turns, every)) })
          const whole = await goOn([])
          expect(checkEvents(whole.events).filter(({ severity }) => severity === 'error')).toEqual([])
          for (const [at, shown] of whole.before.entries()) {
            const rest = await goOn(JSON.parse(JSON.stringify(whole.entries.slice(0, at))))
            expect(rest.events).toEqual(whole.events.slice(shown))
            expect(rest.transcript).toEqual(whole.transcript)
          }
          const over = await goOn(whole.entries)
          expect(over.events).toEqual([])
          const again: RunOn = (engine, options) => run(request, { ...shared, ...options, engine })
          await expectSameAfterDeath(() => modelOf(turns), again, death)
        },
      ),
      { numRuns: runs(25) },
    )
  })

  test('a process that continues a response lets no more searches run than the one that began it', async () => {
    const search = (query: string): string =>
      `<|channel|>analysis to=browser.search code<|message|>{"query":"${query}"}<|call|>`
    const shared = { turns: [search('a'), search('b'), ANSWER], tools: [moody] }
    const request = { input: 'Go.', tools: [{ type: 'web_search' }] } as ResponseRequest
    const whole = await run(request, { ...shared, maxSearches: 1 })
    const statuses = whole.entries.flatMap((entry) =>
      entry.type === 'tool_result' ? ['error' in (entry.result ?? {})] : [],
    )
    expect(statuses).toEqual([false, true])
    for (const [at, shown] of [...whole.before.entries()].slice(1)) {
      const rest = await run(request, { ...shared, entries: whole.entries.slice(0, at) })
      expect(rest.events).toEqual(whole.events.slice(shown))
    }
  })

  test('a process that continues a response that has offered tools asks no policy again, and finds the same events', async () => {
    const listing = {
      serverLabel: 'github',
      tools: [
        { name: 'search', inputSchema: {} },
        { name: 'open', inputSchema: {} },
      ],
    }
    const tools = [{ ...echo, listings: async () => [listing] }]
    const offered = { tools: [GITHUB], instructions: 'Search first.', effort: 'low' as const }
    let asked = 0
    const approval = (): 'never' => {
      asked++
      return 'never'
    }
    const shared = { turns: [THINK + SEARCH, SEARCH, ANSWER], tools, offered, approval }
    const request = { input: 'Go.', tools: [{ type: 'function', name: 'f' }] } as ResponseRequest
    const whole = await run(request, shared)
    expect(whole.output.map(({ type }) => type)).toEqual(['reasoning', 'mcp_call', 'mcp_call', 'message'])
    expect(asked).toBe(2)
    for (const [at, shown] of whole.before.entries()) {
      if (at === 0) continue
      const entries = JSON.parse(JSON.stringify(whole.entries.slice(0, at)))
      // Later changes of the offer do not affect an open response.
      const rest = await run(request, {
        ...shared,
        offered: { instructions: 'Do not search.', effort: 'high' },
        entries,
      })
      expect(rest.events).toEqual(whole.events.slice(shown))
      expect(rest.transcript).toEqual(whole.transcript)
    }
    expect(asked).toBe(2)
  })

  test('a process that continues in a call that the request demands finds the same events', async () => {
    const request = { ...REQUEST, tool_choice: { type: 'mcp', server_label: 'github', name: 'search' } as const }
    const whole = await run(request, { turns: [FORCED, ANSWER] })
    expect(whole.output.map(({ type }) => type)).toEqual(['reasoning', 'mcp_call', 'message'])
    for (const [at, shown] of whole.before.entries()) {
      const rest = await run(request, { turns: [FORCED, ANSWER], entries: whole.entries.slice(0, at) })
      expect(rest.events).toEqual(whole.events.slice(shown))
    }
  })

  test('an entry is written before anything that follows from it is shown', async () => {
    const written: string[] = []
    const stream = respond(REQUEST, {
      ...optionsOf({ turns: [SEARCH, ANSWER] }),
      append: async (entries) => {
        await Promise.resolve()
        written.push(...entries.map(({ type }) => type))
      },
    })
    const seen = new Map<string, number>()
    for await (const batch of stream) for (const { type } of batch) if (!seen.has(type)) seen.set(type, written.length)
    const entriesBefore = (type: string): string[] => written.slice(0, seen.get(type))
    expect(entriesBefore('response.created')).toEqual(['open'])
    expect(entriesBefore('response.mcp_call.completed').slice(-2)).toEqual(['tool_started', 'tool_result'])
    expect(entriesBefore('response.completed').at(-1)).toBe('end')
  })

  test('a journal that cannot be written ends the stream with its error, and nothing more is shown', async () => {
    const events: string[] = []
    let left = 5
    const stream = respond(REQUEST, {
      ...optionsOf({ turns: [ANSWER] }),
      append: () => {
        left -= 1
        if (left < 0) throw new Error('disk full')
      },
    })
    const read = async (): Promise<void> => {
      for await (const batch of stream) events.push(...batch.map(({ type }) => type))
    }
    await expect(read()).rejects.toThrow('disk full')
    expect(events.some((type) => /failed|completed/.test(type))).toBe(false)
  })

  test('an entry of another behaviour is refused', async () => {
    const { entries } = await run(REQUEST, { turns: [ANSWER] })
    const others = entries.map((entry) =>
      entry.type === 'open' ? { ...entry, behaviour: BEHAVIOR_VERSION + 1 } : entry,
    )
    await expect(run(REQUEST, { turns: [ANSWER], entries: others })).rejects.toThrow(`behaviour ${BEHAVIOR_VERSION}`)
  })

  test('no entry holds the secrets of the request', async () => {
    const tool = {
      ...GITHUB,
      server_url: 'https://user:pass@example.com/?token=s3cret',
      headers: { authorization: 's3cret' },
      authorization: 's3cret',
    }
    const request: ResponseRequest = { input: 'Go.', tools: [tool] }
    for (const each of [request, inItem(request)]) {
      const { entries } = await run(each, { turns: [ANSWER] })
      expect(JSON.stringify(entries)).not.toMatch(/s3cret|pass/)
    }
  })
})

// If this fails although nothing but the wording of a comment changed, look again. If events were meant to change, raise
// BEHAVIOR_VERSION in src/endpoint/journal/entry.ts and put the new digest here: journals of the old behaviour are then refused.
test('the same entries give the same events as long as BEHAVIOR_VERSION is the same', async () => {
  const scripts = [
    [ANSWER],
    [THINK + SEARCH, ANSWER],
    [TWO, PYTHON, THINK + ANSWER],
    [SEARCH, CLIENT],
    [LOCKED],
    ['<|channel|>commentary<|channel|>final<|message|>Hi<|return|>'],
  ]
  const hash = createHash('sha256')
  const all: (RunOptions & { readonly text?: ResponseRequest['text'] })[] = [
    ...scripts.map((turns) => ({ turns })),
    { turns: [SEARCH, ANSWER], tools: [drawing] },
    { turns: ['It is Rome<|return|>', ANSWER], text: { format: { type: 'json_object' } } },
  ]
  const responses = [
    ...all.map(({ text = {}, ...options }) => run({ ...REQUEST, text }, options)),
    run(COMPACTED, { turns: [THINK + ANSWER], sealCompaction }),
  ]
  const done = await Promise.all(responses)
  for (const { events } of done) for (const { type, ...event } of events) hash.update(JSON.stringify([type, event]))
  for (const last of [{ type: 'fail', failure: { message: 'No.' } }, { type: 'abort' }, { type: 'cancel' }] as const) {
    const translation = translateEntries(optionsOf({}))
    const entries = done[0]?.entries.slice(0, 4) ?? []
    for (const entry of [...entries, { at: 7, ...last }]) hash.update(JSON.stringify(translation.apply(entry)))
    expect(translation.response?.status).toBe(last.type === 'cancel' ? 'cancelled' : 'failed')
  }
  expect([BEHAVIOR_VERSION, hash.digest('hex').slice(0, 16)]).toEqual([5, '7b1009d1972c4136'])
})
