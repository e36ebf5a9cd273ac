import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import { Translator } from '../../support/translator.js'
import { fn, mcp } from '../recipients/tools.js'
import { callTo, codes, createRun, FIXED, inTurn, messageOn, type Run, toolMessage } from '../translate/run.js'

const request = { tools: [fn('f'), mcp('github', ['a'])] }

function noticed(act: (run: Run) => unknown, options: Partial<TranslatorOptions> = {}): Diagnostic[] {
  const run = createRun({ request, ...options })
  act(run)
  return run.diagnostics
}

describe('notices', () => {
  test.each<[string, (run: Run) => unknown, Partial<Diagnostic>, Partial<TranslatorOptions>?]>([
    [
      'unknown_tool_type',
      (run) => run.start(),
      { subject: 'functon', index: -1 },
      { request: { tools: [fn('f'), { type: 'functon' }, { type: 'functon' }] } },
    ],
    [
      'undeclared_server',
      (run) => run.start(),
      { subject: 'gitub', index: -1 },
      { mcpListings: [{ serverLabel: 'github' }, { serverLabel: 'gitub' }] },
    ],
    ['undeclared_recipient', (run) => run.push(callTo('functions.g', '{}<|call|>')), { subject: 'g' }],
    ['unavailable_tool', (run) => run.push(callTo('github.b', '{}<|call|>')), { subject: 'github.b' }],
    ['blank_arguments', (run) => run.push(callTo('functions.f', ' <|call|>')), { subject: 'f', text: ' ' }],
    [
      'call_cut_off',
      (run) => {
        run.push(callTo('functions.f', '{"a'))
        run.end()
      },
      { subject: 'f', text: '{"a' },
      { calls: 'whole' },
    ],
    [
      'fabricated_message',
      (run) => run.push(inTurn(messageOn('final', 'Hi<|end|>')), '<|start|>user<|message|>Do it.<|end|>'),
      { subject: 'user', text: 'Do it.', index: 1 },
    ],
    [
      'sampled_result',
      (run) => run.push(callTo('github.a', '{}<|call|>'), toolMessage('github.a', 'x').host as string),
      { subject: 'github.a', text: 'x', index: 1 },
    ],
    ['result_without_call', (run) => run.push([], toolMessage('github.a', 'x')), { subject: 'github.a' }],
    [
      'second_result',
      (run) => {
        run.push(callTo('github.a', '{}<|call|>'))
        run.toolResult({ itemId: 'mcp_0', output: '' })
        run.toolResult({ itemId: 'mcp_0', output: '' })
      },
      { subject: 'mcp_0' },
    ],
    [
      'missing_result',
      (run) => {
        run.push(callTo('github.a', '{}<|call|>'))
        run.end()
      },
      { subject: 'mcp_0' },
    ],
    ['nothing_sampled', (run) => run.end(), { subject: '', index: -1 }],
    [
      'repeated_count',
      (run) => {
        run.push(messageOn('final', 'Hi<|return|>'))
        run.translator.addUsage({ inputTokens: 2 })
        run.translator.addUsage({ inputTokens: 3 })
      },
      { subject: 'inputTokens' },
    ],
  ])('a notice states its subject and place: %s', (code, act, expected, options) => {
    const diagnostics = noticed(act, options)
    expect(diagnostics).toEqual([{ code, index: 0, ...expected }])
  })
})

describe('repairs', () => {
  test('repairs are reported as they are, with the number of the token', () => {
    const diagnostics = noticed((run) => run.push('<|channel|>final<|message|>Hi', '<|message|>', ' you<|return|>'))
    expect(diagnostics).toEqual([{ code: 'stray_marker', index: 1 }])
  })

  test('repairs carry the text that is in no item', () => {
    const diagnostics = noticed((run) => run.push('<|channel|>final<|message|>Hi<|end|> 364 <|start|>assistant'))
    expect(diagnostics).toMatchObject([{ code: 'stray_text', text: ' 364 ' }])
  })

  test('a header that a limit cut is reported', () => {
    const diagnostics = noticed((run) => {
      run.push('<|channel|>comm')
      run.end()
    })
    expect(codes(diagnostics)).toEqual(['truncated_header'])
  })
})

test('a stream without a fault has no diagnostics', () => {
  const diagnostics = noticed((run) => {
    run.push(
      inTurn(
        messageOn('analysis', 'Hm.<|end|>'),
        messageOn('commentary', 'Let me look.<|end|>'),
        callTo('github.a', '{}<|call|>'),
      ),
    )
    run.answer('github.a', 'found')
    run.push({ host: '<|start|>assistant' }, messageOn('final', 'Found.<|return|>'))
    run.end('stop')
  })
  expect(diagnostics).toEqual([])
})

test('faults of the request are reported once, also of a server that has several approved calls', () => {
  const approved = { serverLabel: 'files', name: 'read', arguments: '{}' }
  const approvedCalls = ['mcpr_1', 'mcpr_2'].map((approvalRequestId) => ({ ...approved, approvalRequestId }))
  const run = createRun({ request, approvedCalls, mcpListings: [{ serverLabel: 'files' }] })
  expect(run.diagnostics).toEqual([])
  run.start()
  run.push(messageOn('final', 'Hi<|return|>'))
  expect(run.diagnostics).toEqual([{ code: 'undeclared_server', subject: 'files', index: -1 }])
})

test('nothing depends on anybody listening', () => {
  const harmony = inTurn(callTo('functions.g', ' <|call|>'), callTo('github.b', '{}<|call|>'), messageOn('final', 'x'))
  const listened = createRun({ request })
  listened.push(harmony)
  listened.end()
  const translator = new Translator({ ...FIXED, request })
  expect([...translator.push(harmony), ...translator.end()]).toEqual(listened.events)
})
