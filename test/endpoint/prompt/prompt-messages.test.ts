import { describe, expect, test } from 'vitest'
import { promptMessages } from '../../../src/endpoint/prompt/prompt-messages.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { expectGeneratedRows } from '../../docs/generated.js'
import { pageOf } from '../../docs/pages.js'
import { ITEM_CASES, type ItemCase, shown } from './item-cases.js'

const DATE = '2026-01-31'

describe('what becomes of input items', () => {
  test.each(ITEM_CASES)('$what becomes the messages of its row', (each) => {
    expect(conversationOf(each)).toEqual(each.messages)
  })

  test('docs/prompt.md has a row for each input item, and for no other', () => {
    expectGeneratedRows('docs/prompt.md', 'items', ITEM_CASES.map(row))
  })
})

describe('what becomes of content parts', () => {
  const table = sectionOf('parts')
  const partsOf = (row: string): string[] => [...row.matchAll(/`(\w+)`/g)].map(([, type = '']) => type)
  const [, , ...rows] = table.trim().split('\n')

  test.each(rows.flatMap((row) => partsOf(row.split('|')[1] ?? '').map((type) => [type, row] as const)))(
    'a content part of the type %s reads as docs/prompt.md says',
    (type, row) => {
      const part = { type, text: 'said', refusal: 'said', filename: 'a.pdf' }
      const render = (images?: 'placeholder'): string[] =>
        promptMessages({ input: [{ role: 'user', content: [part] }] }, { date: DATE, ...(images && { images }) })
          .slice(1)
          .map(({ content }) => content)
      if (row.includes('its `')) expect(render()).toEqual(['said'])
      else {
        expect(() => render()).toThrow(RequestError)
        const [, placeholder = ''] = /`\[(\w+)\]`/.exec(row) ?? []
        expect(render('placeholder')[0]).toMatch(new RegExp(`^\\[${placeholder}`))
      }
    },
  )

  test('the content parts that are known are those of docs/prompt.md', () => {
    const error = errorOf({ input: [{ role: 'user', content: [{ type: 'smell' }] }] })
    const known = [...error.message.matchAll(/'(\w+)'/g)].map(([, type]) => type).slice(1)
    expect(known.sort()).toEqual(rows.flatMap((row) => partsOf(row.split('|')[1] ?? '')).sort())
  })
})

describe('the reasons to refuse a request', () => {
  test('every type of item is in the table of docs/prompt.md', () => {
    const { message } = errorOf({ input: [{ type: 'dance' }] })
    const known = [...message.matchAll(/'(\w+)'/g)].map(([, type = '']) => type).slice(1)
    const listed = [...sectionOf('items').matchAll(/`(\w+)`/g)].map(([, type]) => type)
    expect(known.filter((type) => !listed.includes(type))).toEqual(['item_reference'])
  })

  const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'c1', output: '' }

  test.each<[what: string, request: object, param: string, code: string | null, message: string]>([
    ['an input that is a number', { input: 7 }, 'input', 'invalid_type', 'an integer'],
    ['an item that is a string', { input: ['Hi'] }, 'input[0]', 'invalid_type', 'an object'],
    ['an item of an unknown type', { input: [{ type: 'dance' }] }, 'input[0].type', 'invalid_value', "'dance'"],
    ['an item called __proto__', { input: [{ type: '__proto__' }] }, 'input[0].type', 'invalid_value', '__proto__'],
    ['an unknown role', { input: [{ role: 'tool', content: '' }] }, 'input[0].role', 'invalid_value', "'tool'"],
    ['a message without a role', { input: [{ type: 'message' }] }, 'input[0].role', 'missing_required_parameter', ''],
    [
      'an unknown part',
      { input: [{ role: 'user', content: [{ type: 'smell' }] }] },
      'input[0].content[0].type',
      'invalid_value',
      "'smell'",
    ],
    [
      'an image',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/a.png' }] }] },
      'input[0].content[0]',
      'unsupported_value',
      'image inputs',
    ],
    [
      'a call without an output',
      { input: [call] },
      'input[0].call_id',
      null,
      'No tool output found for function call c1',
    ],
    ['an output without a call', { input: [output] }, 'input[0].call_id', null, 'No tool call found'],
    [
      'a second output, which differs',
      { input: [call, output, { ...output, output: 'another' }] },
      'input[2].call_id',
      'duplicate_item',
      'c1',
    ],
    [
      'a second early output, which differs',
      { input: [output, { ...output, output: 'another' }, call] },
      'input[1].call_id',
      'duplicate_item',
      'c1',
    ],
    [
      'a second call with other arguments',
      { input: [call, output, { ...call, arguments: '[]' }] },
      'input[2].call_id',
      'duplicate_item',
      'c1',
    ],
    [
      'an output of another kind of call',
      { input: [call, { ...output, type: 'custom_tool_call_output' }] },
      'input[1].call_id',
      null,
      'No tool call found for custom tool call output',
    ],
    [
      'another item with the same id',
      {
        input: [
          { id: 'msg_1', role: 'user', content: '' },
          { id: 'msg_1', role: 'user', content: 'more' },
        ],
      },
      'input[1].id',
      'duplicate_item',
      'msg_1',
    ],
    ['a reference', { input: [{ type: 'item_reference', id: 'rs_1' }] }, 'input[0].id', null, "'rs_1' not found"],
    ['a reference without a type', { input: [{ id: 'rs_1' }] }, 'input[0].id', null, "'rs_1' not found"],
    [
      'sealed reasoning that nobody opened',
      { input: [{ type: 'reasoning', summary: [], encrypted_content: 'x' }] },
      'input[0].encrypted_content',
      'invalid_encrypted_content',
      '',
    ],
    [
      'a sealed compaction that nobody opened',
      { input: [{ type: 'compaction', encrypted_content: 'x' }] },
      'input[0].encrypted_content',
      'invalid_encrypted_content',
      '',
    ],
    [
      'an answer to no approval request',
      { input: [{ type: 'mcp_approval_response', approval_request_id: 'a', approve: true }] },
      'input[0].approval_request_id',
      null,
      "'a'",
    ],
    ['an unknown effort', { reasoning: { effort: 'hard' } }, 'reasoning.effort', 'invalid_value', "'hard'"],
    ['a tool without a type', { tools: [{}] }, 'tools[0].type', 'missing_required_parameter', ''],
    ['a function without a name', { tools: [{ type: 'function' }] }, 'tools[0].name', 'missing_required_parameter', ''],
    [
      'a function with white space in its name',
      { tools: [{ type: 'function', name: 'get weather' }] },
      'tools[0].name',
      'invalid_value',
      'pattern',
    ],
    [
      'a function and a custom tool with one name',
      {
        tools: [
          { type: 'function', name: 'f' },
          { type: 'custom', name: 'f' },
        ],
      },
      'tools[0].name',
      'invalid_value',
      'same name',
    ],
    [
      'an unknown format',
      { text: { format: { type: 'xml' } } },
      'text.format.type',
      'invalid_value',
      "Supported values are: 'text', 'json_object', and 'json_schema'",
    ],
  ])('a request is refused for %s', (_what, request, param, code, message) => {
    const error = errorOf(request)
    expect(error).toMatchObject({ param, code })
    expect(error.message).toContain(message)
  })
})

function conversationOf({ input, request = {}, sealed = {}, images }: ItemCase): string[] {
  const history = Object.entries(sealed).map(([sealed, text]) => ({ sealed, text }))
  const messages = promptMessages({ ...request, input }, { date: DATE, history, ...(images && { images }) })
  const isTools = ({ item, content }: (typeof messages)[number]): boolean =>
    item === undefined && content.startsWith('# Tools')
  return messages.filter((message) => message.role !== 'system' && !isTools(message)).map(shown)
}

function row({ what, messages }: ItemCase): string {
  const lines = messages.map((line) => `\`${line.replaceAll('\n', '⏎')}\``)
  return `| ${what} | ${lines.join('<br>') || 'nothing'} |`
}

function errorOf(request: object): RequestError {
  try {
    promptMessages(request, { date: DATE })
  } catch (error) {
    if (error instanceof RequestError) return error
    throw error
  }
  throw new Error('the request was rendered')
}

/** The text between the marks of a table of docs/prompt.md. */
function sectionOf(name: string): string {
  return pageOf('docs/prompt.md').split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? ''
}
