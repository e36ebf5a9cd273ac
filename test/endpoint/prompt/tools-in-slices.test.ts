import { expect, it } from 'vitest'
import { policies } from '../../../src/core/recipients/policy.js'
import { toolsInSlices } from '../../../src/endpoint/prompt/taught-tools.js'

/** Returns the number of pauses. */
function pausesOf(tools: readonly object[], listed: number): number {
  const listing = { serverLabel: 'docs', tools: Array.from({ length: listed }, (_, at) => ({ name: `tool_${at}` })) }
  return [...toolsInSlices({ tools }, [listing], policies.openai)].length
}

const SERVER = { type: 'mcp', server_label: 'docs', server_url: 'https://docs.invalid' }
const functions = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ type: 'function', name: `f_${at}` }))

it('the tools of a server that lists thousands are taught in slices', () => {
  expect(pausesOf([SERVER], 5_000)).toBeGreaterThan(20)
})

it('the functions of a request are taught in slices', () => {
  expect(pausesOf(functions(1_000), 0)).toBeGreaterThan(3)
})

it('the functions of a namespace are taught in slices', () => {
  expect(pausesOf([{ type: 'namespace', name: 'space', description: '', tools: functions(1_000) }], 0)).toBeGreaterThan(
    3,
  )
})

it('a few tools are taught without a pause', () => {
  expect(pausesOf([SERVER, ...functions(50)], 50)).toBe(0)
})
