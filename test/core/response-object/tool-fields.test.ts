import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { unknownToolTypes } from '../../../src/core/response-object/tool-fields.js'
import { builtin, custom, fn, mcp, ns } from '../recipients/tools.js'

const unknown = (...types: string[]): string[] => [...unknownToolTypes(types.map(builtin))]

/** Every type of the SDK's union. If the SDK adds one, this does not compile until it is listed. */
const TYPES: Readonly<Record<OpenAI.Responses.Tool['type'], true>> = {
  function: true,
  file_search: true,
  computer: true,
  computer_use_preview: true,
  web_search: true,
  web_search_2025_08_26: true,
  mcp: true,
  code_interpreter: true,
  programmatic_tool_calling: true,
  image_generation: true,
  local_shell: true,
  shell: true,
  custom: true,
  namespace: true,
  tool_search: true,
  web_search_preview: true,
  web_search_preview_2025_03_11: true,
  apply_patch: true,
}

test.each(Object.keys(TYPES))('%s is a type that the API has', (type) => {
  expect(unknown(type)).toEqual([])
})

test.each(['functon', 'functions', 'Function', 'web_search_soon', 'constructor', 'openai:mcp', 'mcp\n'])(
  '%j is not a type of tool',
  (type) => {
    expect(unknown(type)).toEqual([type])
  },
)

test('each type of tool is named once', () => {
  expect(unknown('functon', 'mpc', 'functon')).toEqual(['functon', 'mpc'])
})

test('in a namespace there are functions and custom tools', () => {
  const inside = [fn('f'), custom('c'), mcp('m'), builtin('functon')]
  expect([...unknownToolTypes([{ ...ns('crm'), tools: inside } as (typeof inside)[number]])]).toEqual([
    'mcp',
    'functon',
  ])
})
