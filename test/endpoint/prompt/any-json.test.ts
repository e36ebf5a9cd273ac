import { expect, test } from 'vitest'
import { promptMessages } from '../../../src/endpoint/prompt/prompt-messages.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { describeSlow } from '../../support/slow-suites.js'
import { ITEM_CASES } from './item-cases.js'

/** Items with fields that the table of items does not show. */
const input = [
  { type: 'web_search_call', id: 'ws_1', action: { type: 'search', queries: ['otters'] } },
  { type: 'shell_call', call_id: 'c1', action: { commands: ['ls'], timeout_ms: 10, max_output_length: 10 } },
  {
    type: 'shell_call_output',
    call_id: 'c1',
    output: [{ stdout: '', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
  },
  {
    type: 'local_shell_call',
    id: 'lsh_1',
    call_id: 'c2',
    action: { type: 'exec', command: ['ls'], env: { A: 'b' }, user: 'u', working_directory: '/', timeout_ms: 10 },
  },
  { type: 'local_shell_call_output', id: 'lsh_1', call_id: 'c2', output: '' },
]

const request = {
  input,
  instructions: 'Be brief.',
  reasoning: { effort: 'low' },
  text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object', properties: { a: {} } } } },
  tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'f' }] },
  tools: [
    { type: 'function', name: 'f', description: 'F', parameters: { type: 'object', properties: { a: {} } } },
    { type: 'custom', name: 'c' },
    { type: 'namespace', name: 'ns', description: 'NS', tools: [{ type: 'function', name: 'g' }] },
    { type: 'mcp', server_label: 'github', server_description: 'Code', allowed_tools: { tool_names: ['search'] } },
    { type: 'shell' },
    { type: 'web_search' },
  ],
}

/** Nested so deeply that recursion ends in an error. */
const DEEP = 50_000
const nested = (open: string, close: string): unknown => JSON.parse(`${open.repeat(DEEP)}1${close.repeat(DEEP)}`)

const VALUES: Readonly<Record<string, unknown>> = {
  null: null,
  'a boolean': true,
  'a number': -1.5,
  'an empty text': '',
  'another text': '__proto__',
  'an empty list': [],
  'an empty object': {},
  'a list of nothing': [null],
  'a list of numbers': [1],
  'a list of objects': [{ type: 'function', name: 'f' }],
  'an object of the wrong type': { type: 'dance' },
  'an object that shadows methods': { toString: 1, valueOf: 1, toJSON: 1, map: 1, length: 1 },
  'deep lists': nested('[', ']'),
  'deep objects': nested('{"a":', '}'),
}

describeSlow('a request is rendered, or refused with the parameter that is wrong', () => {
  test.each(Object.entries(VALUES))(
    'a request with %s in place of any value is rendered, or refused with the parameter that is wrong',
    (_what, value) => {
      const inputs = ITEM_CASES.map(({ input, request = {} }) => ({ ...request, input }))
      for (const original of [request, ...inputs]) {
        for (const at of placesIn(original).keys()) {
          const copy = structuredClone(original)
          const [holder, key] = placesIn(copy)[at] as Place
          holder[key] = value
          expect(faultOf(copy), `${key} of ${JSON.stringify(original)}`).toBeUndefined()
        }
      }
    },
  )
})

type Place = readonly [holder: { [key: string]: unknown }, key: string]

/** Every place of a value in a JSON value. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as { [key: string]: unknown }
  return Object.keys(holder).flatMap((key): Place[] => [[holder, key], ...placesIn(holder[key])])
}

/** An error that is not the client's. */
function faultOf(request: object): unknown {
  try {
    promptMessages(request, { date: '2026-01-31', images: 'placeholder' })
  } catch (error) {
    if (!(error instanceof RequestError) || error.param === null) return error
  }
  return undefined
}
