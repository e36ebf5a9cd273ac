import { describe, expect, test } from 'vitest'
import { loadTokenTable } from '../../../src/index.js'
import { cut, encodeHarmony, encodeText } from '../../support/tokens.js'
import { fn, mcp } from '../recipients/tools.js'
import { brief, briefOutput, callTo, codes, createRun, inTurn, messageOn, type Run, terminal } from './run.js'

const tokenTable = await loadTokenTable()

test('the stream that vLLM gave as text, and this project began with, has a call of python of an MCP server', () => {
  const run = createRun({ tokenTable, request: { tools: [mcp('code_interpreter')] } })
  const harmony = inTurn(
    messageOn('analysis', 'Multiply.<|end|>'),
    '<|channel|>analysis to=python code<|message|>print(6*7)<|call|>',
  )
  for (const id of encodeHarmony(harmony)) run.push(id)
  run.push({ host: encodeHarmony('<|start|>python to=assistant<|channel|>analysis<|message|>42\n<|end|>') })
  run.push({ host: encodeHarmony('<|start|>assistant') })
  for (const id of encodeHarmony(messageOn('final', 'It is 42.<|return|>'))) run.push(id)
  const response = terminal(run.end('stop'))
  expect(briefOutput(response)).toEqual([
    'reasoning completed "Multiply."',
    'mcp_call code_interpreter.python completed "print(6*7)"',
    'message completed "It is 42."',
  ])
  expect(response.output[1]).toMatchObject({ server_label: 'code_interpreter', name: 'python', output: '42\n' })
  expect(JSON.stringify(run.events)).not.toContain('<|')
  expect(run.diagnostics).toEqual([])
})

describe('deltas', () => {
  test('a push gives one delta for each part, however many tokens came', () => {
    const run = createRun({ tokenTable })
    run.push(encodeHarmony('<|channel|>final<|message|>'))
    expect(brief(run.push(encodeText('several tokens in one step')))).toEqual([
      'output_text.delta 0 "several tokens in one step"',
    ])
  })

  test('a push gives no delta if no character is whole', () => {
    const run = createRun({ tokenTable })
    run.push(encodeHarmony('<|channel|>final<|message|>'))
    const ids = encodeText('🫠')
    expect(ids.length).toBeGreaterThan(1)
    expect(brief(run.push(...ids))).toEqual(['output_text.delta 0 "🫠"'])
  })

  test('a character that never ends is U+FFFD, in its own item', () => {
    const run = createRun({ tokenTable })
    const [half = 0] = encodeText('🫠')
    run.push([...encodeHarmony('<|channel|>analysis<|message|>a'), half, ...encodeHarmony('<|end|>')])
    run.push([...encodeHarmony('<|start|>assistant<|channel|>final<|message|>'), half])
    expect(briefOutput(terminal(run.end('stop')))).toEqual([
      'reasoning completed "a\ufffd"',
      'message completed "\ufffd"',
    ])
  })

  test('ids, scored tokens, arrays and typed arrays give the same items', () => {
    const ids = encodeHarmony(inTurn(messageOn('analysis', 'Hé🫠<|end|>'), callTo('functions.f', '{"a":1}<|call|>')))
    const outputOf = (feed: (run: Run) => unknown): string[] => {
      const run = createRun({ tokenTable, request: { tools: [fn('f')] } })
      feed(run)
      return briefOutput(terminal(run.end()))
    }
    const expected = outputOf((run) => run.push(...ids))
    expect(outputOf((run) => run.push(ids))).toEqual(expected)
    expect(outputOf((run) => run.push(Uint32Array.from(ids)))).toEqual(expected)
    expect(outputOf((run) => run.push(...ids.map((id) => ({ id, logprob: -1 }))))).toEqual(expected)
    expect(outputOf((run) => run.push(...cut(ids, [1, 3, 2, 5])))).toEqual(expected)
    expect(expected).toEqual(['reasoning completed "Hé🫠"', 'function_call f completed "{\\"a\\":1}"'])
  })
})

describe('several calls in one turn', () => {
  test('several calls in one turn to the same function are several items with several call ids', () => {
    const run = createRun({ request: { tools: [fn('f')] } })
    run.push(inTurn(callTo('functions.f', '{"a":1}<|call|>'), callTo('functions.f', '{"a":2}<|call|>')))
    expect(terminal(run.end()).output).toMatchObject([
      { id: 'fc_0', call_id: 'call_1', arguments: '{"a":1}' },
      { id: 'fc_2', call_id: 'call_3', arguments: '{"a":2}' },
    ])
  })

  test('several calls in one turn may follow each other without <|start|>', () => {
    const run = createRun({ request: { tools: [fn('f')] } })
    run.push(`${callTo('functions.f', '1<|call|>')}${callTo('functions.f', '2<|call|>')}`)
    expect(briefOutput(terminal(run.end()))).toEqual(['function_call f completed "1"', 'function_call f completed "2"'])
    expect(codes(run.diagnostics)).toEqual(['missing_start'])
  })
})

describe('turns', () => {
  const request = { tools: [mcp('github')] }

  test('one response may have several turns, each beginning in a header', () => {
    const run = createRun({ request })
    run.translator.beginTurn()
    run.push(callTo('github.a', '{}<|call|>'))
    run.toolResult({ itemId: 'mcp_0', output: 'found' })
    run.translator.beginTurn()
    run.push(messageOn('final', 'Found.<|return|>'))
    expect(briefOutput(terminal(run.end()))).toEqual(['mcp_call github.a completed "{}"', 'message completed "Found."'])
    expect(run.diagnostics).toEqual([])
  })

  test('beginTurn closes messages that the engine left open as complete: its events come with the next push', () => {
    const run = createRun({ request })
    run.push(messageOn('final', 'One'))
    run.translator.beginTurn()
    expect(brief(run.push(messageOn('final', 'Two')))).toEqual([
      'output_text.done 0',
      'content_part.done 0',
      'output_item.done 0 completed',
      'output_item.added 1',
      'content_part.added 1',
      'output_text.delta 1 "Two"',
    ])
    expect(run.diagnostics).toEqual([])
  })

  test('nothing that waits is given up between turns', () => {
    const run = createRun({ request })
    run.push(callTo('github.a', '{}<|call|>'))
    run.translator.beginTurn()
    run.push(messageOn('final', 'Meanwhile.<|return|>'))
    expect(brief(run.answer('github.a', 'late'))).toEqual(['mcp_call.completed 0', 'output_item.done 0 completed'])
  })

  test('the <|return|> of the turn before is not reported', () => {
    const run = createRun()
    run.push(messageOn('final', 'One<|return|>'))
    run.translator.beginTurn()
    run.push(messageOn('final', 'Two<|return|>'))
    expect(run.diagnostics).toEqual([])
  })

  describe('a prefill', () => {
    test.each([
      ['a header', '<|channel|>analysis<|message|>', 'Hm.<|end|>', 'reasoning completed "Hm."'],
      [
        'half a header',
        '<|channel|>commentary to=github.a',
        ' <|constrain|>json<|message|>{}<|call|>',
        'mcp_call github.a incomplete "{}"',
      ],
      ['the beginning of the text', '<|channel|>final<|message|>Dear ', 'Bob<|return|>', 'message completed "Bob"'],
      [
        'a whole message',
        '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant',
        '<|channel|>final<|message|>Hi<|return|>',
        'message completed "Hi"',
      ],
    ])('a prefill of %s is in no item', (_, prefill, written, item) => {
      const text = createRun({ request })
      text.translator.beginTurn({ prefill })
      text.push(written)
      expect(text.diagnostics).toEqual([])
      expect(briefOutput(terminal(text.end()))).toEqual([item])
      const ids = createRun({ request, tokenTable })
      ids.translator.beginTurn({ prefill: encodeHarmony(prefill) })
      ids.push(encodeHarmony(written))
      expect(briefOutput(terminal(ids.end()))).toEqual([item])
    })

    test('a prefill is announced when the model continues it', () => {
      const run = createRun()
      run.translator.beginTurn({ prefill: '<|channel|>final<|message|>Dear ' })
      expect(brief(run.start())).toEqual(['created', 'in_progress'])
      expect(brief(run.push('Bob'))).toEqual([
        'output_item.added 0',
        'content_part.added 0',
        'output_text.delta 0 "Bob"',
      ])
    })
  })
})
