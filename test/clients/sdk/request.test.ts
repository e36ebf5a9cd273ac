import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FIELDS, type Field } from '../../../src/endpoint/request/fields.js'
import { parseRequest } from '../../../src/endpoint/request/index.js'
import { CONTENT } from '../../../src/endpoint/request/schemas/content.js'
import { ITEMS } from '../../../src/endpoint/request/schemas/input.js'
import { FORMATS } from '../../../src/endpoint/request/schemas/text-format.js'
import { TOOL_CHOICES } from '../../../src/endpoint/request/schemas/tool-choice.js'
import { TOOLS } from '../../../src/endpoint/request/schemas/tools.js'
import { withItem, withTools } from '../../endpoint/request/errors.js'
import { memberValues, sdkRequests, sdkType } from '../../endpoint/request/sdk-values.js'
import { literalsOf, membersOf, propertiesOf, propertyOf } from '../../support/declared-type.js'
import { runs } from '../../support/runs.js'

const refuse = { unknown: 'refuse' } as const

/** The types of a union's members, by their `type`; `message` for the one whose type is optional. */
function typesIn(name: string): Set<string> {
  const types = membersOf(sdkType(name)).flatMap((member) =>
    propertiesOf(member).has('type') ? literalsOf(propertyOf(member, 'type')) : [],
  )
  return new Set(types)
}

describe('the parameters of openai 7.59', () => {
  const create = propertiesOf(sdkType('ResponseCreateParams'))
  const message = membersOf(sdkType('ResponsesClientEvent')).find((event) =>
    literalsOf(propertyOf(event, 'type')).includes('response.create'),
  )
  const onSocket = message === undefined ? new Set<string>() : propertiesOf(message)
  const fields: [string, Field][] = Object.entries(FIELDS)

  test('each parameter of the SDK has a row of the table', () => {
    expect(create.size).toBeGreaterThan(25)
    expect([...create, ...onSocket].filter((name) => !Object.hasOwn(FIELDS, name))).toEqual([])
  })

  test('a row of the table that is not a parameter of the SDK names its sender', () => {
    expect(fields.filter(([name, { sentBy }]) => !create.has(name) && sentBy === undefined)).toEqual([])
    expect(fields.filter(([name, { sentBy }]) => create.has(name) && sentBy !== undefined)).toEqual([])
  })

  test('parameters of a WebSocket message alone are sent by its clients', () => {
    const only = [...onSocket].filter((name) => !create.has(name))
    expect(only.sort()).toEqual(['generate', 'stream_id', 'type'])
    expect(fields.filter(([, { sentBy }]) => sentBy === 'WebSocket clients').map(([name]) => name)).toEqual(
      expect.arrayContaining(only),
    )
  })

  test('a request of all parameters is read, and nothing that it has is unknown', () => {
    fc.assert(
      fc.property(sdkRequests, (body) => void parseRequest(body, refuse)),
      { numRuns: runs(500) },
    )
  })
})

describe('the items of openai 7.59', () => {
  /** Of its beta, which Codex sends in its mode of several agents. */
  const BETA = ['agent_message', 'multi_agent_call', 'multi_agent_call_output']

  test('the parser knows the types of items of openai 7.59, those of several agents, and no others', () => {
    expect(Object.keys(ITEMS).sort()).toEqual([...typesIn('ResponseInputItem'), ...BETA].sort())
  })

  test.each(memberValues('ResponseInputItem'))('a value of $name is read, field by field', ({ values }) => {
    fc.assert(
      fc.property(values, (item) => {
        const [read] = parseRequest(withItem(item), refuse).input as object[]
        expect(read).toMatchObject({ type: (item as { type?: string }).type ?? expect.any(String) })
      }),
      { numRuns: runs(100) },
    )
  })

  test.each(['ResponseOutputItem', 'ResponseItem'])('output of a server in %s is read when it comes back', (name) => {
    for (const { name: type, values } of memberValues(name)) {
      // The API returns these with any role, and accepts them with the developer's.
      if (type === 'AdditionalTools') continue
      fc.assert(
        fc.property(values, (item) => void parseRequest(withItem(item))),
        { numRuns: runs(20) },
      )
    }
  })

  test('the parser knows the types of content parts of openai 7.59, and no others', () => {
    const types = new Set([...typesIn('ResponseInputContent'), 'output_text', 'refusal'])
    expect(new Set(Object.keys(CONTENT))).toEqual(types)
  })
})

describe('the tools of openai 7.59', () => {
  test('the parser knows the types of tools of openai 7.59, and no others', () => {
    expect(Object.keys(TOOLS).sort()).toEqual([...typesIn('Tool')].sort())
  })

  test.each(memberValues('Tool'))('a value of $name is read, field by field', ({ values }) => {
    fc.assert(
      fc.property(values, (tool) => {
        const [read] = parseRequest(withTools(tool), refuse).tools ?? []
        expect(read?.type).toBe((tool as { type: string }).type)
      }),
      { numRuns: runs(100) },
    )
  })

  test('the parser knows the types of tool choices of openai 7.59', () => {
    const choice = propertyOf(sdkType('ResponseCreateParamsBase'), 'tool_choice')
    const types = membersOf(choice).flatMap((member) =>
      propertiesOf(member).has('type') ? literalsOf(propertyOf(member, 'type')) : [],
    )
    expect(types.length).toBeGreaterThan(10)
    expect(types.filter((type) => !Object.hasOwn(TOOL_CHOICES, type))).toEqual([])
  })
})

test('the parser knows the formats of openai 7.59, and no others', () => {
  expect(Object.keys(FORMATS).sort()).toEqual([...typesIn('ResponseFormatTextConfig')].sort())
})
