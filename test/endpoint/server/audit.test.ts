import { describe, expect, test } from 'vitest'
import type { CallRecord } from '../../../src/endpoint/server/index.js'
import { functionTools, ToolError } from '../../../src/endpoint/tools/functions.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer, call } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

const SECRET = 'the password is hunter2'
const input = { type: 'object', properties: { note: { type: 'string' } } }
const desk = functionTools('desk', {
  write: { parameters: input, run: () => SECRET },
  refuse: {
    parameters: input,
    run: () => {
      throw new ToolError(SECRET, { code: 'closed' })
    },
  },
  break: {
    parameters: input,
    run: () => {
      throw new Error(SECRET)
    },
  },
})
const searching: Tool = { answers: ({ type }) => type === 'web_search_call', run: async () => ({ output: SECRET }) }

/** An endpoint whose model makes these calls in one turn each, with the records of the audit. */
function audited(calls: readonly string[], options: { auditArguments?: boolean } = {}) {
  const records: CallRecord[] = []
  let milliseconds = 0
  const script = [...calls.map((name) => call(name, { note: SECRET })), answer('Done.')]
  const served = endpoint(script, {
    tools: [desk, searching],
    audit: (record) => void records.push(record),
    clock: () => 1000,
    now: () => (milliseconds += 250),
    ...options,
  })
  const tools = [{ ...desk.declaration }, { type: 'web_search' }]
  return { ...served, records, ask: () => served.create({ input: 'Go on', tools }, { authorization: 'Bearer ann' }) }
}

describe('the audit', () => {
  test('the audit has a record of each call that ran: whose, which, allowed by what, how long, how it ended', async () => {
    const { ask, records, errors } = audited(['desk.write', 'desk.refuse', 'desk.break', 'browser.search'])
    const { body } = await ask()
    const calls = body.output.filter(({ type }: { type: string }) => type.endsWith('_call'))
    const [first, second, third, fourth] = calls.map(({ id }: { id: string }) => id)
    const all = { at: 1000, owner: 'ann', responseId: body.id, allowedBy: 'request', seconds: 0.25 }
    const mcp = { ...all, type: 'mcp_call', serverLabel: 'desk' }
    expect(records).toEqual([
      { ...mcp, itemId: first, name: 'write', outcome: 'completed' },
      { ...mcp, itemId: second, name: 'refuse', outcome: 'failed', errorCode: 'closed' },
      { ...mcp, itemId: third, name: 'break', outcome: 'failed' },
      { ...all, type: 'web_search_call', itemId: fourth, outcome: 'completed' },
    ])
    expect(errors.map(String)).toEqual([`Error: ${SECRET}`])
  })

  test('the audit has no text of the conversation, unless the host asks for the arguments', async () => {
    const without = audited(['desk.write', 'desk.refuse', 'desk.break'])
    await without.ask()
    expect(without.records).toHaveLength(3)
    expect(JSON.stringify(without.records)).not.toContain('hunter2')
    const { ask, records } = audited(['desk.write'], { auditArguments: true })
    await ask()
    expect(records).toMatchObject([{ arguments: JSON.stringify({ note: SECRET }) }])
  })

  test('a call that the user approved is recorded with its approval, and not before', async () => {
    const { create, records } = audited(['desk.write'])
    const tools = [{ ...desk.declaration, require_approval: 'always' }]
    const first = await create({ input: 'Write', tools })
    expect(records).toEqual([])
    const { id } = first.body.output.at(-1)
    const approval = { type: 'mcp_approval_response', approval_request_id: id, approve: true }
    await create({ input: [approval], tools, previous_response_id: first.body.id })
    expect(records).toMatchObject([{ name: 'write', allowedBy: 'approval', approvalRequestId: id }])
  })

  test('a call that the request does not allow did not run, and has no record', async () => {
    const { create, records } = audited(['desk.write'])
    const { body } = await create({ input: 'Write', tools: [{ ...desk.declaration, allowed_tools: ['refuse'] }] })
    expect(body.output[1]).toMatchObject({ type: 'mcp_call', status: 'failed' })
    expect(records).toEqual([])
  })

  test('a call whose client leaves is recorded as cancelled', async () => {
    const { promise: ran, resolve } = withResolvers<CallRecord>()
    const { promise: begun, resolve: begin } = withResolvers<void>()
    const waiting: Tool = {
      answers: ({ type }) => type === 'web_search_call',
      run: (_, { signal }) => {
        begin()
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    }
    const script = [call('browser.search', { query: 'x' })]
    const { send } = endpoint(script, { tools: [waiting], audit: resolve })
    const abort = new AbortController()
    const body = JSON.stringify({ input: 'Search', tools: [{ type: 'web_search' }], stream: true })
    const response = await send('/v1/responses', { method: 'POST', body, signal: abort.signal })
    const reading = response.text().catch(() => {})
    await begun
    abort.abort()
    expect(await ran).toMatchObject({ type: 'web_search_call', outcome: 'cancelled' })
    await reading
  })

  test('an audit that fails is an error of the host, and fails no call', async () => {
    const full = new Error('disk full')
    const options = { tools: [desk], audit: () => Promise.reject(full) }
    const { create, errors } = endpoint([call('desk.write', {}), answer('Done.')], options)
    const { body } = await create({ input: 'Write', tools: [desk.declaration] })
    expect(body.output[1]).toMatchObject({ type: 'mcp_call', status: 'completed' })
    expect(errors).toEqual([full])
  })
})

function withResolvers<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
