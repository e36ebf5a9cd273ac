import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyRecipient } from '../../../src/core/recipients/classify.js'
import { withConversationTools } from '../../../src/core/recipients/conversation-tools.js'
import { declareTools, growingTools } from '../../../src/core/recipients/declared-tools.js'
import type { UnknownTool } from '../../../src/core/responses/request.js'
import { RUNS } from '../../support/runs.js'
import { recipient, tools } from './arbitraries.js'
import { builtin, custom, fn, mcp } from './tools.js'

const declares = (...tools: readonly object[]): object => ({ type: 'additional_tools', role: 'developer', tools })
const group = (name: string, ...tools: readonly object[]): object => ({ type: 'namespace', name, tools })
const user = { role: 'user', content: 'Hi' }

/** All tools of a request with these lists of tools: its own, and those of items. */
function whole(own: readonly object[] | undefined, ...lists: readonly (readonly object[])[]) {
  const input = lists.flatMap((tools) => [user, declares(...tools)])
  return withConversationTools({ ...(own && { tools: own as UnknownTool[] }), input })
}

describe('the tools of a conversation', () => {
  test.each([
    ['a text', { input: 'Hi' }],
    ['no input', { tools: [fn('a')] }],
    ['no declaration in its input', { tools: [fn('a')], input: [user] }],
    ['an empty declaration', { tools: [fn('a')], input: [declares()] }],
    [
      'its own tools declared again',
      { tools: [fn('a'), mcp('docs')], input: [declares(mcp('docs')), declares(fn('a'))] },
    ],
  ])('a request with %s stays the same object', (_, request) => {
    expect(withConversationTools(request).request).toBe(request)
  })

  test('tools of items follow those of the request, each once', () => {
    const { request } = whole([fn('a')], [custom('b'), fn('a')], [custom('b'), builtin('shell')])
    expect(request.tools).toEqual([fn('a'), custom('b'), builtin('shell')])
  })

  test('equal declarations may have their fields in another order', () => {
    const [one, other] = [
      { type: 'function', name: 'a', parameters: { type: 'object', required: ['b'] } },
      { parameters: { required: ['b'], type: 'object' }, name: 'a', type: 'function' },
    ]
    expect(whole(undefined, [one], [other]).request.tools).toEqual([one])
  })

  test.each<[what: string, before: object, after: object]>([
    ['a function', { ...fn('a'), description: 'Old.' }, { ...fn('a'), description: 'New.' }],
    ['a function, by a custom tool', fn('a'), custom('a')],
    ['a server', mcp('docs', ['a']), mcp('docs', ['b'])],
    ['a search', builtin('web_search'), { type: 'web_search_preview', search_context_size: 'low' }],
  ])('a later declaration replaces %s', (_, before, after) => {
    expect(whole([before, fn('z')], [after]).request.tools).toEqual([fn('z'), after])
    expect(whole(undefined, [before, fn('z')], [after]).request.tools).toEqual([fn('z'), after])
  })

  test('entries of one list for one server stay together, and are replaced together', () => {
    const [one, other, last] = [mcp('docs', ['a']), mcp('docs', ['b']), mcp('docs', ['c'])]
    expect(whole([one], [one, other]).request.tools).toEqual([one, other])
    expect(whole([one, other], [last]).request.tools).toEqual([last])
  })

  test('a namespace gains members, and loses those that are declared anew', () => {
    const changed = { ...fn('b'), description: 'New.' }
    const { request, placeOf } = whole(
      [group('docs', fn('a'), fn('b'))],
      [group('docs', fn('a'), changed, custom('c'))],
    )
    expect(request.tools).toEqual([group('docs', fn('a')), group('docs', changed, custom('c'))])
    expect(placeOf('tools[1].tools[1].name')).toBe('input[1].tools[0].tools[2].name')
  })

  test('a namespace of which nothing is left is left out', () => {
    expect(whole([group('docs', fn('a'))], [group('docs', custom('a'))]).request.tools).toEqual([
      group('docs', custom('a')),
    ])
  })

  test('a tool in a namespace is another one than the same name outside of it', () => {
    expect(whole([fn('a')], [group('docs', fn('a'))]).request.tools).toHaveLength(2)
  })

  test('paths lead to the declaration in the request', () => {
    const { placeOf } = whole([fn('a'), fn('b')], [custom('a'), fn('c')])
    expect(placeOf('tools[0].parameters')).toBe('tools[1].parameters')
    expect(placeOf('tools[2].parameters/properties/x: wrong')).toBe('input[1].tools[1].parameters/properties/x: wrong')
    expect(placeOf('text.format')).toBe('text.format')
  })

  test('tools that are declared list by list are addressed as if all in force were one list', () => {
    fc.assert(
      fc.property(fc.array(tools, { minLength: 1, maxLength: 4 }), recipient, (lists, name) => {
        const [own = [], ...others] = lists
        const { request } = whole(own, ...others)
        const declareMore = growingTools()
        const grown = lists.map((list, nth) => declareMore(list, `list ${nth}`)).at(-1) ?? expect.unreachable()
        const called = (to: string): unknown => classifyRecipient(to, undefined, grown)
        expect(called(name)).toEqual(classifyRecipient(name, undefined, declareTools(request.tools)))
      }),
      { numRuns: RUNS },
    )
  })
})
