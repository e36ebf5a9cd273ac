import { describe, expect, test } from 'vitest'
import { rowsOf } from '../../../src/cli/probe-rows.js'
import { run } from '../../../src/cli/run.js'
import { curlOf } from '../../../src/judge/probe/curl.js'
import type { Finding, ScenarioResult } from '../../../src/judge/probe/index.js'
import { SameAnswers } from '../../../src/judge/probe/same-answers.js'
import { fakeIo } from '../../cli/io.js'
import { closeServers, serve } from './play.js'

closeServers()

const finding = (got: string, expected = 'a status from 400 to 499'): Finding => ({
  rule: 'refuses',
  severity: 'error',
  breaks: [],
  request: 'asked',
  expected,
  got,
  more: 0,
  moreRules: [],
})

const result = (scenario: string, ...findings: Finding[]): ScenarioResult => ({
  scenario,
  asks: '',
  verdict: 'fail',
  findings,
  notes: [],
  requests: 1,
  output: { tokens: 0, milliseconds: 0 },
})

describe('the rows of findings', () => {
  test('a server that answers 200 here and 500 there has two rows', () => {
    const rows = rowsOf([
      result('missing-input', finding('500: Internal Server Error')),
      result('unknown-previous', finding('200: an answer')),
      result('wrong-types', finding('500: another message')),
    ])
    expect(rows.map((row) => [...row.scenarios.keys()])).toEqual([
      ['missing-input', 'wrong-types'],
      ['unknown-previous'],
    ])
  })

  test('the same behaviour with other values is one row', () => {
    const rows = rowsOf([
      result('plain', finding('"resp_1"', 'response.id "resp_0"')),
      result('call', finding('"resp_7"', 'response.id "resp_6"')),
    ])
    expect(rows).toHaveLength(1)
  })
})

describe('the content of a finding', () => {
  test('a row has the request as a command, the event at fault, and the party to blame; no key', async () => {
    const server = await serve({ events: (events) => events.slice(0, -1) })
    const io = fakeIo()
    expect(
      await run(['probe', server.url, '--only', 'plain', '--header', 'Authorization: Bearer s3cret-key-12345'], io),
    ).toBe(1)
    expect(io.out).toMatch(/^ {3}curl -N 'http:\/\/127\.0\.0\.1:\d+\/v1\/responses' .*-d '\{"model":"canned-model"/m)
    expect(io.out).toContain("-H 'authorization: [hidden]'")
    expect(io.out).toContain('cause: the server')
    expect(io.out).not.toContain('s3cret')
  })

  test('a body with quotes is one word for a shell', () => {
    const url = 'http://host/v1/responses'
    const sent = { method: 'POST', url, headers: new Headers(), body: `{"input":"it's"}` } as const
    expect(curlOf(sent)).toBe(
      `curl -N 'http://host/v1/responses' -H 'content-type: application/json' -d '{"input":"it'\\''s"}'`,
    )
  })

  test('a server that gives different requests the same answer plays a fixture', () => {
    const answers = new SameAnswers()
    const items = [{ content: [{ text: 'The capital of France is Paris.' }] }]
    answers.add({ input: 'one' }, items)
    answers.add({ input: 'one' }, items)
    expect(answers.causeOf('format-kept')).toBe('server')
    answers.add({ input: 'two' }, items)
    expect(answers.causeOf('format-kept')).toBe('fixture')
    expect(answers.causeOf('created-first')).toBe('server')
  })

  test('a server that makes the same call for two questions, each time with an id of its own, plays no fixture', () => {
    const answers = new SameAnswers()
    const callOf = (call_id: string) => ({ type: 'function_call', call_id, arguments: '{"city":"Oslo"}' })
    answers.add({ input: 'one' }, [callOf('call_1')])
    answers.add({ input: 'two' }, [callOf('call_2')])
    expect(answers.causeOf('format-kept')).toBe('server')
    answers.add({ input: 'two' }, [callOf('call_1')])
    expect(answers.causeOf('format-kept')).toBe('fixture')
  })

  test('one question that gets one answer in every API, and after calls with other ids, is no sign of a fixture', () => {
    const answers = new SameAnswers()
    const items = [{ content: [{ text: 'It rains in Oslo.' }] }]
    const question = { role: 'user', content: [{ type: 'input_text', text: 'one' }] }
    answers.add({ input: 'one' }, items)
    answers.add({ input: [question, { type: 'function_call', call_id: 'call_1' }] }, items)
    answers.add({ input: [question, { type: 'function_call', call_id: 'call_2' }] }, items)
    answers.addText([{ role: 'user', content: 'one' }], 'It rains in Oslo.')
    expect(answers.causeOf('format-kept')).toBe('server')
  })
})

test('a note that came in several scenarios is printed once, with where it came again', async () => {
  const server = await serve({})
  const io = fakeIo()
  await run(['probe', server.url, '--only', 'plain', '--only', 'call', '--only', 'call-whole'], io)
  const notes = io.out.split('\n').filter((line) => line.includes('note: '))
  expect(new Set(notes.filter((line) => !line.includes('also in'))).size).toBe(
    notes.filter((line) => !line.includes('also in')).length,
  )
})
