import { expect, test } from 'vitest'
import { unknownToolTypes } from '../../src/recipients/tool-types.js'
import { builtin, custom, fn, mcp, ns } from './tools.js'

const unknown = (...types: string[]): string[] => [...unknownToolTypes(types.map(builtin))]

test.each([
  'function',
  'file_search',
  'computer',
  'computer_use_preview',
  'web_search',
  'web_search_2025_08_26',
  'mcp',
  'code_interpreter',
  'programmatic_tool_calling',
  'image_generation',
  'local_shell',
  'shell',
  'custom',
  'namespace',
  'tool_search',
  'web_search_preview',
  'web_search_preview_2025_03_11',
  'apply_patch',
])('%s is a type that the API has', (type) => {
  expect(unknown(type)).toEqual([])
})

test.each(['functon', 'functions', 'Function', 'web_search_soon', 'constructor', 'openai:mcp', 'mcp\n'])(
  '%j is none',
  (type) => {
    expect(unknown(type)).toEqual([type])
  },
)

test('each is named once', () => {
  expect(unknown('functon', 'mpc', 'functon')).toEqual(['functon', 'mpc'])
})

test('in a namespace there are functions and custom tools', () => {
  const inside = [fn('f'), custom('c'), mcp('m'), builtin('functon')]
  expect([...unknownToolTypes([{ ...ns('crm'), tools: inside } as (typeof inside)[number]])]).toEqual([
    'mcp',
    'functon',
  ])
})
