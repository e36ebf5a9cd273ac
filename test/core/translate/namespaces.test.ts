import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/index.js'
import { sampled } from '../../support/runs.js'
import { describeWithShared, sharedFolder } from '../../support/shared-data.js'
import { Translator } from '../../support/translator.js'
import { custom, fn, ns } from '../recipients/tools.js'
import { brief, callTo, createRun, FIXED, inTurn, messageOn, terminal } from './run.js'

const request: ResponseRequest = {
  tools: [fn('f'), ns('mcp__docs', 'lookup'), { ...ns('fs'), tools: [custom('patch')] }],
  tool_choice: {
    type: 'allowed_tools',
    mode: 'auto',
    tools: [{ type: 'function', name: 'f' }, ...['mcp__docs', 'fs'].map((name) => ({ type: 'namespace', name }))],
  },
}

describe('a call of a tool in a namespace', () => {
  test('a call of a function in a namespace names both, apart, from its beginning to the response', () => {
    const run = createRun({ request })
    run.push(callTo('mcp__docs.lookup', '{"q":"life"}<|call|>'))
    const item = { type: 'function_call', id: 'fc_0', call_id: 'call_1', name: 'lookup', namespace: 'mcp__docs' }
    expect(run.events.flatMap((event) => ('item' in event ? [event.item] : []))).toEqual([
      { ...item, status: 'in_progress', arguments: '' },
      { ...item, status: 'completed', arguments: '{"q":"life"}' },
    ])
    expect(terminal(run.end()).output).toEqual([{ ...item, status: 'completed', arguments: '{"q":"life"}' }])
    expect(run.diagnostics).toEqual([])
  })

  test('a call of a custom tool in a namespace names both, apart', () => {
    const run = createRun({ request })
    run.push(callTo('functions.fs.patch', '*** Begin<|call|>'))
    expect(terminal(run.end()).output).toEqual([
      {
        type: 'custom_tool_call',
        id: 'ctc_0',
        status: 'completed',
        call_id: 'call_1',
        name: 'patch',
        namespace: 'fs',
        input: '*** Begin',
      },
    ])
  })

  test('a call of a tool in no namespace has no namespace', () => {
    const run = createRun({ request })
    run.push(callTo('functions.f', '{}<|call|>'))
    expect(terminal(run.end()).output[0]).not.toHaveProperty('namespace')
  })

  test('a call of a tool that the namespace does not have is one that the client can refuse, and is reported', () => {
    const run = createRun({ request })
    run.push(callTo('mcp__docs.write', '{}<|call|>'))
    expect(run.diagnostics).toEqual([{ code: 'undeclared_recipient', subject: 'mcp__docs.write', index: 0 }])
    expect(terminal(run.end()).output).toMatchObject([{ type: 'function_call', name: 'write', namespace: 'mcp__docs' }])
  })

  test('a call of a tool in a namespace is reported by both names', () => {
    const run = createRun({ request, calls: 'whole' })
    run.push(inTurn(callTo('mcp__docs.lookup', '<|call|>'), callTo('fs.patch', 'half')))
    run.end()
    expect(run.diagnostics).toMatchObject([
      { code: 'blank_arguments', subject: 'mcp__docs.lookup' },
      { code: 'call_cut_off', subject: 'fs.patch' },
    ])
  })

  test('a call of a tool in a namespace continues from a snapshot as it was', () => {
    const run = createRun({ request })
    run.push(callTo('mcp__docs.lookup', '{"q":'))
    const snapshot = JSON.parse(JSON.stringify(run.translator.snapshot()))
    const events = Translator.restore(snapshot, { ...FIXED, request }).push('1}<|call|>')
    expect(events.at(-1)).toMatchObject({ item: { name: 'lookup', namespace: 'mcp__docs', status: 'completed' } })
  })

  test('a call of a tool in a namespace is found if its name stands bare in a header, without to=', () => {
    const run = createRun({ request })
    run.push('<|channel|>commentary mcp__docs.lookup<|message|>{}<|call|>')
    expect(terminal(run.end()).output).toMatchObject([{ name: 'lookup', namespace: 'mcp__docs' }])
  })

  test("the result in the transcript of a call in a namespace is the client's, and no news", () => {
    const run = createRun({ request })
    run.push(callTo('mcp__docs.lookup', '{}<|call|>'))
    expect(run.answer('mcp__docs.lookup', '42')).toEqual([])
    expect(run.answer('functions.mcp__docs.lookup', '42')).toEqual([])
    expect(run.diagnostics).toEqual([])
  })
})

test('the request is echoed as it is', () => {
  const run = createRun({ request })
  run.push(messageOn('final', 'Hi<|return|>'))
  expect(terminal(run.end())).toMatchObject({ tools: request.tools, tool_choice: request.tool_choice })
})

// The requests that Codex really sends.
describeWithShared('what Codex declares', () => {
  const folder = join(sharedFolder() ?? '', 'data/requests')
  const files = sharedFolder() === undefined ? [] : readdirSync(folder).filter((file) => file.startsWith('codex'))
  const bodies = files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).body as ResponseRequest)
  const declaring = bodies.filter(({ tools }) => tools?.some(({ type }) => type === 'namespace'))

  test('what Codex declares can be called, every tool of every namespace, and nothing of it is unknown', () => {
    expect(declaring.length).toBeGreaterThan(10)
    const cases = declaring.flatMap((request) =>
      (request.tools ?? []).flatMap((tool) => {
        if (tool.type !== 'namespace') return []
        const { name: namespace, tools } = tool as ReturnType<typeof ns>
        return tools.map((inside) => ({ request, namespace, name: (inside as { name: string }).name }))
      }),
    )
    expect(cases.length).toBeGreaterThan(100)
    for (const { request, namespace, name } of sampled(cases)) {
      const run = createRun({ request })
      run.push(
        inTurn(callTo(`${namespace}.${name}`, '{}<|call|>'), callTo(`functions.${namespace}.${name}`, '{}<|call|>')),
      )
      const call = { type: 'function_call', name, namespace, status: 'completed' }
      expect(terminal(run.end('stop')).output).toMatchObject([call, call])
      expect(run.diagnostics, `${namespace}.${name}`).toEqual([])
    }
  })

  test('what Codex declares is streamed to the docs server in the very words that it answers to', () => {
    const request = declaring.find(({ tools }) => tools?.some((tool) => 'name' in tool && tool.name === 'mcp__docs'))
    const run = createRun({ request: request ?? expect.unreachable() })
    run.push(callTo('mcp__docs.lookup', '{"q":"life"}<|call|>'))
    expect(brief(run.end('stop'))).toEqual(['completed'])
    expect(run.translator.response.output).toMatchObject([{ name: 'lookup', namespace: 'mcp__docs' }])
  })
})
