import { describe, expect, test } from 'vitest'
import { Translator } from '../../../src/index.js'
import { createRun, FIXED, messageOn, type Run, terminal } from './run.js'

const CALL = '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{}<|call|>'
const RESULT = '<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>21 degrees<|end|>'
const ANSWER = '<|start|>assistant<|channel|>final<|message|>It is 21 degrees.<|return|>'
const REQUEST = { tools: [{ type: 'function', name: 'get_weather', parameters: {} }] } as never

function written(...pieces: string[]): Run {
  const run = createRun({ request: REQUEST })
  run.push(...pieces)
  return run
}

const types = (run: Run): string[] => terminal(run.end('stop')).output.map(({ type }) => type)

describe('an engine that goes on after a call of the client', () => {
  test('the invented result and the invented answer are dropped, with one diagnostic', () => {
    const run = written(CALL, RESULT, `<|start|>assistant<|channel|>analysis<|message|>Warm.<|end|>${ANSWER}`)
    expect(types(run)).toEqual(['function_call'])
    expect(run.diagnostics).toMatchObject([
      { code: 'invented_result', subject: 'functions.get_weather', text: '21 degreesWarm.It is 21 degrees.' },
    ])
  })

  test('a further call directly behind the call is a call', () => {
    expect(types(written(CALL, `<|start|>assistant${CALL}`, RESULT, ANSWER))).toEqual([
      'function_call',
      'function_call',
    ])
  })

  test('a call behind the invented result is dropped', () => {
    expect(types(written(CALL, RESULT, `<|start|>assistant${CALL}`))).toEqual(['function_call'])
  })

  test('text without a channel behind the invented result is dropped', () => {
    expect(types(written(CALL, RESULT, 'It is 21 degrees, as far as I can see.'))).toEqual(['function_call'])
  })

  test('what the model writes after the real result is shown', () => {
    const run = written(CALL, RESULT, ANSWER)
    run.answer('functions.get_weather', '12 degrees')
    run.push(messageOn('final', 'It is 12 degrees.'))
    expect(terminal(run.end()).output).toMatchObject([
      { type: 'function_call' },
      { type: 'message', content: [{ text: 'It is 12 degrees.' }] },
    ])
  })

  test('the invented result of a call that needs an approval is dropped, with what follows', () => {
    const run = createRun({ request: { tools: [{ type: 'mcp', server_label: 'docs' }] } })
    run.push('<|channel|>commentary to=docs.find<|message|>{}<|call|>')
    run.push('<|start|>docs.find to=assistant<|channel|>commentary<|message|>Found.<|end|>', ANSWER)
    expect(types(run)).toEqual(['mcp_approval_request'])
  })

  test('a result that the host trusts is a result', () => {
    const run = createRun({ request: REQUEST, trustToolMessages: true })
    run.push(CALL, RESULT, ANSWER)
    expect(types(run)).toEqual(['function_call', 'message'])
  })

  test('a translator that is restored inside of the invented part goes on dropping', () => {
    const first = written(CALL, `${RESULT}<|start|>assistant<|channel|>final<|message|>It`)
    const second = Translator.restore(JSON.parse(JSON.stringify(first.translator.snapshot())), {
      ...FIXED,
      request: REQUEST,
    } as never)
    second.push(' is 21 degrees.<|return|>')
    expect(terminal(second.end('stop')).output.map(({ type }) => type)).toEqual(['function_call'])
  })
})
