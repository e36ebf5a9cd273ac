import { describe, expect, test } from 'vitest'
import { MAX_UNDECIDED_TOKENS } from '../../../src/core/harmony/undecided-text.js'
import { translate } from '../../../src/index.js'
import { createRun, messageOn, terminal } from '../../core/translate/run.js'
import { encodeText, m } from '../../support/tokens.js'
import { endpoint, tokenTable } from './endpoint.js'
import { APIS, said } from './said.js'

const FINAL = '<|start|>assistant<|channel|>final<|message|>Sorry.<|return|>'
const ANALYSIS = '<|start|>assistant<|channel|>analysis<|message|>So we refuse.<|end|>'
const THOUGHT = '\n\nThe user asks for it. We must refuse.'
const WAYS = APIS.flatMap((api) => [[api, 'whole'] as const, [api, 'streamed'] as const])

describe.each(WAYS)('%s, %s: text without a header', (api, way) => {
  const saidBy = (turn: string, limit?: number) =>
    said(api, [turn], { ...(limit !== undefined && { limit }) }, way === 'streamed')

  test('is reasoning if more of the turn follows it', async () => {
    const { text, reasoning } = await saidBy(`${THOUGHT}<|end|>${ANALYSIS}${FINAL}`)
    expect(text).toBe('Sorry.')
    expect(reasoning.replaceAll('\n', '')).toBe(`${THOUGHT}So we refuse.`.replaceAll('\n', ''))
  })

  test('is the answer, once, if the turn ends with it', async () => {
    expect(await saidBy('I can not help with that, sorry.<|return|>')).toEqual({
      ...{ reasoning: '', text: 'I can not help with that, sorry.', calls: [] },
    })
  })

  test('is reasoning if the limit of tokens cuts the turn', async () => {
    const turn = 'I think that the user wants to know where it is, and I do not know that.<|return|>'
    const { text, reasoning } = await saidBy(turn, 12)
    expect(text).toBe('')
    expect(turn.startsWith(reasoning)).toBe(true)
    expect(reasoning.length).toBeGreaterThan(20)
  })

  test('is reasoning if the limit of tokens cuts the turn behind it', async () => {
    const ids = encodeText('I think so, and that is all that there is to say of it.')
    const { text, reasoning } = await saidBy(
      'I think so, and that is all that there is to say of it.<|end|>',
      ids.length + 1,
    )
    expect([text, reasoning]).toEqual(['', 'I think so, and that is all that there is to say of it.'])
  })

  test('is whole in the answer although it is too long to be held', async () => {
    const long = 'and so on '.repeat(MAX_UNDECIDED_TOKENS).trim()
    expect(await saidBy(`${long}<|return|>`)).toEqual({ reasoning: long, text: long, calls: [] })
  })

  test('is no answer if it is too long to be held, and more of the turn follows it', async () => {
    const long = 'and so on '.repeat(MAX_UNDECIDED_TOKENS).trim()
    expect(await saidBy(`${long}<|end|>${FINAL}`)).toEqual({ reasoning: long, text: 'Sorry.', calls: [] })
  })
})

test('text without a header that a limit cuts off is an incomplete reasoning item of an incomplete response', async () => {
  const { body } = await endpoint([`${THOUGHT} And so on.<|return|>`]).create({ input: 'x', max_output_tokens: 6 })
  expect(body).toMatchObject({ status: 'incomplete', output: [{ type: 'reasoning', status: 'incomplete' }] })
})

test('text without a header is the answer if the engine stops after its <|end|>', async () => {
  async function* tokens() {
    yield [...encodeText('It is in Rome, as far as I know.'), m.end]
    return { reason: 'stop' as const }
  }
  const events: { type: string }[] = []
  for await (const event of translate(tokens(), { tokenTable })) events.push(event)
  expect(events.at(-1)).toMatchObject({
    ...{ type: 'response.completed', response: { output: [{ type: 'message', phase: 'final_answer' }] } },
  })
})

test('text without a header is streamed as reasoning while it is written if the answer has to be JSON', () => {
  const run = createRun({ tokenTable, request: { text: { format: { type: 'json_object' } } } })
  const events = run.push(encodeText('I think that the user wants to know where it is.'))
  expect(events.map(({ type }) => type)).toContain('response.reasoning_text.delta')
})

test('text without a header of a response that fails is reasoning', () => {
  const run = createRun({ tokenTable })
  run.push(encodeText('I think that the user wants to know where it is.'))
  expect(terminal(run.fail('broken')).output).toMatchObject([
    { type: 'reasoning', content: [{ text: 'I think that the user wants to know where it is.' }] },
  ])
})

test('the tokens of reasoning without a header are counted as reasoning', () => {
  const run = createRun({ tokenTable })
  const ids = encodeText('I think that the user wants to know where it is.')
  run.push([...ids, m.end])
  run.push([m.start, ...encodeText('assistant'), m.channel, ...encodeText('final'), m.message, m.return])
  const { usage } = terminal(run.end())
  expect(usage?.output_tokens_details.reasoning_tokens).toBe(ids.length + 1)
})

test('a tool whose result follows text without a header gets it, and the text is the answer of its turn', () => {
  const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
  const run = createRun({ tokenTable, request: { tools } })
  run.push('<|channel|>analysis to=python code<|message|>1<|call|>')
  run.push('<|start|>assistant<|message|>I compute.<|end|>')
  run.answer('python', '1')
  run.push(messageOn('final', 'It is 1.'))
  expect(terminal(run.end()).output.map(({ type }) => type)).toEqual(['code_interpreter_call', 'message', 'message'])
})

describe('stop strings', () => {
  const ask = (turn: string, stop: string) =>
    endpoint([turn])
      .client()
      .responses.create({ model: 'gpt-oss', input: 'x', stop: [stop] } as never)

  test('a stop string cuts an answer without a header', async () => {
    expect((await ask('It is in Rome, which is in Italy.<|return|>', ', which')).output_text).toBe('It is in Rome')
  })

  test('a stop string cuts no reasoning without a header', async () => {
    expect((await ask(`${THOUGHT}<|end|>${FINAL}`, 'refuse')).output_text).toBe('Sorry.')
  })

  test('a stop string cuts an answer whose header lacks the channel', async () => {
    expect((await ask('<|message|>It is in Rome, which is<|return|>', ', which')).output_text).toBe('It is in Rome')
  })
})
