import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { urlCitations } from '../../../src/core/citations/index.js'
import type { HarmonyMessage } from '../../../src/core/harmony/events.js'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { type FileSearchContext, type FileSearchFilter, fileSearch } from '../../../src/endpoint/tools/file-search.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer, call, type Script, think } from '../../../src/testing/index.js'
import { type Endpoint, endpoint } from './endpoint.js'

const TOOL = { type: 'file_search', vector_store_ids: ['vs_1'] } as const
const OTTERS = { file_id: 'file-1', filename: 'otters.md', text: 'Otters hold hands.', score: 0.9 }
const SEALS = { file_id: 'file-2', filename: 'seals.md', text: 'Seals sing.', score: 0.4, attributes: { year: 2026 } }

interface Asked extends Omit<FileSearchContext, 'signal'> {
  readonly queries: readonly string[]
  readonly filters: FileSearchFilter | undefined
}

/** A search that finds both files, with its recorded arguments. */
function searching(): { readonly tool: Tool; readonly asked: Asked[] } {
  const asked: Asked[] = []
  const tool = fileSearch(async (queries, filters, { signal: _, ...more }) => {
    asked.push({ queries, filters, ...more })
    return [OTTERS, SEALS]
  })
  return { tool, asked }
}

/** The model's prompt after its last call. */
const resultIn = (messages: readonly HarmonyMessage[]): string =>
  messages.findLast(({ role }) => role === 'tool')?.content ?? ''
const marksIn = (text: string): string[] => text.match(/【[^】]*】/g) ?? []

/** A model that searches, and then cites the first passage. */
const citing: Script = ({ messages }) => {
  const [mark] = marksIn(resultIn(messages))
  if (mark === undefined) return [think('Look.'), call('file_search.search', { queries: ['otters', 'hands'] })]
  return [think('Found.'), answer(`They hold hands${mark}.`)]
}

function served(options: Partial<ResponsesAppOptions> = {}, script: Script = citing) {
  const { tool, asked } = searching()
  const made = endpoint(script, { tools: [tool], response: { citations: urlCitations() }, ...options })
  return { ...made, asked }
}

const create = (
  { client }: Pick<Endpoint, 'client'>,
  body: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>,
): Promise<OpenAI.Responses.Response> =>
  client().responses.create({
    model: 'gpt-oss',
    input: 'Do otters hold hands?',
    tools: [{ ...TOOL, vector_store_ids: ['vs_1'] }],
    ...body,
  })

const searchIn = ({ output }: OpenAI.Responses.Response): OpenAI.Responses.ResponseFileSearchToolCall => {
  const item = output.find(({ type }) => type === 'file_search_call')
  if (item?.type !== 'file_search_call') throw new Error('no file search')
  return item
}

describe('file_search with the official SDK', () => {
  test("the host runs the model's queries, with the filters and the limits of the tool", async () => {
    const made = served()
    const filters = { type: 'eq', key: 'year', value: 2026 } as const
    const tool = { type: 'file_search', vector_store_ids: ['vs_1', 'vs_2'], filters, max_num_results: 1 } as const
    await create(made, {
      tools: [{ ...tool, vector_store_ids: [...tool.vector_store_ids], ranking_options: { ranker: 'auto' } }],
    })
    expect(made.asked).toEqual([
      {
        queries: ['otters', 'hands'],
        filters,
        vectorStoreIds: ['vs_1', 'vs_2'],
        maxResults: 1,
        ranking: { ranker: 'auto' },
      },
    ])
    expect(marksIn(resultIn(made.engine.calls[1]?.messages ?? []))).toHaveLength(1)
  })

  test('the item has the queries, and its results only if the request includes them', async () => {
    const without = searchIn(await create(served(), {}))
    expect(without).toMatchObject({ status: 'completed', queries: ['otters', 'hands'], results: null })
    const including = searchIn(await create(served(), { include: ['file_search_call.results'] }))
    expect(including.results).toEqual([OTTERS, SEALS])
  })

  test('the mark of a passage becomes a file_citation where it stood, and leaves the text', async () => {
    const response = await create(served(), {})
    const message = response.output.at(-1)
    expect(response.output_text).toBe('They hold hands.')
    expect(message).toMatchObject({
      content: [{ annotations: [{ type: 'file_citation', file_id: 'file-1', filename: 'otters.md', index: 15 }] }],
    })
  })

  test('a stream has the events of the search in their order, which the SDK puts together', async () => {
    const made = served()
    const stream = made.client().responses.stream({
      model: 'gpt-oss',
      input: 'Do otters hold hands?',
      tools: [{ ...TOOL, vector_store_ids: ['vs_1'] }],
    })
    const types: string[] = []
    for await (const { type } of stream) if (/file_search|annotation/.test(type)) types.push(type)
    expect(types).toEqual([
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
      'response.output_text.annotation.added',
    ])
    expect(searchIn(await stream.finalResponse()).queries).toEqual(['otters', 'hands'])
  })

  test('the model is taught the tool only where something runs it', async () => {
    const systemOf = (made: Pick<ReturnType<typeof served>, 'engine'>) => made.engine.calls[0]?.messages[0]?.content
    const made = served()
    await create(made, {})
    expect(systemOf(made)).toContain('namespace file_search {')
    const alone = served({ tools: [] }, () => [answer('Hi.')])
    await create(alone, {})
    expect(systemOf(alone)).not.toContain('file_search')
  })

  test('an operator may offer the tool to requests that do not declare it, and they are shown its calls', async () => {
    const made = served({ offered: { tools: [{ ...TOOL, vector_store_ids: ['vs_operator'] }] } })
    const response = await create(made, { tools: [] })
    expect(searchIn(response).status).toBe('completed')
    expect(response.tools).toEqual([])
    expect(made.asked[0]?.vectorStoreIds).toEqual(['vs_operator'])
  })

  test('a model must begin with a demanded search', async () => {
    const made = served({}, ({ messages }) =>
      resultIn(messages) === '' ? [call('file_search.search', { queries: ['otters'] })] : [answer('Yes.')],
    )
    const response = await create(made, { tool_choice: { type: 'file_search' } })
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'file_search_call', 'message'])
  })

  test('a search that fails is one that the model reads of, and the response continues', async () => {
    const failing = fileSearch(() => {
      throw new Error('the index is away')
    })
    const made = served({ tools: [failing] }, ({ messages }) =>
      resultIn(messages) === '' ? [call('file_search.search', { queries: ['otters'] })] : [answer('I cannot look.')],
    )
    const response = await create(made, {})
    expect(searchIn(response)).toMatchObject({ status: 'failed', results: null })
    expect([response.status, response.output_text]).toEqual(['completed', 'I cannot look.'])
    expect(made.errors).toMatchObject([{ message: 'the index is away' }])
  })
})

describe('a search in the next request', () => {
  const again = (
    made: ReturnType<typeof served>,
    input: OpenAI.Responses.ResponseInput,
    tools = true,
    include: OpenAI.Responses.ResponseIncludable[] = [],
  ) =>
    create(made, {
      input: [...input, { role: 'user', content: 'And seals?' }],
      ...(!tools && { tools: [] }),
      include,
      store: false,
    })

  test('a search that comes back with its results reads as it did when it was made', async () => {
    const made = served()
    const response = await create(made, { include: ['file_search_call.results'], store: false })
    const read = resultIn(made.engine.calls[1]?.messages ?? [])
    await again(made, response.output as OpenAI.Responses.ResponseInput)
    const messages = made.engine.calls[2]?.messages ?? []
    expect(resultIn(messages)).toBe(read)
    expect(messages.find(({ recipient }) => recipient === 'file_search.search')).toMatchObject({
      channel: 'analysis',
      content: '{"queries":["otters","hands"]}',
    })
  })

  test('a search without results is the call alone, and nothing where the request has no such tool', async () => {
    const made = served()
    const { output } = await create(made, { store: false })
    const searches = async (tools: boolean): Promise<number> => {
      const before = made.engine.calls.length
      await again(made, output as OpenAI.Responses.ResponseInput, tools)
      return (
        made.engine.calls[before]?.messages.filter(({ recipient }) => recipient === 'file_search.search').length ?? 0
      )
    }
    expect([await searches(true), await searches(false)]).toEqual([1, 0])
  })

  /** A model that searches, answers, and in the next answer cites what it read before. */
  const citingLater: Script = ({ messages }) => {
    const isLater = messages.some(({ content }) => content.includes('And seals?'))
    return isLater ? [answer(`They hold hands${marksIn(resultIn(messages))[0]}.`)] : searchAndAnswer(resultIn(messages))
  }
  const searchAndAnswer = (result: string) =>
    result === '' ? [call('file_search.search', { queries: ['otters'] })] : [answer('Yes.')]
  const CITED = {
    content: [
      {
        text: 'They hold hands.',
        annotations: [{ type: 'file_citation', file_id: 'file-1', filename: 'otters.md', index: 15 }],
      },
    ],
  }

  test('the model cites in an answer the results of a search in an earlier stored response', async () => {
    const made = served({}, citingLater)
    const { id } = await create(made, {})
    const next = await create(made, { previous_response_id: id, input: 'And seals?' })
    expect(next.output.at(-1)).toMatchObject(CITED)
    const last = await create(made, { previous_response_id: next.id, input: 'And seals?' })
    expect(last.output.at(-1)).toMatchObject(CITED)
  })

  test('the model cites the results of a search that the client sends back', async () => {
    const made = served({}, citingLater)
    const { output } = await create(made, { include: ['file_search_call.results'], store: false })
    expect((await again(made, output as OpenAI.Responses.ResponseInput)).output.at(-1)).toMatchObject(CITED)
  })

  test('the model cites the results of a search that only the seal of the response has', async () => {
    const made = served({}, citingLater)
    const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content']
    const { output } = await create(made, { include, store: false })
    expect(output).toContainEqual(expect.objectContaining({ type: 'file_search_call', results: null }))
    const next = await again(made, output as OpenAI.Responses.ResponseInput, true, include)
    expect(next.output.find(({ type }) => type === 'message')).toMatchObject(CITED)
    const last = await again(made, [...output, ...next.output] as OpenAI.Responses.ResponseInput)
    expect(last.output.find(({ type }) => type === 'message')).toMatchObject(CITED)
  })

  test('a stored conversation continues from the tokens that the model read', async () => {
    const made = served()
    const { id } = await create(made, {})
    const read = resultIn(made.engine.calls[1]?.messages ?? [])
    await create(made, { previous_response_id: id, input: 'And seals?' })
    expect(resultIn(made.engine.calls[2]?.messages ?? [])).toBe(read)
  })
})

describe('a search in the other APIs', () => {
  test('Chat Completions has the answer without the mark, and no citation that its annotations cannot say', async () => {
    const made = served({ offered: { tools: [TOOL] } })
    const completion = await made
      .client()
      .chat.completions.create({ model: 'gpt-oss', messages: [{ role: 'user', content: 'Do otters hold hands?' }] })
    expect(completion.choices[0]?.message).toMatchObject({ content: 'They hold hands.' })
    expect(completion.choices[0]?.message.annotations ?? []).toEqual([])
  })

  test('the audit has the queries of a search', async () => {
    const records: unknown[] = []
    const made = served({ audit: (record) => void records.push(record), auditArguments: true })
    await create(made, {})
    expect(records).toMatchObject([{ type: 'file_search_call', arguments: ['otters', 'hands'] }])
  })
})
