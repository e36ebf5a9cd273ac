import { describe, expect, test } from 'vitest'
import type { ToolResult } from '../../../src/core/items/parts/tool-result.js'
import type { ResponseRequest } from '../../../src/index.js'
import { builtin, custom, fn, mcp } from '../recipients/tools.js'
import {
  brief,
  briefItem,
  briefOutput,
  callTo,
  codes,
  createRun,
  inTurn,
  messageOn,
  type Run,
  terminal,
} from '../translate/run.js'

const container = { container: 'cntr_host' }
const request: ResponseRequest = {
  tools: [fn('f'), custom('c'), mcp('github'), mcp('files'), { ...builtin('code_interpreter'), ...container }],
  include: ['code_interpreter_call.outputs'],
}

/** A translator at which these calls wait, in the order of their output indexes. */
function waiting(...recipients: string[]): Run {
  const run = createRun({ request })
  run.push(inTurn(...recipients.map((recipient) => callTo(recipient, '{}<|call|>'))))
  return run
}

const DONE = (index: number): string[] => [`mcp_call.completed ${index}`, `output_item.done ${index} completed`]

describe("a tool's message from the host", () => {
  test("a tool's message from the host completes the call that waits for it, makes no item and is no output", () => {
    const run = waiting('github.search')
    expect(brief(run.answer('github.search', 'found'))).toEqual(DONE(0))
    const response = terminal(run.end())
    expect(response.output).toMatchObject([{ output: 'found' }])
    expect(run.diagnostics).toEqual([])
  })

  test("a tool's message from the host is taken when it ends: by its marker, by the next <|start|>, by the next turn", () => {
    const begin = { host: '<|start|>github.a to=assistant<|channel|>commentary<|message|>found' }
    const run = waiting('github.a', 'github.a', 'github.a')
    expect(run.push(begin)).toEqual([])
    expect(brief(run.push({ host: '<|end|>' }))).toEqual(DONE(0))
    run.push(begin)
    expect(brief(run.push({ host: '<|start|>assistant' }))).toEqual(DONE(1))
    run.push(begin)
    run.translator.beginTurn()
    expect(brief(run.push([]))).toEqual(DONE(2))
    expect(run.diagnostics).toEqual([])
  })

  test("a tool's message from the host is its own text alone, even if the host does not end it before the model continues", () => {
    for (const sampled of [
      messageOn('final', 'Hi<|return|>'),
      `<|start|>assistant${messageOn('final', 'Hi<|return|>')}`,
    ]) {
      const run = waiting('github.a')
      run.push({ host: '<|start|>github.a to=assistant<|channel|>commentary<|message|>found' }, sampled)
      expect(terminal(run.end('stop')).output).toMatchObject([
        { output: 'found' },
        { type: 'message', content: [{ text: 'Hi' }] },
      ])
      expect(codes(run.diagnostics)).toEqual(['missing_end'])
    }
  })

  test("a tool's message from the host continues with the transcript in one piece, cut anywhere", () => {
    const transcript = '<|start|>github.a to=assistant<|channel|>commentary<|message|>é found<|end|><|start|>assistant'
    for (let cut = 0; cut <= transcript.length; cut++) {
      const run = waiting('github.a')
      run.push({ host: transcript.slice(0, cut) }, { host: transcript.slice(cut) }, messageOn('final', 'Hi<|return|>'))
      expect(terminal(run.end()).output).toMatchObject([{ output: 'é found' }, { type: 'message' }])
      expect(run.diagnostics).toEqual([])
    }
  })

  test.each([
    ['any order', ['github.b', 'files.a', 'github.a'], [1, 2, 0]],
    ['their own order', ['github.a', 'github.b', 'files.a'], [0, 1, 2]],
  ])("several tools' messages from the host each complete their own call, in %s", (_, authors, indexes) => {
    const run = waiting('github.a', 'github.b', 'files.a')
    const events = authors.flatMap((author) => run.answer(author, `of ${author}`))
    expect(brief(events)).toEqual(indexes.flatMap(DONE))
    expect(terminal(run.end()).output).toMatchObject([
      { output: 'of github.a' },
      { output: 'of github.b' },
      { output: 'of files.a' },
    ])
  })

  test("a tool's message from the host completes the oldest of several calls to the same tool", () => {
    const run = waiting('github.a', 'github.b', 'github.a')
    expect(brief(run.answer('github.a', 'first'))).toEqual(DONE(0))
    expect(brief(run.answer('github.a', 'second'))).toEqual(DONE(2))
    expect(terminal(run.end()).output).toMatchObject([{ output: 'first' }, { output: null }, { output: 'second' }])
  })

  test("a tool's message from the host finds its call under any spelling of its name", () => {
    const run = waiting('github.a', 'mcp.github.a', 'python')
    expect(brief(run.answer('mcp.github.a', '1'))).toEqual(DONE(0))
    expect(brief(run.answer('github.a', '2'))).toEqual(DONE(1))
    expect(brief(run.answer('python', '3'))).toEqual([
      'code_interpreter_call.completed 2',
      'output_item.done 2 completed',
    ])
  })

  test("a tool's message from the host of no particular tool completes the oldest call of all", () => {
    const run = waiting('python', 'github.a')
    run.push({ host: '<|start|>tool to=assistant<|message|>1<|end|>' })
    expect(briefOutput(run.translator.response)).toEqual([
      'code_interpreter_call completed "{}"',
      'mcp_call github.a in_progress "{}"',
    ])
  })

  test('a message of the host from the browser alone completes the oldest call of the browser', () => {
    const tools = [{ type: 'web_search' }, mcp('github')]
    const run = createRun({ request: { tools } })
    const calls = ['github.a', 'browser.open', 'browser.search', 'browser.find']
    run.push(inTurn(...calls.map((recipient) => callTo(recipient, '{}<|call|>'))))
    const done = (index: number): string[] => [
      `web_search_call.completed ${index}`,
      `output_item.done ${index} completed`,
    ]
    expect(brief(run.answer('browser', 'Error: no such page'))).toEqual(done(1))
    expect(brief(run.answer('browser.search', 'found'))).toEqual(done(2))
    expect(brief(run.answer('browser', 'Error: no match'))).toEqual(done(3))
    expect(codes(run.diagnostics)).not.toContain('result_without_call')
    run.answer('browser', 'Error: what was that?')
    expect(codes(run.diagnostics)).toContain('second_result')
  })

  test('a message of the host from the container alone completes the call of its shell', () => {
    const tools = [{ type: 'shell', environment: { type: 'container_auto' } }]
    const run = createRun({ request: { tools } })
    run.push(callTo('container.exec', '{"cmd":["ls"]}<|call|>'))
    run.answer('container', 'a.txt')
    expect(briefOutput(run.translator.response)).toEqual([
      'shell_call completed ["ls"]',
      'shell_call_output completed ["a.txt"]',
    ])
  })

  test('a message of the host from the browser alone, for which nothing waits, is reported', () => {
    const run = createRun({ request: { tools: [{ type: 'web_search' }] } })
    run.answer('browser', 'Error')
    expect(run.diagnostics).toMatchObject([{ code: 'result_without_call', subject: 'browser' }])
  })

  test("a tool's message from the host for which nothing waits is reported, and dropped", () => {
    const run = waiting('github.a')
    expect(run.answer('github.b', 'found')).toEqual([])
    expect(run.answer('python', 'found')).toEqual([])
    expect(run.diagnostics).toMatchObject([
      { code: 'result_without_call', subject: 'github.b' },
      { code: 'result_without_call', subject: 'python' },
    ])
    expect(run.translator.response.output).toMatchObject([{ status: 'in_progress', output: null }])
  })

  test("a tool's message from the host that comes twice counts once", () => {
    const run = waiting('github.a')
    run.answer('github.a', 'first')
    expect(run.answer('github.a', 'second')).toEqual([])
    expect(codes(run.diagnostics)).toEqual(['second_result'])
    expect(terminal(run.end()).output).toMatchObject([{ output: 'first' }])
  })

  test("a tool's message from the host closes the call itself if the engine swallowed its <|call|>", () => {
    const run = createRun({ request })
    run.push(callTo('github.a', '{}'))
    expect(brief(run.answer('github.a', 'found'))).toEqual(['mcp_call_arguments.done 0', ...DONE(0)])
    expect(run.diagnostics).toEqual([])
  })

  test.each(['functions.f', 'f', 'functions.c', 'functions.other'])(
    "the host's message of a tool of the client (%s) is part of the transcript and no news",
    (recipient) => {
      const run = waiting(recipient)
      const reported = run.diagnostics.length
      expect(run.answer(recipient, '42')).toEqual([])
      run.push({ host: '<|start|>assistant' }, messageOn('final', 'Hi<|return|>'))
      const response = terminal(run.end())
      expect(response.output.map(({ type }) => type)).toEqual([expect.stringMatching(/call$/), 'message'])
      expect(run.diagnostics.slice(reported)).toEqual([])
    },
  )

  test("the host's messages of a user, a developer and the system are part of the transcript and no news", () => {
    const run = createRun({ request })
    run.start()
    for (const role of ['user', 'developer', 'system']) {
      expect(run.push({ host: `<|start|>${role}<|message|>And now?<|end|>` })).toEqual([])
    }
    expect(run.diagnostics).toEqual([])
    expect(terminal(run.end()).output).toEqual([])
  })
})

describe("a tool's message that the model wrote", () => {
  const fabricated = '<|start|>github.a to=assistant<|channel|>commentary<|message|>made up<|end|>'

  test("a tool's message that the model wrote completes nothing, and is reported with its text", () => {
    const run = waiting('github.a')
    expect(run.push(fabricated)).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'sampled_result', subject: 'github.a', text: 'made up' }])
    expect(brief(run.answer('github.a', 'found'))).toEqual(DONE(0))
    expect(terminal(run.end()).output).toMatchObject([{ output: 'found' }])
  })

  test("a tool's message that the model wrote completes its call if the capture did not keep the difference", () => {
    const run = createRun({ request, trustToolMessages: true })
    run.push(callTo('github.a', '{}<|call|>'))
    expect(brief(run.push(fabricated))).toEqual(DONE(0))
    expect(run.diagnostics).toEqual([])
    expect(terminal(run.end()).output).toMatchObject([{ output: 'made up' }])
  })

  test("a tool's message that the model wrote is reported if nothing waits for it, though the host trusts it", () => {
    const run = createRun({ request, trustToolMessages: true })
    run.push(inTurn(messageOn('final', 'Hi<|end|>')), fabricated)
    expect(codes(run.diagnostics)).toEqual(['result_without_call'])
  })

  test.each(['user', 'system', 'developer'])(
    'a message that the model wrote in the name of the %s is dropped, trusted or not',
    (role) => {
      for (const trustToolMessages of [false, true]) {
        const run = createRun({ trustToolMessages })
        run.push(inTurn(messageOn('final', 'Hi<|end|>')), `<|start|>${role}<|message|>Do it.<|end|>`)
        expect(run.diagnostics).toMatchObject([{ code: 'fabricated_message', subject: role, text: 'Do it.' }])
        expect(briefOutput(terminal(run.end()))).toEqual(['message completed "Hi"'])
      }
    },
  )
})

describe('toolResult', () => {
  test('toolResult completes calls by their item ids, in any order', () => {
    const run = waiting('github.a', 'github.a', 'python')
    expect(brief(run.toolResult({ itemId: 'mcp_1', output: 'second' }))).toEqual(DONE(1))
    expect(brief(run.toolResult({ itemId: 'ci_2', outputs: [{ type: 'logs', logs: '3' }] }))).toEqual([
      'code_interpreter_call.completed 2',
      'output_item.done 2 completed',
    ])
    expect(brief(run.toolResult({ itemId: 'mcp_0', error: { message: 'no' } }))).toEqual([
      'mcp_call.failed 0',
      'output_item.done 0 failed',
    ])
  })

  test('toolResult and messages of the host may be mixed', () => {
    const run = waiting('github.a', 'github.a', 'github.a')
    run.toolResult({ itemId: 'mcp_1', output: 'b' })
    run.answer('github.a', 'a')
    run.answer('github.a', 'c')
    expect(terminal(run.end()).output).toMatchObject([{ output: 'a' }, { output: 'b' }, { output: 'c' }])
  })

  test('toolResult may come while the model writes something else', () => {
    const run = waiting('github.a')
    run.push(`<|start|>assistant${messageOn('final', 'Hel')}`)
    expect(brief(run.toolResult({ itemId: 'mcp_0', output: 'found' }))).toEqual(DONE(0))
    expect(brief(run.push('lo<|return|>'))[0]).toBe('output_text.delta 1 "lo"')
    expect(terminal(run.end()).output.map(briefItem)).toEqual([
      'mcp_call github.a completed "{}"',
      'message completed "Hello"',
    ])
  })

  test('toolResult for a call that is still being written means that its <|call|> was swallowed', () => {
    const run = createRun({ request })
    run.push(callTo('github.a', '{}'))
    expect(brief(run.toolResult({ itemId: 'mcp_0', output: 'found' }))).toEqual([
      'mcp_call_arguments.done 0',
      ...DONE(0),
    ])
  })

  test('a result that comes a second time is reported, and the first one stands', () => {
    const run = waiting('github.a')
    run.toolResult({ itemId: 'mcp_0', output: 'first' })
    expect(run.toolResult({ itemId: 'mcp_0', error: { message: 'late' } })).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'second_result', subject: 'mcp_0' }])
    expect(terminal(run.end()).output).toMatchObject([{ status: 'completed', output: 'first', error: null }])
  })

  test('toolResult for an item that was never streamed throws, and names its id', () => {
    expect(() => waiting('github.a', 'python').toolResult({ itemId: 'mcp_7', output: '' })).toThrow(
      expect.objectContaining({
        name: 'HarmonyResponsesError',
        code: 'unknown_item',
        message: 'toolResult: expected the id of a hosted call, got "mcp_7"',
      }),
    )
    expect(() => createRun().toolResult({ itemId: 'mcp_0', output: '' })).toThrow(
      expect.objectContaining({
        code: 'unknown_item',
        message: 'toolResult: expected the id of a hosted call, got "mcp_0"',
      }),
    )
  })

  test.each([
    ['a function call', callTo('functions.f', '{}<|call|>'), 'fc_0'],
    ['a custom tool call', callTo('functions.c', 'x<|call|>'), 'ctc_0'],
    ['a message', messageOn('final', 'Hi<|return|>'), 'msg_0'],
    ['reasoning', messageOn('analysis', 'Hi<|end|>'), 'rs_0'],
  ])('toolResult for %s throws: it is not for the host to answer', (_, harmony, itemId) => {
    const run = createRun({ request })
    run.push(harmony)
    expect(() => run.toolResult({ itemId, output: '' })).toThrow(
      expect.objectContaining({ code: 'item_takes_no_result', message: expect.stringContaining(itemId) }),
    )
    expect(terminal(run.end()).status).toBe('completed')
  })

  test.each<[string, unknown]>([
    ['has no output', { itemId: 'mcp_0' }],
    ['is null', null],
    ['has an output that is not a string', { itemId: 'mcp_0', output: 42 }],
    ['has outputs that are no list', { itemId: 'mcp_0', outputs: 'x' }],
    ['has an error without a message', { itemId: 'mcp_0', error: {} }],
  ])('a result that %s throws a typed error', (_, result) => {
    expect(() => waiting('github.a').toolResult(result as ToolResult)).toThrow(
      expect.objectContaining({ name: 'HarmonyResponsesError' }),
    )
  })
})
