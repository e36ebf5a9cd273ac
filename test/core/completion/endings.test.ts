import { describe, expect, test } from 'vitest'
import { custom, fn, mcp } from '../recipients/tools.js'
import {
  brief,
  briefItem,
  briefOutput,
  callTo,
  codes,
  createRun,
  inTurn,
  messageOn,
  NOW,
  type Run,
  terminal,
} from '../translate/run.js'

const request = { tools: [fn('f'), custom('c'), mcp('github')] }

/** A translator after these chunks. */
function pushed(...chunks: string[]): Run {
  const run = createRun({ request })
  run.push(...chunks)
  return run
}

describe("the model's position, and the end that the host reports", () => {
  const MESSAGE = '<|channel|>final<|message|>Hi'
  const HEADER = `${MESSAGE}<|end|><|start|>assistant<|channel|>comm`
  const BETWEEN = `${MESSAGE}<|return|>`

  test.each([
    ['in a message, without a reason', MESSAGE, undefined, 'incomplete', 'max_output_tokens', 'incomplete'],
    ['in a message, stopped', MESSAGE, 'stop', 'completed', undefined, 'completed'],
    ['in a message, at the limit', MESSAGE, 'max_output_tokens', 'incomplete', 'max_output_tokens', 'incomplete'],
    ['in a message, filtered', MESSAGE, 'content_filter', 'incomplete', 'content_filter', 'incomplete'],
    ['in a header, without a reason', HEADER, undefined, 'incomplete', 'max_output_tokens', 'completed'],
    ['in a header, stopped', HEADER, 'stop', 'completed', undefined, 'completed'],
    ['in a header, at the limit', HEADER, 'max_output_tokens', 'incomplete', 'max_output_tokens', 'completed'],
    ['in a header, filtered', HEADER, 'content_filter', 'incomplete', 'content_filter', 'completed'],
    ['between messages, without a reason', BETWEEN, undefined, 'completed', undefined, 'completed'],
    ['between messages, stopped', BETWEEN, 'stop', 'completed', undefined, 'completed'],
    ['between messages, at the limit', BETWEEN, 'max_output_tokens', 'incomplete', 'max_output_tokens', 'completed'],
    ['between messages, filtered', BETWEEN, 'content_filter', 'incomplete', 'content_filter', 'completed'],
  ] as const)(
    "the end of a response follows from the model's position and from the end that the host reports: %s",
    (_, harmony, reason, status, why, itemStatus) => {
      const run = pushed(harmony)
      const events = run.end(reason)
      expect(events.at(-1)?.type).toBe(`response.${status}`)
      const response = terminal(events)
      expect(response.status).toBe(status)
      expect(response.incomplete_details).toEqual(why === undefined ? null : { reason: why })
      expect(response.completed_at).toBe(status === 'completed' ? NOW : null)
      expect(response.error).toBeNull()
      expect(briefOutput(response)).toEqual([`message ${itemStatus} "Hi"`])
    },
  )

  test('no output at all is a complete answer', () => {
    expect(brief(createRun().end())).toEqual(['created', 'in_progress', 'completed'])
  })

  test('a header that only the host wrote is no cut', () => {
    const run = pushed(BETWEEN)
    run.push({ host: '<|start|>assistant' })
    expect(terminal(run.end()).status).toBe('completed')
    const begun = pushed(BETWEEN)
    begun.translator.beginTurn()
    expect(terminal(begun.end()).status).toBe('completed')
    expect(codes(begun.diagnostics)).toEqual([])
  })

  test('<|return|> ends nothing: the terminal event comes from the host alone', () => {
    const run = pushed(BETWEEN)
    expect(brief(run.events).some((line) => ['completed', 'incomplete', 'failed'].includes(line))).toBe(false)
    expect(brief(run.push(`<|start|>assistant${messageOn('final', 'More')}`))).toEqual([
      'output_item.added 1',
      'content_part.added 1',
      'output_text.delta 1 "More"',
    ])
    expect(codes(run.diagnostics)).toEqual(['tokens_after_return'])
  })

  test('text that was held back comes before the end', () => {
    const run = pushed('<|channel|>final<|message|>a <|ret')
    expect(brief(run.end('stop')).slice(0, 2)).toEqual(['output_text.delta 0 "<|ret"', 'output_text.done 0'])
    expect(briefOutput(run.translator.response)).toEqual(['message completed "a <|ret"'])
  })
})

describe('a call that is cut off', () => {
  test.each([
    ['a function', 'functions.f', 'function_call f incomplete "{\\"a"'],
    ['a custom tool', 'functions.c', 'custom_tool_call c incomplete "{\\"a"'],
  ])(
    'a call of %s that is cut off is withheld: not done, and incomplete in the last response',
    (_, recipient, item) => {
      for (const reason of [undefined, 'max_output_tokens', 'content_filter'] as const) {
        const run = pushed(callTo(recipient, '{"a'))
        const events = run.end(reason)
        expect(brief(events)).toEqual(['incomplete'])
        expect(briefOutput(terminal(events))).toEqual([item])
      }
    },
  )

  test('a call of a server that is cut off is closed, because the host does not run it', () => {
    const events = pushed(callTo('github.search', '{"a')).end()
    expect(brief(events)).toEqual(['mcp_call_arguments.done 0', 'output_item.done 0 incomplete', 'incomplete'])
    expect(terminal(events).output).toMatchObject([{ status: 'incomplete', output: null, error: null }])
  })

  test.each([
    ['functions.f', ['function_call_arguments.done 0', 'output_item.done 0 completed', 'completed']],
    ['functions.c', ['custom_tool_call_input.done 0', 'output_item.done 0 completed', 'completed']],
    ['github.search', ['mcp_call_arguments.done 0', 'output_item.done 0 incomplete', 'completed']],
  ])('a call to %s that lacks nothing but its marker is whole if the engine says stop', (recipient, lines) => {
    expect(brief(pushed(callTo(recipient, '{}')).end('stop'))).toEqual(lines)
  })

  test('a call before one that is cut off stays whole', () => {
    const run = pushed(inTurn(callTo('functions.f', '{}<|call|>'), callTo('functions.f', '{"a')))
    expect(briefOutput(terminal(run.end()))).toEqual([
      'function_call f completed "{}"',
      'function_call f incomplete "{\\"a"',
    ])
  })
})

describe('calls that wait at the end', () => {
  test('calls that wait at the end are done incomplete, in the order of their items, before the message that is still open', () => {
    const run = pushed(
      inTurn(callTo('github.a', '{}<|call|>'), callTo('github.b', '{}<|call|>'), messageOn('final', 'Half')),
    )
    expect(brief(run.end())).toEqual([
      'output_item.done 0 incomplete',
      'output_item.done 1 incomplete',
      'output_text.done 2',
      'content_part.done 2',
      'output_item.done 2 incomplete',
      'incomplete',
    ])
  })

  test('calls that wait at the end do not make the response incomplete', () => {
    const run = pushed(inTurn(callTo('github.a', '{}<|call|>'), messageOn('final', 'Done<|return|>')))
    const response = terminal(run.end())
    expect(response.status).toBe('completed')
    expect(response.output.map(briefItem)).toEqual(['mcp_call github.a incomplete "{}"', 'message completed "Done"'])
  })

  test('a result that the host did not end is a result, at the end as at the next turn', () => {
    const run = pushed(callTo('github.a', '{}<|call|>'))
    run.push({ host: '<|start|>github.a to=assistant<|channel|>commentary<|message|>42' })
    const response = terminal(run.end())
    expect(response.status).toBe('completed')
    expect(response.output).toMatchObject([{ status: 'completed', output: '42' }])
  })

  test('a prefill that the model did not continue is no cut', () => {
    const run = createRun()
    run.translator.beginTurn({ prefill: '<|channel|>final<|message|>' })
    expect(terminal(run.end()).status).toBe('completed')
  })
})

describe('a failure', () => {
  test('a failure is an error, nested as on the wire, and then response.failed', () => {
    const run = pushed('<|channel|>final<|message|>Hi')
    const count = run.events.length
    const events = run.fail({ message: 'engine died' })
    expect(events[0]).toEqual({
      type: 'error',
      sequence_number: count,
      error: { type: 'server_error', code: 'server_error', message: 'engine died', param: null },
    })
    expect(events[1]).toMatchObject({ type: 'response.failed', sequence_number: count + 1 })
    expect(events).toHaveLength(2)
    expect(terminal(events)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'engine died' },
      incomplete_details: null,
      completed_at: null,
      usage: null,
    })
  })

  test("a failure may have a code of the host's own", () => {
    const events = createRun().fail({ code: 'context_length_exceeded', message: 'too long' })
    expect(events.at(-2)).toMatchObject({ error: { code: 'context_length_exceeded', message: 'too long' } })
    expect(terminal(events).error).toEqual({ code: 'context_length_exceeded', message: 'too long' })
  })
})

describe('an abort', () => {
  test('an abort is response.failed alone, with the message "aborted"', () => {
    const events = pushed('<|channel|>final<|message|>Hi').abort()
    expect(brief(events)).toEqual(['failed'])
    expect(terminal(events)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'aborted' },
      usage: null,
    })
  })

  test("an abort has the host's message if it gives one", () => {
    expect(terminal(createRun().abort('client left')).error?.message).toBe('client left')
  })
})

test('a cancellation is response.incomplete alone, whose response is cancelled, without an error or a reason', () => {
  const run = pushed('<|channel|>final<|message|>Hi')
  const events = run.cancel()
  expect(brief(events)).toEqual(['incomplete'])
  expect(terminal(events)).toMatchObject({
    status: 'cancelled',
    error: null,
    incomplete_details: null,
    completed_at: null,
    usage: null,
  })
  expect(run.translator.response).toEqual(terminal(events))
})

describe.each([
  ['failure', (run: Run) => run.fail({ message: 'no' })],
  ['abort', (run: Run) => run.abort()],
  ['cancellation', (run: Run) => run.cancel()],
])('after a %s', (how, stop) => {
  test(`completed items stay completed after a ${how}; all others stand incomplete, and nothing more is closed`, () => {
    const run = pushed(
      inTurn(messageOn('analysis', 'Hm.<|end|>'), callTo('github.a', '{}<|call|>'), callTo('functions.f', '{"a')),
    )
    const events = stop(run)
    expect(brief(events).filter((line) => line.includes('done'))).toEqual([])
    expect(briefOutput(terminal(events))).toEqual([
      'reasoning completed "Hm."',
      'mcp_call github.a incomplete "{}"',
      'function_call f incomplete "{\\"a"',
    ])
  })

  test.each([
    ['reasoning', messageOn('analysis', 'Ha'), 'reasoning incomplete "Ha"'],
    ['a message', messageOn('final', 'Ha'), 'message incomplete "Ha"'],
    ['a custom call', callTo('functions.c', 'Ha'), 'custom_tool_call c incomplete "Ha"'],
    ['a hosted call', callTo('github.a', 'Ha'), 'mcp_call github.a incomplete "Ha"'],
  ])(`%s that was open stands incomplete after a ${how}`, (_, harmony, item) => {
    expect(briefOutput(terminal(stop(pushed(harmony))))).toEqual([item])
  })

  test(`text that was held back is in the item or in a diagnostic after a ${how}`, () => {
    const run = pushed('<|channel|>final<|message|>a <')
    const [item] = terminal(stop(run)).output
    const text = item?.type === 'message' ? item.content[0]?.text : undefined
    expect(`${text}${run.diagnostics.map((diagnostic) => diagnostic.text ?? '').join('')}`).toBe('a <')
  })
})

describe('a response that has ended', () => {
  const enders: [string, (run: Run) => unknown][] = [
    ['end', (run) => run.end()],
    ['fail', (run) => run.fail({ message: 'no' })],
    ['abort', (run) => run.abort()],
    ['cancel', (run) => run.cancel()],
  ]

  test.each(enders)('ending a response that has ended by %s gives nothing', (_, end) => {
    const run = pushed(callTo('github.a', '{}<|call|>'))
    end(run)
    const response = run.translator.response
    for (const [, again] of enders) expect(again(run)).toEqual([])
    expect(run.start()).toEqual([])
    expect(run.translator.response).toEqual(response)
  })

  test.each(enders)('a response that has ended by %s takes nothing more', (_, end) => {
    const run = pushed(callTo('github.a', '{}<|call|>'))
    end(run)
    const closed = (method: string) =>
      expect.objectContaining({
        name: 'HarmonyResponsesError',
        code: 'translator_closed',
        message: `${method}: expected an open response, got "${run.translator.response.status}"`,
      })
    expect(() => run.push('x')).toThrow(closed('push'))
    expect(() => run.push({ host: 'x' })).toThrow(closed('push'))
    expect(() => run.toolResult({ itemId: 'mcp_0', output: '' })).toThrow(closed('toolResult'))
    expect(() => run.translator.beginTurn()).toThrow(closed('beginTurn'))
  })

  test('the usage of a response that has ended does not change', () => {
    const run = createRun()
    const events = run.end()
    expect(() => run.translator.addUsage({ inputTokens: 5 })).toThrow(/expected an open response/)
    expect(run.translator.response).toEqual(terminal(events))
  })
})
