import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { sdkTypes } from '../../support/openai-sdk.js'
import {
  type AllowedGaps,
  OF_CHAT,
  OF_EVENTS,
  OF_INPUT,
  OF_MESSAGES,
  OF_OUTPUT_ITEMS,
  OF_REQUESTS,
  OF_RESPONSES,
  OF_SEVERAL_AGENTS,
  OF_THE_WIRE,
  OF_TOOLS,
} from './allowed-gaps.js'
import { ours, type TypeName, typeGaps } from './type-gaps.js'

/** A type of the pinned `openai`. */
const openai = (name: string, module = 'responses/responses'): TypeName => ({
  file: sdkTypes(`resources/${module}`),
  name,
})
const anthropic = (name: string): TypeName => ({
  file: fileURLToPath(new URL('resources/messages/messages.d.ts', import.meta.resolve('@anthropic-ai/sdk'))),
  name,
})

/** Where two types meet that are compared on their own. */
type Elsewhere = RegExp

const NOTHING: AllowedGaps = []
const PAIRS: readonly (readonly [
  title: string,
  theirs: TypeName,
  ours: TypeName,
  allowed: AllowedGaps,
  of?: Elsewhere,
])[] = [
  ['a request', openai('ResponseCreateParamsBase'), ours('core/responses/request.ts', 'ResponseRequest'), OF_REQUESTS],
  [
    'a parsed request',
    openai('ResponseCreateParamsBase'),
    ours('core/responses/parsed-request.ts', 'ParsedRequest'),
    OF_REQUESTS,
    /^\.(input|tools)\[\]/,
  ],
  ['an input item', openai('ResponseInputItem'), ours('core/responses/input-items.ts', 'InputItem'), OF_INPUT],
  [
    "an input item of the beta's several agents",
    openai('BetaResponseInputItem', 'beta/responses/responses'),
    ours('core/responses/input-items.ts', 'InputItem'),
    OF_SEVERAL_AGENTS,
  ],
  ['a content part', openai('ResponseInputContent'), ours('core/responses/input-content.ts', 'InputContent'), NOTHING],
  ['a tool', openai('Tool'), ours('core/responses/request-tools.ts', 'RequestTool'), OF_TOOLS],
  ['include', openai('ResponseIncludable'), ours('core/responses/request-parameters.ts', 'Includable'), NOTHING],
  [
    'an event that the judge reads',
    openai('ResponseStreamEvent'),
    ours('judge/conformance/schemas/events.ts', 'WireStreamEvent'),
    OF_THE_WIRE,
  ],
  [
    'an item that the judge reads',
    openai('ResponseOutputItem'),
    ours('judge/conformance/schemas/item-types.ts', 'WireOutputItem'),
    NOTHING,
  ],
  [
    'a response that the judge reads',
    openai('Response'),
    ours('judge/conformance/schemas/response.ts', 'WireResponse'),
    OF_THE_WIRE,
  ],
  [
    'an event that the translator emits',
    openai('ResponseStreamEvent'),
    ours('core/responses/events.ts', 'ResponseStreamEvent'),
    OF_EVENTS,
    /^<response\.completed>\.response\./,
  ],
  [
    'an item that the translator emits',
    openai('ResponseOutputItem'),
    ours('core/responses/items.ts', 'OutputItem'),
    OF_OUTPUT_ITEMS,
  ],
  [
    'a response that the translator emits',
    openai('Response'),
    ours('core/responses/response.ts', 'ResponseObject'),
    OF_RESPONSES,
    /^\.output\[\]/,
  ],
  [
    'a chunk of Chat Completions',
    openai('ChatCompletionChunk', 'chat/completions/completions'),
    ours('dialects/chat/completion.ts', 'ChatChunk'),
    OF_CHAT,
  ],
  [
    'an answer of Chat Completions',
    openai('ChatCompletion', 'chat/completions/completions'),
    ours('dialects/chat/completion.ts', 'ChatCompletion'),
    OF_CHAT,
  ],
  [
    'an event of the Messages API',
    anthropic('RawMessageStreamEvent'),
    ours('dialects/messages/message.ts', 'MessageStreamEvent'),
    OF_MESSAGES,
  ],
]

const found = typeGaps(PAIRS.map(([, theirs, ours]) => ({ theirs, ours })))
const rows = PAIRS.map(([title, , , allowed, elsewhere], at) => {
  const gaps = (found[at] ?? []).filter((gap) => !elsewhere?.test(gap))
  return { title, allowed, gaps }
})

describe('the types of the pinned SDKs', () => {
  test.each(rows)('$title of an SDK knows nothing that ours does not, but for what is allowed', ({ gaps, allowed }) => {
    expect(gaps.filter((gap) => !allowed.some(([place]) => place.test(gap)))).toEqual([])
  })

  test('each allowance has its use: without a gap it goes', () => {
    for (const allowed of new Set(rows.map((row) => row.allowed))) {
      const gaps = rows.filter((row) => row.allowed === allowed).flatMap((row) => row.gaps)
      expect(allowed.filter(([place]) => !gaps.some((gap) => place.test(gap)))).toEqual([])
    }
  })

  test('an event, an item, a field and a string that an SDK adds are found', () => {
    const planted = (name: string): TypeName => ({
      file: fileURLToPath(new URL('planted-types.ts', import.meta.url)),
      name,
    })
    const [events, items, includes] = typeGaps([
      { theirs: planted('ResponseStreamEvent'), ours: ours('judge/conformance/schemas/events.ts', 'WireStreamEvent') },
      { theirs: planted('ResponseInputItem'), ours: ours('core/responses/input-items.ts', 'InputItem') },
      { theirs: planted('ResponseIncludable'), ours: ours('core/responses/request-parameters.ts', 'Includable') },
    ])
    expect(events).toContain('<response.planted>')
    expect(items).toEqual(expect.arrayContaining(['<planted_call>', '<message>.planted']))
    expect(includes).toEqual([" = 'planted.logprobs'"])
  })
})
