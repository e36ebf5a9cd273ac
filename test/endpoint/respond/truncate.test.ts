import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { withTools } from '../../../src/endpoint/prompt/prompt-messages.js'
import { type Prompt, type RenderPromptOptions, renderPrompt } from '../../../src/endpoint/prompt/render-prompt.js'
import { countInputTokens } from '../../../src/endpoint/respond/index.js'
import { fittingPrompt } from '../../../src/endpoint/respond/prompts/truncate.js'
import type { TokenStream } from '../../../src/engines/contract/engine.js'
import { EngineError } from '../../../src/engines/contract/engine-error.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { contextLengthExceeded } from '../../../src/shared/request-error.js'
import { atOnce, createWork } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'
import { decodeTokens } from '../../support/tokens.js'
import { ANSWER, type Asked, GITHUB, modelOf, optionsOf, run, SEARCH } from './scripted.js'

const tokenTable = await loadTokenTable()
const OPTIONS = { tokenTable, date: '2026-01-31' }
const TOO_LONG = { status: 400, code: 'context_length_exceeded', param: 'input' }

const user = (content: string): object => ({ role: 'user', content })
const said = (content: string): object => ({ role: 'assistant', content })
const call = (id: string): object => ({ type: 'function_call', call_id: id, name: 'f', arguments: `{"of":"${id}"}` })
const output = (id: string): object => ({ type: 'function_call_output', call_id: id, output: `result of ${id}` })
const tools = [{ type: 'function', name: 'f' }]

const lengthOf = (request: ResponseRequest): number => renderPrompt(request, OPTIONS).tokens.length
const contentOf = ({ tokens }: Prompt): string => decodeTokens([...tokens])

/** The smallest context that the request fits without its first exchanges. */
function roomFor(request: ResponseRequest): number {
  return Math.ceil(lengthOf(request) * 4 * (1 / 3)) + 2
}

/** The fitting prompt, or the error of `respond`. */
function fitted(
  request: ResponseRequest,
  options: RenderPromptOptions,
  contextLength = Number.POSITIVE_INFINITY,
): Prompt {
  const prompt = atOnce(fittingPrompt(request, withTools(request, options), createWork(), contextLength))
  if (prompt === undefined) throw contextLengthExceeded(contextLength)
  return prompt
}

describe('truncation', () => {
  const input = [
    user('one '.repeat(50)),
    said('1'),
    user('two '.repeat(50)),
    said('2'),
    user('three'),
    said('3'),
    user('four'),
  ]
  const request: ResponseRequest = { instructions: 'Be brief.', input, truncation: 'auto' }

  test('truncation drops nothing that fits, and nothing where the context is unknown', () => {
    const whole = renderPrompt(request, OPTIONS)
    expect(fitted(request, OPTIONS)).toEqual(whole)
    expect(fitted(request, OPTIONS, 10_000)).toEqual(whole)
  })

  test('truncation drops the oldest exchanges, whole, and no more than it takes', () => {
    const without = (from: number): ResponseRequest => ({ ...request, input: input.slice(from) })
    expect(contentOf(fitted(request, OPTIONS, roomFor(without(2))))).toBe(contentOf(renderPrompt(without(2), OPTIONS)))
    expect(contentOf(fitted(request, OPTIONS, roomFor(without(4))))).toBe(contentOf(renderPrompt(without(4), OPTIONS)))
  })

  test('a request is refused if what truncation cannot drop does not fit', () => {
    const least = lengthOf({ ...request, input: input.slice(-1) })
    expect(fitted(request, OPTIONS, least + 1).tokens.length).toBe(least)
    expect(() => fitted(request, OPTIONS, least)).toThrow(expect.objectContaining(TOO_LONG))
    expect(() => fitted({ input: 'word '.repeat(99), truncation: 'auto' }, OPTIONS, 90)).toThrow(
      expect.objectContaining(TOO_LONG),
    )
  })

  test('a request that does not allow truncation is refused at once if it does not fit', () => {
    const { truncation: _, ...plain } = request
    const length = lengthOf(plain)
    for (const refused of [plain, { ...plain, truncation: 'disabled' }, { ...plain, truncation: null }]) {
      expect(fitted(refused, OPTIONS, length + 1).tokens.length).toBe(length)
      expect(() => fitted(refused, OPTIONS, length)).toThrow(expect.objectContaining(TOO_LONG))
    }
  })

  test('truncation keeps instructions, wherever they stand, and listings', () => {
    const listing = {
      type: 'mcp_list_tools',
      id: 'l',
      server_label: 'github',
      tools: [{ name: 'search', input_schema: {} }],
    }
    const kept = [
      user('old '.repeat(50)),
      listing,
      { role: 'developer', content: 'Speak French.' },
      said('old '.repeat(50)),
      user('new'),
    ]
    const short = { input: kept, tools: [GITHUB], truncation: 'auto' } as ResponseRequest
    const text = contentOf(fitted(short, OPTIONS, lengthOf(short) - 60))
    expect(text).not.toContain('old')
    expect(text).toContain('Speak French.')
    expect(text).toContain('namespace github')
  })

  test('truncation never parts a call from its output, and makes the prompt fit if anything would', () => {
    const exchange = fc.array(fc.constantFrom('said', 'call', 'late', 'developer'), { maxLength: 5 })
    fc.assert(
      fc.property(
        fc.array(exchange, { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (plan, share) => {
          const items: object[] = []
          const late: object[] = []
          let calls = 0
          for (const [nth, parts] of plan.entries()) {
            items.push(user(`question ${nth}`))
            for (const part of parts) {
              if (part === 'said') items.push(said(`answer in ${nth}`))
              else if (part === 'developer') items.push({ role: 'developer', content: `rule ${nth}` })
              else {
                items.push(call(`call_${++calls}`))
                // Some clients send the output only after the user has gone on.
                if (part === 'late') late.push(output(`call_${calls}`))
                else items.push(output(`call_${calls}`))
              }
            }
            if (nth % 2 === 1) items.push(...late.splice(0))
          }
          items.push(...late.splice(0), user('the last'))
          const asked = { input: items, tools, truncation: 'auto' } as ResponseRequest
          const least = lengthOf({ ...asked, input: items.slice(-1) })
          const contextLength = Math.round(least + (lengthOf(asked) * 1.5 - least) * share) + 1
          let prompt: Prompt
          try {
            prompt = fitted(asked, OPTIONS, contextLength)
          } catch (error) {
            // Instructions stay, so that more than the last question may remain.
            expect(error).toMatchObject(TOO_LONG)
            return
          }
          expect(prompt.tokens.length).toBeLessThan(contextLength)
          expect(contentOf(prompt)).toBe(contentOf(truncatedByRenderingAll(asked, contextLength)))
          const text = contentOf(prompt)
          for (let nth = 1; nth <= calls; nth++) {
            expect(text.includes(`{"of":"call_${nth}"}`)).toBe(new RegExp(`result of call_${nth}(?!\\d)`).test(text))
          }
          expect(text).toContain('the last')
          for (const [nth, parts] of plan.entries())
            if (parts.includes('developer')) expect(text).toContain(`rule ${nth}`)
          // The rest of the conversation is its end.
          const questions = plan.map((_, nth) => new RegExp(`question ${nth}(?!\\d)`).test(text))
          expect(questions.indexOf(true) === -1 || questions.slice(questions.indexOf(true)).every(Boolean)).toBe(true)
        },
      ),
      { numRuns: runs(60) },
    )
  })
})

/** Drops exchange by exchange, and renders each time. For conversations without links between exchanges or at their ends. */
function truncatedByRenderingAll(request: ResponseRequest, contextLength: number): Prompt {
  const input = request.input as readonly { role?: string; type?: string; call_id?: string }[]
  const room = contextLength - Math.min(4096, Math.floor(contextLength / 4))
  const starts = input.flatMap(({ role }, at) => (role === 'user' ? [at] : []))
  const isCut = (at: number): boolean => {
    const calls = new Set(
      input.slice(0, at).flatMap(({ type, call_id }) => (type === 'function_call' ? [call_id] : [])),
    )
    return input.slice(at).some(({ type, call_id }) => type === 'function_call_output' && calls.has(call_id))
  }
  let prompt = renderPrompt(request, OPTIONS)
  for (const start of starts.slice(1).filter((at) => !isCut(at))) {
    if (prompt.tokens.length <= room) break
    const left = input.filter(({ role }, at) => at >= start || role === 'developer')
    prompt = renderPrompt({ ...request, input: left as never }, OPTIONS)
  }
  return prompt
}

describe('a context that the response fills', () => {
  const able = (contextLength: number, asked: Asked[], turns: readonly string[]) => ({
    ...modelOf(turns, asked),
    capabilities: async () => ({ contextLength }),
  })
  const request: ResponseRequest = { input: 'Go.', tools: [GITHUB] }
  const full = (): TokenStream =>
    tokenStream(async function* (): AsyncGenerator<number, undefined> {
      const ids: number[] = await Promise.reject(new EngineError('context_length_exceeded', 'too long'))
      yield* ids
      return undefined
    })

  test('a prompt that alone fills the context is refused before the first event', async () => {
    await expect(run(request, { engine: able(20, [], [ANSWER]) })).rejects.toMatchObject(TOO_LONG)
  })

  test('a prompt that is too long for the context is counted nevertheless', async () => {
    const { inputTokens } = await countInputTokens(request, optionsOf({ engine: able(20, [], []) }))
    expect(inputTokens).toBeGreaterThan(20)
  })

  test('a context that the response fills leaves it incomplete before the next turn', async () => {
    const asked: Asked[] = []
    const { prompt } = await run(request, { turns: [SEARCH, ANSWER] })
    const { response, output } = await run(request, {
      engine: able(prompt.length + 20, asked, [SEARCH, ANSWER]),
    })
    expect(asked).toHaveLength(1)
    expect(output).toMatchObject([{ type: 'mcp_call', status: 'completed' }])
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  })

  test('a prompt that is longer than prompts may be is refused before the engine is asked, though the context has room', async () => {
    const asked: Asked[] = []
    await run(request, { turns: [SEARCH, ANSWER], asked })
    const first = asked[0]?.context.length ?? 0
    const limited = (maxPromptLength: number) => ({
      ...able(100_000, asked, [SEARCH, ANSWER]),
      capabilities: async () => ({ contextLength: 100_000, maxPromptLength }),
    })
    asked.length = 0
    await expect(run(request, { engine: limited(first - 1) })).rejects.toMatchObject(TOO_LONG)
    expect(asked).toEqual([])
    const { response } = await run(request, { engine: limited(first) })
    expect(response.status).toBe('completed')
  })

  test('a context that the response fills leaves it incomplete, too, if only the engine knows its length', async () => {
    const asked: Asked[] = []
    const model = modelOf([SEARCH, ANSWER], asked)
    const generate: typeof model.generate = (context, options) =>
      asked.length === 0 ? model.generate(context, options) : full()
    const { response } = await run(request, { engine: { ...model, generate } })
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  })

  test('a context that is full fails a response of which nothing was sampled', async () => {
    const { response } = await run(request, { engine: { ...modelOf([]), generate: full }, onError() {} })
    expect(response).toMatchObject({ status: 'failed', error: { code: 'context_length_exceeded' } })
  })
})

describe('limits.seconds', () => {
  /** A clock that a test sets. */
  const at = { now: 0 }
  const clock = (): number => at.now

  test.each<[string, (now: number) => object]>([
    ['in the middle of a message', () => ({})],
    ['before a tool', () => ({})],
  ])('limits.seconds leaves the response incomplete %s', async (what) => {
    at.now = 100
    let ran = 0
    const tool = {
      answers: () => true,
      run: async () => {
        ran += 1
        return { output: 'done' }
      },
    }
    const model = modelOf([SEARCH, ANSWER])
    const generate: typeof model.generate = (context, options) => {
      const stream = model.generate(context, options)
      return tokenStream(async function* () {
        let left = what === 'before a tool' ? Number.POSITIVE_INFINITY : 3
        for await (const token of stream) {
          yield token
          left -= 1
          if (left === 0) at.now = 110
        }
        at.now = 110
        return { reason: 'stop' as const }
      })
    }
    const options = { engine: { ...model, generate }, tools: [tool], clock, limits: { seconds: 10 } }
    const { response, output } = await run({ input: 'Go.', tools: [GITHUB] }, options)
    expect(ran).toBe(0)
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    expect(output.length).toBe(what === 'before a tool' ? 1 : 0)
  })

  test('limits.seconds has no default, and counts from the first entry, also in another process', async () => {
    at.now = 0
    const whole = await run({ input: 'Go.' }, { turns: [ANSWER], clock })
    at.now = 1_000_000
    const options = { turns: [ANSWER], clock, entries: whole.entries.slice(0, 3) }
    expect((await run({ input: 'Go.' }, options)).response.status).toBe('completed')
    const late = await run({ input: 'Go.' }, { ...options, limits: { seconds: 999_999 } })
    expect(late.response.status).toBe('incomplete')
    const early = await run({ input: 'Go.' }, { ...options, limits: { seconds: 1_000_001 } })
    expect(early.response.status).toBe('completed')
  })

  test('limits.seconds has to be above 0', async () => {
    await expect(run({ input: 'Go.' }, { turns: [ANSWER], limits: { seconds: 0 } })).rejects.toThrow(/limits.seconds/)
  })
})
