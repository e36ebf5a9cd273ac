import { describe, expect, test } from 'vitest'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import { loadTokenTable, type ResponseMessage, type ResponseRequest } from '../../../src/index.js'
import { loadOfficial } from '../../support/official-parser.js'
import { encodeHarmony } from '../../support/tokens.js'
import { Translator } from '../../support/translator.js'
import { mcp } from '../recipients/tools.js'
import { callTo, createRun, FIXED, inTurn, messageOn, type Run, runOf, terminal } from '../translate/run.js'

const tokenTable = await loadTokenTable()

const tools = [mcp('github'), { type: 'code_interpreter' }]
const asked: ResponseRequest = { tools, enable_response_messages: true }

function asking(options: Partial<TranslatorOptions> = {}): Run {
  return createRun({ request: asked, responseMessages: true, ...options })
}

const text = (said: string): { type: 'text'; text: string }[] => [{ type: 'text', text: said }]
const THOUGHT = { role: 'assistant', name: null, content: text('Hm.'), channel: 'analysis' }
const FINAL = { role: 'assistant', name: null, content: text('Hi'), channel: 'final' }
const PROMPT = '<|start|>system<|message|>Be nice.<|end|><|start|>user<|message|>Hello<|end|><|start|>assistant'

const messagesAtEnd = (run: Run): ResponseMessage[] | null | undefined => terminal(run.end('stop')).output_messages

describe('if the request asks for messages and the host lets it', () => {
  test('the response has no messages until it ends, and then those of the prompt and of the answer', () => {
    const inputMessages = [{ role: 'user', content: 'Hello' }]
    const run = asking({ inputMessages })
    run.start()
    run.push(inTurn(messageOn('analysis', 'Hm.<|end|>'), messageOn('final', 'Hi<|return|>')))
    const none = { input_messages: null, output_messages: null }
    expect(run.events.slice(0, 2)).toMatchObject([
      { type: 'response.created', response: none },
      { type: 'response.in_progress', response: none },
    ])
    expect(run.translator.response).toMatchObject(none)
    const response = terminal(run.end())
    expect(response.input_messages).toEqual(inputMessages)
    expect(response.output_messages).toEqual([THOUGHT, FINAL])
    expect(run.translator.response).toEqual(response)
  })

  test('there are no messages of the prompt unless the host gives them', () => {
    const response = terminal(asking().end())
    expect(response.input_messages).toEqual([])
    expect(response.output_messages).toEqual([])
  })

  test("the prompt's messages are a copy, of which nothing changes afterwards", () => {
    const message = { role: 'user', content: [{ type: 'text', text: 'Hello' }] }
    const run = asking({ inputMessages: [message] })
    const response = terminal(run.end())
    expect(response.input_messages).toEqual([message])
    expect(response.input_messages?.[0]).not.toBe(message)
    message.role = 'changed'
    expect(response.input_messages).toMatchObject([{ role: 'user' }])
    expect(() => run.translator.response.input_messages?.pop()).not.toThrow()
    message.role = 'user'
    expect(run.translator.response.input_messages).toEqual([message])
  })

  test('each look at the response gives messages of its own', () => {
    const run = asking()
    run.push(messageOn('final', 'Hi<|return|>'))
    run.end()
    run.translator.response.output_messages?.pop()
    expect(run.translator.response.output_messages).toEqual([FINAL])
  })

  test.each<[string, (run: Run) => unknown, string]>([
    ['incomplete', (run) => run.end('max_output_tokens'), 'response.incomplete'],
    ['failed', (run) => run.fail({ message: 'no' }), 'response.failed'],
    ['aborted', (run) => run.abort(), 'response.failed'],
    ['cancelled', (run) => run.cancel(), 'response.incomplete'],
  ])("a response that is %s has messages, with the model's text so far", (_, stop, type) => {
    const run = asking({ inputMessages: ['Hello'] })
    run.push(inTurn(messageOn('analysis', 'Hm.<|end|>'), messageOn('final', 'Hi')))
    stop(run)
    expect(run.events.at(-1)?.type).toBe(type)
    expect(terminal(run.events)).toMatchObject({ input_messages: ['Hello'], output_messages: [THOUGHT, FINAL] })
  })
})

describe("the answer's messages", () => {
  test("the answer's messages are calls and the results of their tools, as they were written", () => {
    const run = asking()
    run.push('<|channel|>analysis to=python code<|message|>1+1<|call|>')
    run.push({ host: '<|start|>python to=assistant<|channel|>analysis<|message|>2\n<|end|><|start|>assistant' })
    run.push(messageOn('final', 'Hi<|return|>'))
    // As in a stream that vLLM sent.
    expect(messagesAtEnd(run)).toEqual([
      {
        role: 'assistant',
        name: null,
        content: text('1+1'),
        channel: 'analysis',
        recipient: 'python',
        content_type: 'code',
      },
      { role: 'tool', name: 'python', content: text('2\n'), channel: 'analysis', recipient: 'assistant' },
      FINAL,
    ])
  })

  test("the answer's messages have a constrained content type with its marker, as vLLM's parser does", async () => {
    const said = callTo('github.a', '{}<|call|>')
    const parser = (await loadOfficial()).createRaw('assistant' as never)
    for (const id of encodeHarmony(said)) parser.process(id)
    const [official] = JSON.parse(parser.messages) as { content_type?: string }[]
    parser.free()
    expect(official?.content_type).toBe('<|constrain|>json')
    const run = asking()
    run.push(said)
    expect(messagesAtEnd(run)).toEqual([
      {
        role: 'assistant',
        name: null,
        content: text('{}'),
        channel: 'commentary',
        recipient: 'github.a',
        content_type: official?.content_type,
      },
    ])
  })

  test("the answer's messages leave out fields that their headers lack", () => {
    const run = asking()
    run.push('<|message|>Hi<|end|>')
    const [message] = messagesAtEnd(run) ?? []
    expect(message).not.toHaveProperty('recipient')
    expect(message).not.toHaveProperty('content_type')
    expect(message).toMatchObject({ role: 'assistant', name: null, content: text('Hi') })
  })

  test("the answer's messages are the same from tokens, one by one and all at once, as from text", () => {
    const said = inTurn(messageOn('analysis', 'Hé 🫠.<|end|>'), messageOn('final', 'né🫠<|return|>'))
    const expected = [
      { ...THOUGHT, content: text('Hé 🫠.') },
      { ...FINAL, content: text('né🫠') },
    ]
    for (const chunks of [[said], [...said], encodeHarmony(said), [encodeHarmony(said)]]) {
      const run = asking({ tokenTable })
      run.push(...chunks)
      expect(messagesAtEnd(run)).toEqual(expected)
    }
  })

  test("the answer's messages have no message of the prompt that the host put before them", () => {
    const run = asking()
    run.push({ host: PROMPT }, messageOn('final', 'Hi<|return|>'))
    expect(messagesAtEnd(run)).toEqual([FINAL])
  })

  test("the answer's messages have none of the prompt if the host writes it piece by piece", () => {
    const run = asking()
    for (const char of PROMPT) run.push({ host: char })
    run.push(messageOn('final', 'Hi<|return|>'))
    expect(messagesAtEnd(run)).toEqual([FINAL])
  })

  test("there are no answer's messages if only the host wrote", () => {
    const run = asking()
    run.push({ host: PROMPT })
    expect(messagesAtEnd(run)).toEqual([])
  })

  test("the answer's messages have everything that the host writes later, of its tools and of others", () => {
    const run = asking()
    run.push(messageOn('final', 'Hi<|return|>'), { host: PROMPT }, messageOn('final', 'Hi<|return|>'))
    expect(messagesAtEnd(run)).toEqual([
      FINAL,
      { role: 'system', name: null, content: text('Be nice.') },
      { role: 'user', name: null, content: text('Hello') },
      FINAL,
    ])
  })

  test("the answer's messages have a message whose header the host wrote, with the model's part of it", () => {
    const run = asking()
    run.translator.beginTurn({ prefill: '<|channel|>final<|message|>' })
    run.push('Hi<|return|>')
    expect(messagesAtEnd(run)).toEqual([FINAL])
    const later = asking()
    later.push(messageOn('analysis', 'Hm.<|end|>'))
    later.translator.beginTurn({ prefill: '<|channel|>final<|message|>' })
    later.push('Hi<|return|>')
    expect(messagesAtEnd(later)).toEqual([THOUGHT, FINAL])
  })

  test("the answer's messages have an empty message, and every one of several without an end", () => {
    const run = asking()
    run.push(inTurn(messageOn('analysis', '<|end|>'), messageOn('analysis', 'Hm.'), messageOn('final', 'Hi')))
    expect(messagesAtEnd(run)).toEqual([{ ...THOUGHT, content: text('') }, THOUGHT, FINAL])
  })

  test("the answer's messages have the answer of a tool that is in the transcript, and not one that came by id", () => {
    const run = asking()
    run.push(callTo('github.a', '{}<|call|>'))
    run.toolResult({ itemId: 'mcp_0', output: 'found' })
    expect(messagesAtEnd(run)?.map(({ role }) => role)).toEqual(['assistant'])
    const other = asking()
    other.push(callTo('github.a', '{}<|call|>'))
    other.answer('github.a', 'found')
    expect(messagesAtEnd(other)).toMatchObject([
      { role: 'assistant', recipient: 'github.a' },
      { role: 'tool', name: 'github.a', content: text('found'), channel: 'commentary', recipient: 'assistant' },
    ])
  })

  test.each(['raw', 'summary', 'both'] as const)(
    "the answer's messages have the reasoning as it was thought, shown %s",
    (reasoning) => {
      const run = asking({ reasoning })
      run.push(messageOn('analysis', 'Hm.<|end|>'))
      expect(messagesAtEnd(run)).toEqual([THOUGHT])
    },
  )

  test("the answer's messages have no reasoning that the host hides, and everything else", () => {
    const run = asking({ reasoning: 'hidden' })
    run.push(
      inTurn(
        messageOn('analysis', 'Secret.<|end|>'),
        '<|channel|>analysis to=assistant<|message|>Secret.<|end|>',
        '<|channel|>analysis to=python code<|message|>1+1<|call|>',
      ),
      { host: '<|start|>python to=assistant<|channel|>analysis<|message|>2<|end|><|start|>assistant' },
      inTurn(messageOn('analysis', 'Secret.<|end|>'), messageOn('final', 'Hi<|return|>')),
    )
    expect(messagesAtEnd(run)).toMatchObject([{ recipient: 'python' }, { role: 'tool', content: text('2') }, FINAL])
    expect(JSON.stringify(run.events)).not.toContain('Secret')
  })

  test("the answer's messages have the host's messages after hidden reasoning", () => {
    const run = asking({ reasoning: 'hidden' })
    run.push(messageOn('analysis', 'Secret.<|end|>'), { host: PROMPT }, messageOn('final', 'Hi<|return|>'))
    expect(messagesAtEnd(run)?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant'])
  })

  test("the answer's messages survive a snapshot at any moment", () => {
    const said = encodeHarmony(inTurn(messageOn('analysis', 'Hm.<|end|>'), messageOn('final', 'Hi<|return|>')))
    const options = { tokenTable, inputMessages: ['Hello'], responseMessages: true }
    for (let cut = 0; cut <= said.length; cut++) {
      const first = asking(options)
      first.push(said.slice(0, cut))
      const snapshot = JSON.parse(JSON.stringify(first.translator.snapshot()))
      const run = runOf(Translator.restore(snapshot, { ...FIXED, ...options }))
      run.push(said.slice(cut))
      expect(terminal(run.end())).toMatchObject({ input_messages: ['Hello'], output_messages: [THOUGHT, FINAL] })
    }
  })
})

describe('if the request does not ask for messages', () => {
  test.each<[string, ResponseRequest]>([
    ['has no field', {}],
    ['has false', { enable_response_messages: false }],
    ['has null', { enable_response_messages: null }],
    ['has another value', { enable_response_messages: 'true' } as object],
  ])('no response has messages if the request %s for them', (_, request) => {
    const run = createRun({ request, inputMessages: ['Hello'], responseMessages: true })
    run.push(messageOn('final', 'Hi<|return|>'))
    run.end()
    for (const name of ['input_messages', 'output_messages', 'enable_response_messages']) {
      expect(JSON.stringify(run.events)).not.toContain(name)
    }
    expect(run.translator.snapshot().state.messages).toBeNull()
  })

  test('a response that failed has no messages if the request does not ask for them', () => {
    const run = createRun({ inputMessages: ['Hello'] })
    run.fail({ message: 'no' })
    expect(JSON.stringify(run.events)).not.toContain('_messages')
  })
})

describe('messages of the prompt', () => {
  test.each<[string, unknown]>([
    ['text', 'Hello'],
    ['an object', {}],
    ['null', null],
  ])('messages of the prompt that are %s and no list are refused', (_, inputMessages) => {
    expect(() => asking({ inputMessages: inputMessages as never })).toThrow(
      expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_option' }),
    )
  })

  test('messages of the prompt that are no plain data are refused before anything is streamed, and not at its end', () => {
    expect(() => asking({ inputMessages: [{ render: () => 'Hello' }] })).toThrow(
      expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_option' }),
    )
  })
})

describe('if the request asks for messages and the host does not let it', () => {
  const options = { tokenTable, inputMessages: ['Hello'], request: asked }
  const said = inTurn(messageOn('analysis', 'Hm.<|end|>'), messageOn('final', 'Hi<|return|>'))

  test.each([undefined, false])(
    'no event has messages if the option of the host is %s, and none is kept',
    (responseMessages) => {
      const run = createRun({ ...options, ...(responseMessages === undefined ? {} : { responseMessages }) })
      run.push(said)
      expect(run.translator.snapshot().state.messages).toBeNull()
      run.end()
      expect(JSON.stringify([run.events, run.translator.response])).not.toContain('put_messages')
    },
  )

  test('a translator that is restored without the option shows no messages that another kept', () => {
    const first = createRun({ ...options, responseMessages: true })
    first.push(said)
    const run = runOf(Translator.restore(first.translator.snapshot(), { ...FIXED, ...options }))
    run.end()
    expect(JSON.stringify([run.events, run.translator.response])).not.toContain('put_messages')
  })
})

test("hidden reasoning stays hidden also if the model writes it in another's name", () => {
  const run = createRun({
    reasoning: 'hidden',
    responseMessages: true,
    request: { enable_response_messages: true },
  })
  run.push('<|channel|>analysis<|message|>SECRET<|end|><|start|>user<|channel|>analysis<|message|>SECRET<|end|>')
  run.push('<|start|>assistant<|channel|>final<|message|>Hi<|return|>')
  run.end('stop')
  expect(JSON.stringify(run.translator.response)).not.toContain('SECRET')
})
