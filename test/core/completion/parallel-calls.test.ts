import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OutputItem, ResponseRequest, ResponseStreamEvent } from '../../../src/index.js'
import { faultsOf } from '../../laws/check-stream.js'
import { runs } from '../../support/runs.js'
import { fn, mcp } from '../recipients/tools.js'
import {
  brief,
  briefOutput,
  callTo,
  codes,
  createRun,
  inTurn,
  messageOn,
  type Run,
  terminal,
} from '../translate/run.js'

const request: ResponseRequest = {
  tools: [
    fn('f'),
    mcp('github'),
    { type: 'code_interpreter' },
    { type: 'web_search' },
    { type: 'shell', environment: { type: 'container_auto' } },
  ],
  include: ['code_interpreter_call.outputs', 'web_search_call.action.sources'],
}

const NAMES = ['mcp', 'python', 'search', 'shell'] as const
type KindName = (typeof NAMES)[number]

interface Kind {
  readonly recipient: string
  readonly text: string
  /** The events that a result gives, as {@link brief} writes them; `next` is the index of an item of its own. */
  done(index: number, next: number, output: string): string[]
}

const KINDS: Readonly<Record<KindName, Kind>> = {
  mcp: {
    recipient: 'github.search',
    text: '{"q":1}',
    done: (index) => [`mcp_call.completed ${index}`, `output_item.done ${index} completed`],
  },
  python: {
    recipient: 'python',
    text: 'print(1)',
    done: (index) => [`code_interpreter_call.completed ${index}`, `output_item.done ${index} completed`],
  },
  search: {
    recipient: 'browser.search',
    text: '{"query":"q"}',
    done: (index) => [`web_search_call.completed ${index}`, `output_item.done ${index} completed`],
  },
  shell: {
    recipient: 'container.exec',
    text: '{"cmd":["ls"]}',
    done: (_index, next, output) => [
      `output_item.added ${next}`,
      `shell_call_output_content.delta ${next} ${JSON.stringify({ stdout: output, stderr: '' })}`,
      `shell_call_output_content.done ${next}`,
      `output_item.done ${next} completed`,
    ],
  },
}

const nameAt = (index: number): KindName => NAMES[index] ?? 'mcp'
const callOf = (name: KindName): string => callTo(KINDS[name].recipient, `${KINDS[name].text}<|call|>`)

/** A run at which these calls wait, in the order of their output indexes. */
function waiting(...names: KindName[]): Run {
  const run = createRun({ request })
  run.push(inTurn(...names.map(callOf)))
  return run
}

const idAt = (run: Run, index: number): string => run.translator.response.output[index]?.id ?? ''

/** Every order of these things. */
function ordersOf<T>(things: readonly T[]): T[][] {
  if (things.length < 2) return [[...things]]
  return things.flatMap((thing, at) => ordersOf(things.toSpliced(at, 1)).map((rest) => [thing, ...rest]))
}

/** The last form of every item that was streamed, by output index. */
function streamed(events: readonly ResponseStreamEvent[]): OutputItem[] {
  const items: OutputItem[] = []
  for (const event of events) if (event.type === 'response.output_item.done') items[event.output_index] = event.item
  return items
}

describe('calls of four kinds, answered in any order,', () => {
  test.each([
    ['by their ids', (run: Run, index: number, output: string) => run.toolResult({ itemId: idAt(run, index), output })],
    [
      'in the transcript',
      (run: Run, index: number, output: string) => run.answer(KINDS[nameAt(index)].recipient, output),
    ],
  ])('calls of four kinds, answered in any order %s, have each their own result, once', (_, answer) => {
    for (const order of ordersOf([0, 1, 2, 3])) {
      const run = waiting(...NAMES)
      for (const index of order) {
        const name = nameAt(index)
        const events = answer(run, index, `of ${name}`)
        expect(brief(events)).toEqual(KINDS[name].done(index, 4, `of ${name}`))
      }
      const { status, output } = terminal(run.end())
      expect(status).toBe('completed')
      expect(output).toMatchObject([
        { type: 'mcp_call', status: 'completed', output: 'of mcp' },
        { type: 'code_interpreter_call', status: 'completed', outputs: [{ type: 'logs', logs: 'of python' }] },
        { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q', sources: [] } },
        { type: 'shell_call', status: 'completed', action: { commands: ['ls'] } },
        { type: 'shell_call_output', call_id: 'call_5', output: [{ stdout: 'of shell' }] },
      ])
      expect(streamed(run.events)).toEqual(output)
      expect(run.diagnostics).toEqual([])
      expect(faultsOf(run.events)).toEqual([])
    }
  })
})

describe('any calls, answered in any order and way, or not at all,', () => {
  /** A call, its place in the order of the results, and how it is answered. */
  const call = fc.record({
    name: fc.constantFrom(...NAMES),
    rank: fc.nat(),
    by: fc.constantFrom('id', 'transcript', 'nothing'),
  })

  test('any calls, answered in any order and way or not at all, have their own results, and are as they were streamed', () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 7 }), fc.boolean(), (calls, isWriting) => {
        const run = waiting(...calls.map(({ name }) => name))
        const written = isWriting && calls.every(({ by }) => by !== 'transcript')
        if (written) run.push(`<|start|>assistant${messageOn('final', 'Hel')}`)
        /** The expected result of each call, by its index, and of the shell's. */
        const got = new Map<number, string>()
        const shells: string[] = []
        const places = calls.map(({ rank }, index) => ({ rank, index })).sort((a, b) => a.rank - b.rank)
        for (const { index } of places) {
          const { name, by } = calls[index] as (typeof calls)[number]
          const text = `result ${got.size}`
          if (by === 'nothing') continue
          // A result in the transcript names its author, but not its call, so it answers the oldest one that waits.
          const oldest = calls.findIndex((other, at) => other.name === name && !got.has(at))
          const answered = by === 'id' ? index : oldest
          if (got.has(answered) || answered === -1) continue
          const next = run.translator.response.output.length
          const events =
            by === 'id'
              ? run.toolResult({ itemId: idAt(run, index), output: text })
              : run.answer(KINDS[name].recipient, text)
          expect(brief(events)).toEqual(KINDS[name].done(answered, next, text))
          got.set(answered, text)
          if (name === 'shell') shells.push(`${idOfCall(run, answered)} ${text}`)
        }
        if (written) run.push('lo<|return|>')
        const { status, output } = terminal(run.end())
        expect(status).toBe('completed')
        for (const [index, { name }] of calls.entries()) {
          const item = output[index]
          const isDone = got.has(index) || name === 'shell'
          expect(item).toMatchObject({ status: isDone ? 'completed' : 'incomplete' })
          const text = got.get(index)
          if (name === 'mcp') expect(item).toMatchObject({ output: text ?? null })
          if (name === 'python') {
            expect(item).toMatchObject({ outputs: text === undefined ? null : [{ type: 'logs', logs: text }] })
          }
        }
        expect(
          output.flatMap((item) =>
            item.type === 'shell_call_output' ? [`${item.call_id} ${item.output[0]?.stdout}`] : [],
          ),
        ).toEqual(shells)
        expect(streamed(run.events)).toEqual(output)
        expect(faultsOf(run.events)).toEqual([])
        expect(run.diagnostics.map(({ code, subject }) => `${code} ${subject}`)).toEqual(
          calls.flatMap((_, index) => (got.has(index) ? [] : [`missing_result ${idAt(run, index)}`])),
        )
      }),
      { numRuns: runs(300) },
    )
  })

  function idOfCall(run: Run, index: number): string {
    const item = run.translator.response.output[index]
    return item?.type === 'shell_call' ? item.call_id : ''
  }
})

describe('a result', () => {
  test.each(NAMES)('a result of %s for which nothing was called is reported', (name) => {
    const run = createRun({ request })
    run.start()
    const { recipient } = KINDS[name]
    expect(run.answer(recipient, 'x')).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'result_without_call', subject: recipient }])
    expect(terminal(run.end()).output).toEqual([])
  })

  test.each(NAMES)('a result of %s is not for the calls of other tools, though they wait', (name) => {
    const others = NAMES.filter((other) => other !== name)
    const run = waiting(...others)
    expect(run.answer(KINDS[name].recipient, 'x')).toEqual([])
    expect(codes(run.diagnostics)).toEqual(['result_without_call'])
    for (const other of others) expect(run.answer(KINDS[other].recipient, 'x')).not.toEqual([])
  })

  test.each(NAMES)('a result of %s in the transcript does not count after one by id', (name) => {
    const run = waiting(name)
    run.toolResult({ itemId: idAt(run, 0), output: 'first' })
    const before = run.translator.response
    expect(run.answer(KINDS[name].recipient, 'second')).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'second_result', subject: idAt(run, 0) }])
    expect(terminal(run.end()).output).toEqual(before.output)
  })

  test.each(NAMES)('a result of %s by id does not count after one in the transcript', (name) => {
    const run = waiting(name)
    run.answer(KINDS[name].recipient, 'first')
    const before = run.translator.response
    expect(run.toolResult({ itemId: idAt(run, 0), error: { message: 'second' } })).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'second_result', subject: idAt(run, 0) }])
    expect(terminal(run.end()).output).toEqual(before.output)
  })

  test('a result in the transcript is for the call that waits, though an older one of the tool has its own', () => {
    const run = waiting('mcp', 'mcp', 'mcp')
    run.toolResult({ itemId: idAt(run, 0), output: 'first' })
    run.toolResult({ itemId: idAt(run, 2), output: 'third' })
    run.answer('github.search', 'second')
    expect(terminal(run.end()).output).toMatchObject([{ output: 'first' }, { output: 'second' }, { output: 'third' }])
    expect(run.diagnostics).toEqual([])
  })

  test('a result for a call that was made after an answered one of the same tool is its own', () => {
    const run = waiting('mcp')
    run.answer('github.search', 'first')
    run.push({ host: '<|start|>assistant' }, callOf('mcp'))
    run.answer('github.search', 'second')
    expect(terminal(run.end()).output).toMatchObject([{ output: 'first' }, { output: 'second' }])
    expect(run.diagnostics).toEqual([])
  })

  test('a result of another tool at the same server answers no call', () => {
    const run = waiting('mcp')
    expect(run.answer('github.other', 'x')).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'result_without_call', subject: 'github.other' }])
  })

  test('a result that fails is of its own call alone', () => {
    const run = waiting('mcp', 'python', 'mcp')
    expect(brief(run.toolResult({ itemId: idAt(run, 2), error: { message: 'no' } }))).toEqual([
      'mcp_call.failed 2',
      'output_item.done 2 failed',
    ])
    run.answer('github.search', 'found')
    run.answer('python', '1')
    expect(briefOutput(terminal(run.end()))).toEqual([
      'mcp_call github.search completed "{\\"q\\":1}"',
      'code_interpreter_call completed "print(1)"',
      'mcp_call github.search failed "{\\"q\\":1}"',
    ])
  })
})

describe('calls that the model continues after', () => {
  test('calls without a result are closed at the end, in their order, before the message that is still open', () => {
    const run = waiting('mcp', 'python', 'search', 'shell')
    run.push(`<|start|>assistant${messageOn('final', 'Hel')}`)
    const events = run.end('stop')
    expect(brief(events)).toEqual([
      'output_item.done 0 incomplete',
      'output_item.done 1 incomplete',
      'output_item.done 2 incomplete',
      'output_text.done 4',
      'content_part.done 4',
      'output_item.done 4 completed',
      'completed',
    ])
    expect(terminal(events).output).toMatchObject([
      { type: 'mcp_call', status: 'incomplete', output: null, error: null },
      { type: 'code_interpreter_call', status: 'incomplete', outputs: null },
      { type: 'web_search_call', status: 'incomplete' },
      { type: 'shell_call', status: 'completed' },
      { type: 'message', status: 'completed' },
    ])
    expect(streamed(run.events)).toEqual(terminal(events).output)
    expect(run.diagnostics).toMatchObject(
      ['mcp_0', 'ci_2', 'ws_3', 'sh_4'].map((subject) => ({ code: 'missing_result', subject })),
    )
  })

  test('calls without a result are closed before the message, also if the limit cut it', () => {
    const run = waiting('mcp')
    run.push(`<|start|>assistant${messageOn('final', 'Hel')}`)
    const events = run.end()
    expect(brief(events)).toEqual([
      'output_item.done 0 incomplete',
      'output_text.done 1',
      'content_part.done 1',
      'output_item.done 1 incomplete',
      'incomplete',
    ])
  })

  test('a call that is still written is closed after those that wait for a result', () => {
    const run = waiting('mcp', 'python')
    run.push(`<|start|>assistant${callTo('browser.search', '{"query":"q"')}`)
    expect(brief(run.end())).toEqual([
      'output_item.done 0 incomplete',
      'output_item.done 1 incomplete',
      'output_item.done 2 incomplete',
      'incomplete',
    ])
  })

  test('calls are answered further messages later, without harm to the message that is being written', () => {
    const run = waiting('mcp', 'python')
    run.push(
      `<|start|>assistant${inTurn(messageOn('analysis', 'Hm.<|end|>'), messageOn('commentary', 'Wait.<|end|>'))}`,
    )
    expect(brief(run.answer('python', '1'))).toEqual(KINDS.python.done(1, 4, '1'))
    run.push({ host: '<|start|>assistant' }, messageOn('final', 'Hel'))
    expect(brief(run.toolResult({ itemId: idAt(run, 0), output: 'found' }))).toEqual(KINDS.mcp.done(0, 5, 'found'))
    expect(brief(run.push('lo<|return|>'))[0]).toBe('output_text.delta 4 "lo"')
    const { status, output } = terminal(run.end())
    expect(status).toBe('completed')
    expect(output).toMatchObject([
      { type: 'mcp_call', output: 'found' },
      { type: 'code_interpreter_call', outputs: [{ logs: '1' }] },
      { type: 'reasoning', status: 'completed' },
      { type: 'message', phase: 'commentary' },
      { type: 'message', phase: 'final_answer', content: [{ text: 'Hello' }] },
    ])
    expect(faultsOf(run.events)).toEqual([])
  })

  test('calls are answered while the arguments of another call are written, which continue', () => {
    const run = waiting('shell', 'mcp')
    run.push(`<|start|>assistant${callTo('functions.f', '{"a"')}`)
    const shell = brief(run.toolResult({ itemId: idAt(run, 0), output: 'a' }))
    expect(shell).toEqual(KINDS.shell.done(0, 3, 'a'))
    expect(brief(run.toolResult({ itemId: idAt(run, 1), output: 'found' }))).toEqual(KINDS.mcp.done(1, 4, 'found'))
    expect(brief(run.push(':1}<|call|>'))).toEqual([
      'function_call_arguments.delta 2 ":1}"',
      'function_call_arguments.done 2',
      'output_item.done 2 completed',
    ])
    expect(streamed(run.events)).toEqual(terminal(run.end()).output)
  })

  test('calls stand incomplete if the response fails, except for completed ones', () => {
    const run = waiting('mcp', 'python', 'search', 'shell')
    run.answer('python', '1')
    const before = run.events.length
    run.fail({ message: 'no' })
    expect(brief(run.events.slice(before))).toEqual(['error', 'failed'])
    expect(terminal(run.events).output).toMatchObject([
      { type: 'mcp_call', status: 'incomplete' },
      { type: 'code_interpreter_call', status: 'completed' },
      { type: 'web_search_call', status: 'incomplete' },
      { type: 'shell_call', status: 'completed' },
    ])
  })
})
