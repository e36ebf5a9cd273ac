import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveId } from '../../../src/core/options/ids.js'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import { commandLineOf, commandOf } from '../../../src/core/recipients/shell-command.js'
import { loadTokenTable, type OutputItem, type ResponseRequest } from '../../../src/index.js'
import { encodeHarmony } from '../../support/tokens.js'
import { Translator } from '../../support/translator.js'
import { fn } from '../recipients/tools.js'
import {
  brief,
  briefItem,
  briefOutput,
  callTo,
  codes,
  createRun,
  FIXED,
  inTurn,
  messageOn,
  type Run,
  runOf,
  terminal,
} from '../translate/run.js'

const tokenTable = await loadTokenTable()

type Environment = { readonly type: string; readonly container_id?: string }

/** A request with a shell, and a function beside it. */
function withShell(environment?: Environment | null): ResponseRequest {
  return { tools: [{ type: 'shell', ...(environment === undefined ? {} : { environment }) }, fn('f')] }
}

const AUTO = withShell({ type: 'container_auto' })
const HOSTED = withShell({ type: 'container_reference', container_id: 'cntr_host' })
const CONTAINER = { type: 'container_reference', container_id: 'cntr_host' }

const LS = '{"cmd":["bash","-lc","ls -a"]}'
const NO_ACTION = { commands: [], timeout_ms: null, max_output_length: null }
const ACTION = { commands: ['ls -a'], timeout_ms: null, max_output_length: null }
const CALL = {
  type: 'shell_call',
  id: 'sh_0',
  status: 'in_progress',
  call_id: 'call_1',
  action: NO_ACTION,
  environment: null,
}

/** A call, up to its terminator. */
const exec = (text: string): string => callTo('container.exec', text)
const execCall = (text: string): string => exec(`${text}<|call|>`)
const commandCall = (command: string): string => execCall(JSON.stringify({ cmd: ['bash', '-lc', command] }))

/** The items of all events that carry one, in order. */
const itemsOf = (run: Run): OutputItem[] => run.events.flatMap((event) => ('item' in event ? [event.item] : []))
const commandsOf = (run: Run): string[] => brief(run.events).filter((line) => line.includes('shell_call_command'))

/** The item of a finished call with these arguments. */
function calledWith(text: string, request: ResponseRequest = withShell()): [OutputItem | undefined, Run] {
  const run = createRun({ request })
  run.push(execCall(text))
  return [terminal(run.end()).output[0], run]
}

const shellOutput = (stdout: string, stderr = '', exit_code = 0) =>
  ({ stdout, stderr, outcome: { type: 'exit', exit_code } }) as const

describe('a shell call of the client', () => {
  test('a shell call of the client is announced empty, and its command reported and it done at the terminator', () => {
    const run = createRun({ request: withShell() })
    run.start()
    expect(run.push(exec('{"cmd":["bash",'))).toEqual([
      { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item: CALL },
    ])
    expect(run.push('"-lc","ls', ' -a"]}')).toEqual([])
    const about = { output_index: 0, command_index: 0 }
    const done = { ...CALL, status: 'completed', action: ACTION }
    expect(run.push('<|call|>')).toEqual([
      { type: 'response.shell_call_command.added', sequence_number: 3, ...about, command: '' },
      { type: 'response.shell_call_command.delta', sequence_number: 4, ...about, delta: 'ls -a' },
      { type: 'response.shell_call_command.done', sequence_number: 5, ...about, command: 'ls -a' },
      { type: 'response.output_item.done', sequence_number: 6, output_index: 0, item: done },
    ])
    const response = terminal(run.end())
    expect(response.status).toBe('completed')
    expect(response.output).toEqual([done])
    expect(run.diagnostics).toEqual([])
  })

  test.each<[string, Environment | null | undefined, unknown]>([
    ['where none is declared', undefined, null],
    ['where it is declared null', null, null],
    ["where it is the client's machine", { type: 'local' }, { type: 'local' }],
    ['where it is a container', { type: 'container_reference', container_id: 'cntr_host' }, CONTAINER],
  ])('a shell call of the client has its environment %s, from its announcement on', (_, environment, shown) => {
    const run = createRun({ request: withShell(environment) })
    run.push(execCall(LS))
    expect(itemsOf(run)).toMatchObject([
      { status: 'in_progress', environment: shown },
      { status: 'completed', environment: shown },
    ])
  })

  test("a shell call of the client has ids of the API's form", () => {
    const run = createRun({ request: withShell(), ids: deriveId })
    run.push(execCall(LS))
    expect(itemsOf(run)[1]).toMatchObject({
      id: expect.stringMatching(/^sh_[0-9a-f]{50}$/),
      call_id: expect.stringMatching(/^call_[0-9a-zA-Z]{24}$/),
    })
  })

  test("a shell call of the client has the output index of its place, in its command's events too", () => {
    const run = createRun({ request: withShell() })
    run.push(messageOn('analysis', 'Hm.<|end|>'))
    expect(brief(run.push(`<|start|>assistant${execCall(LS)}`))).toEqual([
      'output_item.added 1',
      'shell_call_command.added 1',
      'shell_call_command.delta 1 "ls -a"',
      'shell_call_command.done 1',
      'output_item.done 1 completed',
    ])
  })

  test.each<[string, ResponseRequest]>([
    ['without an environment', withShell()],
    ["on the client's machine", withShell({ type: 'local' })],
  ])('a shell call %s takes no result from the host', (_, request) => {
    const run = createRun({ request })
    run.push(execCall(LS))
    const refused = expect.objectContaining({
      code: 'item_takes_no_result',
      message: 'toolResult: expected the id of a hosted call, got "shell_call sh_0"',
    })
    expect(() => run.toolResult({ itemId: 'sh_0', output: 'a' })).toThrow(refused)
    expect(() => run.toolResult({ itemId: 'sh_0', shell: [shellOutput('a')] })).toThrow(refused)
    expect(brief(run.end())).toEqual(['completed'])
  })

  test.each<[string, ResponseRequest]>([
    ['without an environment', withShell()],
    ["on the client's machine", withShell({ type: 'local' })],
  ])('a shell call %s is answered in the transcript, which is no news', (_, request) => {
    const run = createRun({ request })
    run.push(execCall(LS))
    expect(run.answer('container.exec', 'a b')).toEqual([])
    run.push({ host: '<|start|>assistant' }, messageOn('final', 'Two.<|return|>'))
    expect(briefOutput(terminal(run.end()))).toEqual(['shell_call completed ["ls -a"]', 'message completed "Two."'])
    expect(run.diagnostics).toEqual([])
  })

  test('a shell call of the client that is cut off stands incomplete, with its text in a diagnostic', () => {
    const run = createRun({ request: withShell() })
    run.push(exec('{"cmd":["rm","-r'))
    const events = run.end()
    expect(brief(events)).toEqual(['incomplete'])
    expect(terminal(events).output).toEqual([{ ...CALL, status: 'incomplete' }])
    expect(run.diagnostics).toMatchObject([{ code: 'call_cut_off', subject: 'shell_call', text: '{"cmd":["rm","-r' }])
  })

  test.each<[string, (run: Run) => unknown]>([
    ['a failure', (run) => run.fail({ message: 'no' })],
    ['an abort', (run) => run.abort()],
  ])('a shell call of the client that is cut off by %s is not done', (_, stop) => {
    const run = createRun({ request: withShell() })
    run.push(exec('{"cmd":["rm"'))
    stop(run)
    expect(brief(run.events).filter((line) => /done|command/.test(line))).toEqual([])
    expect(run.translator.response.output).toEqual([{ ...CALL, status: 'incomplete' }])
    expect(run.diagnostics).toMatchObject([{ code: 'call_cut_off', subject: 'shell_call', text: '{"cmd":["rm"' }])
  })

  test('a shell call of the client whose <|call|> the engine swallowed is whole', () => {
    const run = createRun({ request: withShell() })
    run.push(exec(LS))
    expect(brief(run.end('stop'))).toEqual([
      'shell_call_command.added 0',
      'shell_call_command.delta 0 "ls -a"',
      'shell_call_command.done 0',
      'output_item.done 0 completed',
      'completed',
    ])
  })

  test("a shell call of the client with calls 'whole' is announced at its terminator only, and is the same item", () => {
    const run = createRun({ request: withShell(), calls: 'whole' })
    run.start()
    expect(run.push(exec('{"cmd":["bash",'), '"-lc","ls -a"]}')).toEqual([])
    expect(run.translator.response.output).toEqual([])
    const events = run.push('<|call|>')
    expect(brief(events)).toEqual([
      'output_item.added 0',
      'shell_call_command.added 0',
      'shell_call_command.delta 0 "ls -a"',
      'shell_call_command.done 0',
      'output_item.done 0 completed',
    ])
    expect(events[0]).toMatchObject({ item: CALL })
    expect(events.at(-1)).toMatchObject({ item: { ...CALL, status: 'completed', action: ACTION } })
  })

  test("a shell call of the client that is cut off with calls 'whole' is in a diagnostic alone", () => {
    const run = createRun({ request: withShell(), calls: 'whole' })
    run.push(exec('{"cmd":["rm"'))
    expect(brief(run.end())).toEqual(['incomplete'])
    expect(run.translator.response.output).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'call_cut_off', subject: 'shell_call', text: '{"cmd":["rm"' }])
  })

  test('a shell call of the client is a function call if no shell is declared', () => {
    const [item] = calledWith(LS, { tools: [fn('f')] })
    expect(item).toMatchObject({ type: 'function_call', name: 'container.exec', arguments: LS })
  })
})

describe('the command of a shell call', () => {
  test.each<[string, string, string]>([
    ['a script for bash', '{"cmd":["bash","-lc","ls -a"]}', 'ls -a'],
    ['a script for another shell, by its path', '{"cmd":["/bin/sh","-c","a | b && c"]}', 'a | b && c'],
    ['a script of several lines', '{"cmd":["bash","-lc","cat <<EOF\\nhi\\nEOF"]}', 'cat <<EOF\nhi\nEOF'],
    ['a program and its plain arguments', '{"cmd":["git","log","--oneline","-n=5"]}', 'git log --oneline -n=5'],
    ['arguments that a shell would read otherwise', '{"cmd":["grep","a b","$HOME","*"]}', "grep 'a b' '$HOME' '*'"],
    ['an argument with a quote', '{"cmd":["echo","it\'s"]}', "echo 'it'\\''s'"],
    ['an empty argument', '{"cmd":["printf",""]}', "printf ''"],
    ['a shell with a script and arguments of its own', '{"cmd":["bash","-c","echo $0","x"]}', "bash -c 'echo $0' x"],
    ['a shell with other options', '{"cmd":["bash","-x","a b"]}', "bash -x 'a b'"],
    ['arguments that are no strings', '{"cmd":["head","-n",5]}', 'head -n 5'],
    ['a string', '{"cmd":"ls -a | wc"}', 'ls -a | wc'],
    ['`command` for `cmd`', '{"command":["bash","-lc","ls"]}', 'ls'],
    ['`command` as a string', '{"command":"ls; pwd"}', 'ls; pwd'],
    ['an argv without an object around it', '["bash","-lc","ls"]', 'ls'],
    ['a JSON string', '"ls -a"', 'ls -a'],
    ['free text', 'ls -a | sort', 'ls -a | sort'],
  ])('the command of a shell call may be written as %s', (_, text, command) => {
    const [item, run] = calledWith(text)
    expect(item).toMatchObject({ status: 'completed', action: { commands: [command] } })
    expect(commandsOf(run)).toEqual([
      'shell_call_command.added 0',
      `shell_call_command.delta 0 ${JSON.stringify(command)}`,
      'shell_call_command.done 0',
    ])
    expect(run.diagnostics).toEqual([])
  })

  test.each<[string, string]>([
    ['JSON that is broken', '{"cmd":["ls"'],
    ['a broken list', '["ls",'],
    ['arguments without a command', '{"timeout":5}'],
    ['a number', '42'],
    ['null', 'null'],
    ['blanks', ' \n '],
  ])('%s is not a shell command: there are no command events, and the text is in a diagnostic', (_, text) => {
    const [item, run] = calledWith(text)
    expect(item).toMatchObject({ status: 'completed', action: { commands: [] } })
    expect(brief(run.events).slice(2)).toEqual(['output_item.added 0', 'output_item.done 0 completed', 'completed'])
    expect(run.diagnostics).toMatchObject([{ code: 'unreadable_arguments', subject: 'shell_call', text }])
  })

  test('a shell call without arguments has no command, and there is no text to report', () => {
    const [item, run] = calledWith('')
    expect(item).toMatchObject({ status: 'completed', action: { commands: [] } })
    expect(codes(run.diagnostics)).toEqual(['unreadable_arguments'])
    expect(run.diagnostics[0]).not.toHaveProperty('text')
  })

  test.each<[string, string]>([
    ['a number', '{"cmd":42}'],
    ['an object', '{"cmd":{"run":"ls"}}'],
    ['null', '{"cmd":null}'],
    ['an empty list', '{"cmd":[]}'],
  ])("a shell command that is %s counts as absent, and the model's text is not lost", (_, text) => {
    const [item, run] = calledWith(text)
    expect(item).toMatchObject({ action: { commands: [] } })
    expect(run.diagnostics).toMatchObject([{ code: 'unreadable_arguments', subject: 'shell_call', text }])
  })

  test('the command of a shell call is `cmd` if `command` is null', () => {
    const [item] = calledWith('{"cmd":["ls"],"command":null}')
    expect(item).toMatchObject({ action: { commands: ['ls'] } })
  })

  test.each<[string, string, number | null, number | null]>([
    ['timeout_ms', '"timeout_ms":5000', 5000, null],
    ['timeout', '"timeout":5000', 5000, null],
    ['timeout_ms before timeout', '"timeout_ms":1,"timeout":2', 1, null],
    ['timeout where timeout_ms is null', '"timeout_ms":null,"timeout":2', 2, null],
    ['0', '"timeout_ms":0,"timeout":2', 0, null],
    ['a timeout that is no number', '"timeout_ms":"5000"', null, null],
    ['max_output_length', '"max_output_length":1024', null, 1024],
    ['both', '"timeout_ms":1,"max_output_length":2', 1, 2],
    ['neither', '"workdir":"/w"', null, null],
  ])('the command of a shell call goes with its limits: %s', (_, given, timeout_ms, max_output_length) => {
    const [item] = calledWith(`{"cmd":["ls"],${given}}`)
    expect(item).toMatchObject({ action: { commands: ['ls'], timeout_ms, max_output_length } })
  })
})

describe('the container of a hosted shell call', () => {
  const containersOf = (options: Partial<TranslatorOptions>): unknown[] => {
    const run = createRun(options)
    run.push(inTurn(commandCall('a'), commandCall('b')))
    return terminal(run.end()).output.map((item) => 'environment' in item && item.environment)
  }
  const reference = (container_id: string): unknown => ({ type: 'container_reference', container_id })

  test('the container of a hosted shell call is the one that the request names', () => {
    expect(containersOf({ request: HOSTED })).toEqual([CONTAINER, CONTAINER])
  })

  test('the container of a hosted shell call is that of the option, before that of the request', () => {
    for (const request of [HOSTED, AUTO]) {
      expect(containersOf({ request, containerId: 'cntr_own' })).toEqual([reference('cntr_own'), reference('cntr_own')])
    }
  })

  test('the container of a hosted shell call is derived if the host names none, and is the same for all calls', () => {
    expect(containersOf({ request: AUTO })).toEqual([reference('cntr_0'), reference('cntr_0')])
    expect(containersOf({ request: withShell({ type: 'container_reference' }) })).toEqual([
      reference('cntr_0'),
      reference('cntr_0'),
    ])
  })

  test('the derived container of a hosted shell call has the form of the API', () => {
    const [first, second] = containersOf({ request: AUTO, ids: deriveId })
    expect(first).toEqual({ type: 'container_reference', container_id: expect.stringMatching(/^cntr_[0-9a-f]{50}$/) })
    expect(second).toEqual(first)
  })

  test('the derived container of a hosted shell call is that of the code interpreter, too', () => {
    const run = createRun({ request: { tools: [{ type: 'code_interpreter' }, ...(AUTO.tools ?? [])] } })
    run.push(inTurn(callTo('python', '1<|call|>'), commandCall('a')))
    expect(run.translator.response.output).toMatchObject([
      { container_id: 'cntr_0' },
      { environment: { container_id: 'cntr_0' } },
    ])
  })

  test("the container of a hosted shell call is not the code interpreter's that the request names", () => {
    const python = { type: 'code_interpreter', container: 'cntr_python' }
    const run = createRun({ request: { tools: [python, ...(HOSTED.tools ?? [])] } })
    run.push(inTurn(callTo('python', '1<|call|>'), commandCall('a')))
    expect(run.translator.response.output).toMatchObject([{ container_id: 'cntr_python' }, { environment: CONTAINER }])
  })
})

describe('a hosted shell call', () => {
  const done = { ...CALL, status: 'completed', action: ACTION, environment: CONTAINER }
  const OUTPUT = {
    type: 'shell_call_output',
    id: 'sho_2',
    status: 'completed',
    call_id: 'call_1',
    output: [],
    max_output_length: null,
  }
  const OF_OUTPUT = { item_id: 'sho_2', output_index: 1, command_index: 0 }

  /** A run with one pending call. */
  function called(text = LS, options: Partial<TranslatorOptions> = {}): Run {
    const run = createRun({ request: HOSTED, ...options })
    run.push(execCall(text))
    return run
  }

  /** The output item of a result. */
  const answered = (run: Run): OutputItem | undefined =>
    terminal(run.end()).output.find(({ type }) => type === 'shell_call_output')

  test('a hosted shell call ends at its <|call|>, and its result is an item of its own', () => {
    const run = createRun({ request: HOSTED })
    run.start()
    const about = { output_index: 0, command_index: 0 }
    expect(run.push(execCall(LS))).toEqual([
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: { ...CALL, environment: CONTAINER },
      },
      { type: 'response.shell_call_command.added', sequence_number: 3, ...about, command: '' },
      { type: 'response.shell_call_command.delta', sequence_number: 4, ...about, delta: 'ls -a' },
      { type: 'response.shell_call_command.done', sequence_number: 5, ...about, command: 'ls -a' },
      { type: 'response.output_item.done', sequence_number: 6, output_index: 0, item: done },
    ])
    expect(run.translator.response.output).toEqual([done])
    const output = [shellOutput('. ..\n')]
    const item = { ...OUTPUT, output }
    expect(run.answer('container.exec', '. ..\n')).toEqual([
      { type: 'response.output_item.added', sequence_number: 7, output_index: 1, item: OUTPUT },
      {
        type: 'response.shell_call_output_content.delta',
        sequence_number: 8,
        ...OF_OUTPUT,
        delta: { stdout: '. ..\n', stderr: '' },
      },
      { type: 'response.shell_call_output_content.done', sequence_number: 9, ...OF_OUTPUT, output },
      { type: 'response.output_item.done', sequence_number: 10, output_index: 1, item },
    ])
    const response = terminal(run.end())
    expect(response.status).toBe('completed')
    expect(response.output).toEqual([done, item])
    expect(run.diagnostics).toEqual([])
  })

  test("a hosted shell call is answered by its item id, with the command's output and its exit", () => {
    const run = called()
    const output = [shellOutput('out', 'err', 3)]
    expect(run.toolResult({ itemId: 'sh_0', shell: output })).toMatchObject([
      { type: 'response.output_item.added', output_index: 1, item: OUTPUT },
      {
        type: 'response.shell_call_output_content.delta',
        ...OF_OUTPUT,
        delta: { stdout: 'out', stderr: 'err' },
      },
      { type: 'response.shell_call_output_content.done', ...OF_OUTPUT, output },
      { type: 'response.output_item.done', output_index: 1, item: { ...OUTPUT, output } },
    ])
    expect(terminal(run.end()).output).toEqual([done, { ...OUTPUT, output }])
  })

  test('a hosted shell call keeps a timeout as it is', () => {
    const run = called()
    const output = [{ stdout: 'a', stderr: '', outcome: { type: 'timeout' } as const }]
    run.toolResult({ itemId: 'sh_0', shell: output })
    expect(answered(run)).toEqual({ ...OUTPUT, output })
  })

  test('a hosted shell call takes a text as the output of a command that succeeded', () => {
    const run = called()
    run.toolResult({ itemId: 'sh_0', output: 'a b' })
    expect(answered(run)).toMatchObject({ output: [shellOutput('a b')] })
  })

  test.each<[string, { code?: string | number; message: string }, number]>([
    ['a numeric code', { code: 127, message: 'not found' }, 127],
    ['the code 0', { code: 0, message: 'odd' }, 0],
    ['a code that is no number', { code: 'ENOENT', message: 'not found' }, 1],
    ['no code', { message: 'not found' }, 1],
  ])("a hosted shell call takes an error as the command's error output, with %s", (_, error, exitCode) => {
    const run = called()
    expect(brief(run.toolResult({ itemId: 'sh_0', error }))).toEqual([
      'output_item.added 1',
      `shell_call_output_content.delta 1 ${JSON.stringify({ stdout: '', stderr: error.message })}`,
      'shell_call_output_content.done 1',
      'output_item.done 1 completed',
    ])
    const response = terminal(run.end())
    expect(response.status).toBe('completed')
    expect(response.output[1]).toMatchObject({ output: [shellOutput('', error.message, exitCode)] })
  })

  test('a hosted shell call has the outputs of several commands, all of them of the one command that it has', () => {
    const run = called()
    const output = [shellOutput('1'), shellOutput('', '2', 2), shellOutput('3')]
    const events = run.toolResult({ itemId: 'sh_0', shell: output })
    expect(events).toMatchObject([
      { type: 'response.output_item.added' },
      { type: 'response.shell_call_output_content.delta', ...OF_OUTPUT, delta: { stdout: '1', stderr: '' } },
      { type: 'response.shell_call_output_content.delta', ...OF_OUTPUT, delta: { stdout: '', stderr: '2' } },
      { type: 'response.shell_call_output_content.delta', ...OF_OUTPUT, delta: { stdout: '3', stderr: '' } },
      { type: 'response.shell_call_output_content.done', ...OF_OUTPUT, output },
      { type: 'response.output_item.done', item: { ...OUTPUT, output } },
    ])
    expect(events).toHaveLength(6)
  })

  test('a hosted shell call answered by nothing has an item and no content', () => {
    const run = called()
    expect(brief(run.toolResult({ itemId: 'sh_0', shell: [] }))).toEqual([
      'output_item.added 1',
      'output_item.done 1 completed',
    ])
    expect(answered(run)).toEqual(OUTPUT)
  })

  test.each<[string, unknown]>([
    ['a number', 42],
    ['text', 'a b'],
    ['one output without a list', shellOutput('a')],
  ])('a hosted shell call refuses a shell result that is %s, though there is an output beside it', (_, shell) => {
    const run = called()
    expect(() => run.toolResult({ itemId: 'sh_0', output: 'a', shell } as never)).toThrow(
      expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_result' }),
    )
  })

  test('a hosted shell call whose command could not be read is answered all the same, without events about a command', () => {
    const run = called('{"cmd":["ls"')
    expect(brief(run.answer('container.exec', 'what?'))).toEqual([
      'output_item.added 1',
      'output_item.done 1 completed',
    ])
    expect(answered(run)).toEqual({ ...OUTPUT, output: [shellOutput('what?')] })
  })

  test('the output of a hosted shell call has its max_output_length', () => {
    const run = called('{"cmd":["ls"],"max_output_length":7}')
    run.answer('container.exec', 'a')
    expect(itemsOf(run).slice(2)).toMatchObject([
      { type: 'shell_call_output', max_output_length: 7 },
      { type: 'shell_call_output', max_output_length: 7 },
    ])
  })

  test('a hosted shell call takes a copy of its result: later changes by the host have no effect', () => {
    const run = called()
    const given = [{ stdout: 'a', stderr: '', outcome: { type: 'exit' as const, exit_code: 0 } }]
    run.toolResult({ itemId: 'sh_0', shell: given })
    for (const output of given) output.stdout = 'other'
    given.pop()
    expect(answered(run)).toMatchObject({ output: [shellOutput('a')] })
  })

  test('a hosted shell call without a result is followed by nothing, and the response is completed', () => {
    const run = called()
    const events = run.end()
    expect(brief(events)).toEqual(['completed'])
    expect(terminal(events)).toMatchObject({ status: 'completed', output: [done] })
    expect(run.diagnostics).toMatchObject([{ code: 'missing_result', subject: 'sh_0' }])
  })

  test.each<[string, (run: Run) => unknown, (run: Run) => unknown]>([
    [
      'by id and then by id',
      (run) => run.toolResult({ itemId: 'sh_0', output: 'first' }),
      (run) => run.toolResult({ itemId: 'sh_0', shell: [shellOutput('second')] }),
    ],
    [
      'by id and then in the transcript',
      (run) => run.toolResult({ itemId: 'sh_0', output: 'first' }),
      (run) => run.answer('container.exec', 'second'),
    ],
    [
      'in the transcript and then by id',
      (run) => run.answer('container.exec', 'first'),
      (run) => run.toolResult({ itemId: 'sh_0', error: { message: 'second' } }),
    ],
    [
      'in the transcript twice',
      (run) => run.answer('container.exec', 'first'),
      (run) => run.answer('container.exec', 'second'),
    ],
  ])('a hosted shell call answered %s reports the second, and the first one stands', (_, first, second) => {
    const run = called()
    first(run)
    expect(second(run)).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'second_result', subject: 'sh_0' }])
    expect(briefOutput(terminal(run.end()))).toEqual([
      'shell_call completed ["ls -a"]',
      'shell_call_output completed ["first"]',
    ])
  })

  test('an answer of the shell is reported if no call waits for it', () => {
    const run = createRun({ request: HOSTED })
    run.start()
    expect(run.answer('container.exec', 'a')).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'result_without_call', subject: 'container.exec' }])
  })

  test('the answer of a hosted shell call takes no result itself', () => {
    const run = called()
    run.answer('container.exec', 'a')
    expect(() => run.toolResult({ itemId: 'sho_2', output: 'b' })).toThrow(
      expect.objectContaining({ code: 'item_takes_no_result' }),
    )
  })

  test('a hosted shell call answered while the model already writes leaves the message unharmed', () => {
    const run = called()
    run.push(`<|start|>assistant${messageOn('final', 'Hel')}`)
    expect(brief(run.toolResult({ itemId: 'sh_0', output: 'a' }))).toEqual([
      'output_item.added 2',
      'shell_call_output_content.delta 2 {"stdout":"a","stderr":""}',
      'shell_call_output_content.done 2',
      'output_item.done 2 completed',
    ])
    expect(brief(run.push('lo', '<|return|>'))).toEqual([
      'output_text.delta 1 "lo"',
      'output_text.done 1',
      'content_part.done 1',
      'output_item.done 1 completed',
    ])
    expect(briefOutput(terminal(run.end()))).toEqual([
      'shell_call completed ["ls -a"]',
      'message completed "Hello"',
      'shell_call_output completed ["a"]',
    ])
  })

  test("a hosted shell call answered while another call of the client's is still silent gets its place before it", () => {
    const run = called(LS, { calls: 'whole' })
    run.push(`<|start|>assistant${callTo('functions.f', '{"a"')}`)
    run.toolResult({ itemId: 'sh_0', output: 'a' })
    run.push(':1}<|call|>')
    expect(briefOutput(terminal(run.end()))).toEqual([
      'shell_call completed ["ls -a"]',
      'shell_call_output completed ["a"]',
      'function_call f completed "{\\"a\\":1}"',
    ])
  })

  test('a hosted shell call answered while it is still written means that its <|call|> was swallowed', () => {
    for (const answer of [
      (run: Run) => run.toolResult({ itemId: 'sh_0', output: 'a' }),
      (run: Run) => run.answer('container.exec', 'a'),
    ]) {
      const run = createRun({ request: HOSTED })
      run.push(exec(LS))
      expect(brief(answer(run))).toEqual([
        'shell_call_command.added 0',
        'shell_call_command.delta 0 "ls -a"',
        'shell_call_command.done 0',
        'output_item.done 0 completed',
        'output_item.added 1',
        'shell_call_output_content.delta 1 {"stdout":"a","stderr":""}',
        'shell_call_output_content.done 1',
        'output_item.done 1 completed',
      ])
      expect(run.diagnostics).toEqual([])
    }
  })

  test('one of several hosted shell calls is answered by its id, in any order', () => {
    const run = createRun({ request: HOSTED })
    run.push(inTurn(commandCall('a'), commandCall('b'), commandCall('c')))
    const [a, b, c] = run.translator.response.output
    for (const item of [c, a, b]) run.toolResult({ itemId: String(item?.id), output: briefItem(item as OutputItem) })
    const { output } = terminal(run.end())
    expect(output.slice(3)).toMatchObject([
      { call_id: 'call_5', output: [{ stdout: 'shell_call completed ["c"]' }] },
      { call_id: 'call_1', output: [{ stdout: 'shell_call completed ["a"]' }] },
      { call_id: 'call_3', output: [{ stdout: 'shell_call completed ["b"]' }] },
    ])
    expect(output.map((item) => 'call_id' in item && item.call_id).slice(0, 3)).toEqual(['call_1', 'call_3', 'call_5'])
  })

  test('the oldest of several hosted shell calls that wait is answered in the transcript', () => {
    const run = createRun({ request: HOSTED })
    run.push(inTurn(commandCall('a'), commandCall('b'), commandCall('c')))
    run.toolResult({ itemId: 'sh_2', output: 'of b' })
    run.answer('container.exec', 'of a')
    run.answer('container.exec', 'of c')
    expect(terminal(run.end()).output.slice(3)).toMatchObject([
      { call_id: 'call_3', output: [{ stdout: 'of b' }] },
      { call_id: 'call_1', output: [{ stdout: 'of a' }] },
      { call_id: 'call_5', output: [{ stdout: 'of c' }] },
    ])
    expect(run.diagnostics).toEqual([])
  })

  test.each<[string, (run: Run) => unknown]>([
    ['a failure', (run) => run.fail({ message: 'no' })],
    ['an abort', (run) => run.abort()],
  ])('a hosted shell call that is pending at %s stays completed, as it was streamed', (_, stop) => {
    const run = called()
    run.push(`<|start|>assistant${messageOn('final', 'Hel')}`)
    stop(run)
    expect(run.translator.response.output[0]).toEqual(done)
    expect(briefOutput(run.translator.response)).toEqual(['shell_call completed ["ls -a"]', 'message incomplete "Hel"'])
    expect(run.diagnostics).toEqual([])
  })

  test('a hosted shell call that is pending survives a snapshot, and is answered after it', () => {
    const first = createRun({ request: AUTO, tokenTable })
    first.push(encodeHarmony(execCall('{"cmd":["ls"],"max_output_length":9}')))
    const snapshot = JSON.parse(JSON.stringify(first.translator.snapshot()))
    const run = runOf(Translator.restore(snapshot, { ...FIXED, tokenTable }))
    const goOn = (run: Run): unknown[] => [
      ...run.push(encodeHarmony(`<|start|>assistant${execCall(LS)}`)),
      ...run.toolResult({ itemId: 'sh_1', output: 'a' }),
      ...run.answer('container.exec', 'b'),
      ...run.end(),
    ]
    expect(goOn(run)).toEqual(goOn(first))
    expect(briefOutput(run.translator.response)).toEqual([
      'shell_call completed ["ls"]',
      'shell_call completed ["ls -a"]',
      'shell_call_output completed ["a"]',
      'shell_call_output completed ["b"]',
    ])
  })
})

describe('a local shell call', () => {
  const request: ResponseRequest = { tools: [{ type: 'local_shell' }] }
  const action = (given: object) => ({
    type: 'exec',
    command: ['ls'],
    env: {},
    ...given,
  })

  test('a local shell call is announced at its terminator with its whole action, and is done at once', () => {
    const run = createRun({ request })
    run.start()
    const text = JSON.stringify({
      cmd: ['bash', '-lc', 'ls -a'],
      env: { A: '1', B: 2 },
      timeout_ms: 5000,
      user: 'me',
      working_directory: '/w',
    })
    expect(run.push(exec(text.slice(0, 20)), text.slice(20))).toEqual([])
    expect(run.translator.response.output).toEqual([])
    const item = {
      type: 'local_shell_call',
      id: 'lsh_0',
      status: 'in_progress',
      call_id: 'call_1',
      action: {
        type: 'exec',
        command: ['bash', '-lc', 'ls -a'],
        env: { A: '1', B: '2' },
        timeout_ms: 5000,
        user: 'me',
        working_directory: '/w',
      },
    }
    expect(run.push('<|call|>')).toEqual([
      { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item },
      {
        type: 'response.output_item.done',
        sequence_number: 3,
        output_index: 0,
        item: { ...item, status: 'completed' },
      },
    ])
    expect(terminal(run.end()).output).toEqual([{ ...item, status: 'completed' }])
    expect(run.diagnostics).toEqual([])
  })

  test.each<[string, string, object]>([
    ['a command alone', '{"cmd":["ls"]}', {}],
    ['`command` for `cmd`', '{"command":["ls"]}', {}],
    ['a string, which is a script', '{"cmd":"ls -a"}', { command: ['bash', '-lc', 'ls -a'] }],
    ['free text, which is one too', 'ls -a', { command: ['bash', '-lc', 'ls -a'] }],
    ['timeout', '{"cmd":["ls"],"timeout":7}', { timeout_ms: 7 }],
    ['timeout where timeout_ms is null', '{"cmd":["ls"],"timeout_ms":null,"timeout":7}', { timeout_ms: 7 }],
    ['workdir', '{"cmd":["ls"],"workdir":"/w"}', { working_directory: '/w' }],
    ['nulls', '{"cmd":["ls"],"env":null,"timeout":null,"user":null,"workdir":null}', {}],
    ['fields of other types', '{"cmd":["ls"],"timeout":"7","user":7,"workdir":{}}', {}],
    ['an environment that is text', '{"cmd":["ls"],"env":"A=1"}', {}],
  ])('the action of a local shell call is read from %s', (_, text, given) => {
    const [item, run] = calledWith(text, request)
    expect(item).toEqual({
      type: 'local_shell_call',
      id: 'lsh_0',
      status: 'completed',
      call_id: 'call_1',
      action: action(given),
    })
    expect(run.diagnostics).toEqual([])
  })

  test('a local shell call that cannot be read has no command, and its text is in a diagnostic', () => {
    const [item, run] = calledWith('{"cmd":["ls"', request)
    expect(item).toMatchObject({ status: 'completed', action: action({ command: [] }) })
    expect(run.diagnostics).toMatchObject([
      { code: 'unreadable_arguments', subject: 'local_shell_call', text: '{"cmd":["ls"' },
    ])
  })

  test.each<[string, (run: Run) => unknown]>([
    ['the end', (run) => run.end()],
    ['a failure', (run) => run.fail({ message: 'no' })],
    ['an abort', (run) => run.abort()],
  ])('a local shell call that is cut off by %s is nowhere but in the diagnostic', (_, stop) => {
    for (const calls of ['live', 'whole'] as const) {
      const run = createRun({ request, calls })
      run.push(exec('{"cmd":["rm"'))
      stop(run)
      expect(brief(run.events).filter((line) => line.includes('item'))).toEqual([])
      expect(run.translator.response.output).toEqual([])
      expect(run.diagnostics).toMatchObject([
        { code: 'call_cut_off', subject: 'local_shell_call', text: '{"cmd":["rm"' },
      ])
    }
  })

  test("a local shell call is the client's to run: the host gives no result, and the transcript's is no news", () => {
    const [, run] = calledWith('{"cmd":["ls"]}', request)
    expect(run.diagnostics).toEqual([])
    const open = createRun({ request })
    open.push(execCall('{"cmd":["ls"]}'))
    expect(() => open.toolResult({ itemId: 'lsh_0', output: 'a' })).toThrow(
      expect.objectContaining({ code: 'item_takes_no_result' }),
    )
    expect(open.answer('container.exec', 'a')).toEqual([])
    expect(open.diagnostics).toEqual([])
  })

  test('a local shell call gives way to a shell that is declared beside it', () => {
    const [item] = calledWith('{"cmd":["ls"]}', { tools: [{ type: 'local_shell' }, { type: 'shell' }] })
    expect(item).toMatchObject({ type: 'shell_call', environment: null })
  })

  test("a local shell call has ids of the API's form", () => {
    const run = createRun({ request, ids: deriveId })
    run.push(execCall('{"cmd":["ls"]}'))
    expect(itemsOf(run)[0]).toMatchObject({
      id: expect.stringMatching(/^lsh_[0-9a-f]{50}$/),
      call_id: expect.stringMatching(/^call_[0-9a-zA-Z]{24}$/),
    })
  })
})

describe('a command line', () => {
  /** Anything but NUL, which no argument of a program can hold. */
  const word = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.string({ unit: fc.constantFrom(...'\'"\\$`!*?[]{}()<>|&;#~ \t\n=%+,-.:/@^a'), maxLength: 8 }),
    fc.constantFrom('', "'", "''", '\n', 'a\n', '-n', '$(id)', '~', 'a=b', '\\', '!!', 'é', '💖', '*.ts'),
  )
  const words = fc.array(
    word.filter((text) => !text.includes('\0')),
    { maxLength: 5 },
  )

  test('a real shell reads a command line as the words that it was made of', () => {
    fc.assert(
      fc.property(fc.array(words, { minLength: 20, maxLength: 40 }), (cases) => {
        // One process for many cases: each is written as its word count and its words, with a NUL before each.
        const show = 'show() { printf "%s\\0" "$#" "$@"; }'
        const script = [show, ...cases.map((each) => commandLineOf(['show', ...each]))].join('\n')
        const shown = execFileSync('/bin/sh', ['-s'], { input: script, encoding: 'utf8' })
        expect(shown.split('\0').slice(0, -1)).toEqual(cases.flatMap((each) => [String(each.length), ...each]))
      }),
      { numRuns: 8 },
    )
  })

  test("a command line of a shell's script is the script itself", () => {
    fc.assert(
      fc.property(fc.constantFrom('bash', 'sh', 'zsh', '/bin/bash', '/usr/bin/zsh'), word, (shell, script) => {
        expect(commandLineOf([shell, '-lc', script])).toBe(script)
        expect(commandLineOf([shell, '-c', script])).toBe(script)
      }),
      { numRuns: 50 },
    )
  })

  test.each(['fish', 'mash', 'bash5', 'python', 'bash/run'])(
    'a command line of %s, which is no such shell, is quoted',
    (program) => {
      expect(commandLineOf([program, '-c', 'a b'])).toBe(`${program} -c 'a b'`)
    },
  )

  test('a list is a command, a string is a script, and anything else is neither', () => {
    expect(commandOf({ cmd: ['a', 1, true, null] })).toEqual(['a', '1', 'true', 'null'])
    expect(commandOf({ cmd: 'a b' })).toEqual(['bash', '-lc', 'a b'])
    expect(commandOf({ command: 'a', cmd: 'b' })).toEqual(['bash', '-lc', 'a'])
    for (const given of [{}, { cmd: 5 }, { cmd: {} }, { cmd: null }]) expect(commandOf(given)).toBeUndefined()
  })
})
