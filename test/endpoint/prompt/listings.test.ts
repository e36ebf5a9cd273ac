import { describe, expect, test } from 'vitest'
import { policies } from '../../../src/core/recipients/policy.js'
import { teachTools } from '../../../src/endpoint/prompt/taught-tools.js'

const server = (more: object = {}) => ({ type: 'mcp', server_label: 'docs', ...more })
const listing = (...names: string[]) => ({
  serverLabel: 'docs',
  tools: names.map((name, at) => ({ name, description: `${name} ${at}` })),
})

function taught(tools: object[], ...listings: ReturnType<typeof listing>[]) {
  const { namespaces, omitted } = teachTools({ tools }, listings, policies.openai)
  return { namespaces, omitted: omitted.map(({ name }) => name) }
}

describe('a tool that is listed twice', () => {
  test('a tool that is listed twice is taught as the first listing has it', () => {
    const { namespaces } = taught([server()], listing('find'), listing('open', 'find'))
    expect(namespaces.map(({ name }) => name)).toEqual(['docs'])
    expect(namespaces[0]?.tools.map(({ description }) => description)).toEqual(['find 0', 'open 0'])
  })

  test('a tool that is listed twice is omitted once', () => {
    expect(taught([server()], listing('get page'), listing('get page')).omitted).toEqual(['get page'])
  })
})

describe('a server that is declared twice', () => {
  test('a server that is declared twice is taught once, with the tools that either entry allows', () => {
    const tools = [server({ allowed_tools: ['find'] }), server({ allowed_tools: ['open', 'get page'] })]
    const { namespaces, omitted } = taught(tools, listing('open', 'find', 'close', 'get page'))
    expect(namespaces[0]?.tools.map(({ name }) => name)).toEqual(['open', 'find'])
    expect(omitted).toEqual(['get page'])
  })

  test('a server that is declared twice has the first description that it is given', () => {
    const tools = [server(), server({ server_description: 'Pages.' }), server({ server_description: 'Other.' })]
    expect(taught(tools, listing('find')).namespaces[0]?.description).toBe('Pages.')
  })
})
