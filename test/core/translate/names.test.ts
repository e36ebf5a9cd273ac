import { describe, expect, test } from 'vitest'
import { fn, mcp, ns } from '../recipients/tools.js'
import { callTo, codes, createRun, inTurn, terminal } from './run.js'

const DOCS = ns('mcp__docs', 'lookup')
const WIKI = ns('wiki', 'lookup')

describe('a call by another name than its tool has', () => {
  test('a call by another name is a call of its tool, and a diagnostic says how it was written', () => {
    const run = createRun({ request: { tools: [DOCS] } })
    run.push(callTo('mcp__docs__lookup', '{"q":1}<|call|>'))
    expect(terminal(run.end()).output).toMatchObject([
      { type: 'function_call', name: 'lookup', namespace: 'mcp__docs', arguments: '{"q":1}', status: 'completed' },
    ])
    expect(run.diagnostics).toEqual([{ code: 'misspelled_recipient', subject: 'mcp__docs__lookup', index: 0 }])
  })

  test('the result of a call by another name comes from the author of that name', () => {
    const mcpListings = [{ serverLabel: 'github', tools: [{ name: 'search' }] }]
    const run = createRun({ request: { tools: [mcp('github')] }, mcpListings })
    run.push(callTo('mcp__github__search', '{}<|call|>'))
    run.answer('mcp__github__search', 'found')
    expect(terminal(run.end()).output[1]).toMatchObject({ name: 'search', status: 'completed', output: 'found' })
    expect(codes(run.diagnostics)).toEqual(['misspelled_recipient'])
  })

  test('a call whose name several tools have fails, and its error has their names', () => {
    const run = createRun({ request: { tools: [DOCS, WIKI] } })
    run.push(callTo('functions.lookup', '{"q":1}<|call|>'))
    const message = 'tool not available: several tools have this name. Use one of mcp__docs.lookup, wiki.lookup'
    expect(terminal(run.end()).output).toMatchObject([
      { type: 'mcp_call', server_label: 'functions', name: 'lookup', status: 'failed', error: { message } },
    ])
    expect(run.diagnostics).toMatchObject([{ code: 'unavailable_tool', subject: 'functions.lookup' }])
  })

  test('the error of a call whose name very many tools have is bounded', () => {
    const tools = Array.from({ length: 500 }, (_, at) => ns(`n${at}`, 'lookup'))
    const run = createRun({ request: { tools } })
    run.push(callTo('lookup', '{}<|call|>'))
    const [item] = terminal(run.end()).output
    expect((item as { error: { message: string } }).error.message.split(', ')).toHaveLength(10)
  })
})

describe('what follows the arguments of a call', () => {
  test('text after the arguments is in no call of a server and in no request for an approval', () => {
    const guarded = { ...mcp('vault'), require_approval: 'always' as const }
    const seals: string[] = []
    const run = createRun({
      request: { tools: [mcp('github'), guarded] },
      sealApproval: (call, id) => {
        seals.push(call.arguments)
        return id
      },
    })
    const text = '{"q":1} I will look<|call|>'
    run.push(inTurn(callTo('github.search', text), callTo('vault.open', text)))
    expect(terminal(run.end()).output).toMatchObject([
      { type: 'mcp_call', arguments: '{"q":1}' },
      { type: 'mcp_approval_request', arguments: '{"q":1}' },
    ])
    expect(seals).toEqual(['{"q":1}'])
    expect(run.diagnostics).toMatchObject([
      { code: 'text_after_arguments', subject: 'github.search', text: ' I will look' },
      { code: 'text_after_arguments', subject: 'vault.open', text: ' I will look' },
      { code: 'missing_result' },
    ])
  })

  test('code for a server instead of the interpreter is not cut where a set ends', () => {
    const run = createRun({ request: { tools: [mcp('code_interpreter')] } })
    run.push(callTo('python', '{1}\nprint(2)<|call|>'))
    expect(terminal(run.end()).output).toMatchObject([{ type: 'mcp_call', arguments: '{1}\nprint(2)' }])
  })

  test('calls that are shown whole show the same arguments', () => {
    for (const calls of ['live', 'whole'] as const) {
      const run = createRun({ request: { tools: [fn('f')] }, calls })
      run.push(inTurn(callTo('functions.f', '{"a":1}!<|call|>'), callTo('python', 'print(1)<|call|>')))
      expect(terminal(run.end()).output).toMatchObject([{ arguments: '{"a":1}' }, { arguments: '{"code":"print(1)"}' }])
    }
  })
})
