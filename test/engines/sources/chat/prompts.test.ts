import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadTokenTable } from '../../../../src/core/tokens/index.js'
import { renderMessages } from '../../../../src/endpoint/prompt/index.js'
import type { PromptMessage } from '../../../../src/endpoint/prompt/prompt-message.js'
import type { PromptFields } from '../../../../src/engines/contract/prompt-fields.js'
import { chatBody, stopsOf } from '../../../../src/engines/sources/chat/chat-body.js'
import { type ChatMessage, chatMessages } from '../../../../src/engines/sources/chat/chat-messages.js'
import { CHAT_PRESETS } from '../../../../src/engines/sources/chat/presets.js'
import { readPrompt } from '../../../../src/engines/sources/chat/read-prompt.js'
import { ToolNames } from '../../../../src/engines/sources/chat/tool-names.js'
import { DEFAULT_TRAITS } from '../../../../src/engines/sources/chat/traits.js'
import { atOnce } from '../../../../src/shared/slices.js'
import { encodeHarmony } from '../../../support/tokens.js'
import { TIME, WEATHER } from './chunks.js'

const tokenTable = await loadTokenTable()
const SYSTEM: PromptMessage = { role: 'system', content: 'You are ChatGPT' }
const START = encodeHarmony('<|start|>assistant')

function idsOf(messages: readonly PromptMessage[], end: readonly number[] = START): number[] {
  return [...renderMessages(messages, { tokenTable }).tokens, ...end]
}

interface Given {
  readonly promptFields?: PromptFields
  readonly laterInstructions?: 'user' | 'system'
  readonly reasoningField?: string
}

function chatOf(messages: readonly PromptMessage[], { promptFields = {}, ...given }: Given = {}): ChatMessage[] {
  const read = atOnce(readPrompt(idsOf([SYSTEM, ...messages]), tokenTable))
  const names = new ToolNames(promptFields.tools ?? [])
  return chatMessages(read.messages, {
    promptFields,
    names,
    laterInstructions: given.laterInstructions ?? 'user',
    reasoningField: given.reasoningField,
  })
}

const user = (content: string): PromptMessage => ({ role: 'user', content })
const final = (content: string): PromptMessage => ({ role: 'assistant', channel: 'final', content })
const preamble = (content: string): PromptMessage => ({ role: 'assistant', channel: 'commentary', content })
const thought = (content: string): PromptMessage => ({ role: 'assistant', channel: 'analysis', content })
const calls = (recipient: string, content: string, contentType = 'json'): PromptMessage => ({
  ...{ role: 'assistant', channel: 'commentary', recipient, recipientAfter: 'channel', content },
  ...(contentType !== '' && { contentType, constrained: contentType === 'json' }),
})
const gives = (name: string, content: string): PromptMessage => ({
  role: 'tool',
  name,
  recipient: 'assistant',
  channel: 'commentary',
  content,
})
const instructs = (content: string): PromptMessage => ({ role: 'developer', content })

describe('messages', () => {
  test('the prompt of gpt-oss is not sent, and the instructions of the client are, without what is taught beside them', () => {
    const lessons = ['# Tools\n\n## functions\n\nnamespace functions {}']
    const content = `# Instructions\n\nBe brief.\n\n${lessons[0]}`
    expect(chatOf([instructs(content), user('Hi')], { promptFields: { lessons } })).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ])
    expect(chatOf([instructs(lessons[0] as string), user('Hi')], { promptFields: { lessons } })).toEqual([
      { role: 'user', content: 'Hi' },
    ])
    expect(
      chatOf([instructs('# Instructions\n\nBe brief.'), user('Hi')], { promptFields: { identity: 'You are Ann.' } })[0],
    ).toEqual({ role: 'system', content: 'You are Ann.\n\nBe brief.' })
  })

  test('a turn is one message: preamble, calls, and their results by their ids', () => {
    const promptFields = { tools: [WEATHER, TIME] }
    const messages = [
      user('Hi'),
      thought('Hm.'),
      preamble('Let me look.'),
      calls('functions.get_weather', '{"city":"Rome"}'),
      calls('functions.get_time', '{}'),
      gives('functions.get_weather', 'sunny'),
      gives('functions.get_time', 'noon'),
      final('Sunny.'),
      user('Thanks'),
    ]
    const tool_calls = [
      { id: 'call00001', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
      { id: 'call00002', type: 'function', function: { name: 'get_time', arguments: '{}' } },
    ]
    const after = [
      { role: 'tool', tool_call_id: 'call00001', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call00002', content: 'noon' },
      { role: 'assistant', content: 'Sunny.' },
      { role: 'user', content: 'Thanks' },
    ]
    expect(chatOf(messages, { promptFields })).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Let me look.', tool_calls },
      ...after,
    ])
    expect(chatOf(messages, { promptFields, reasoningField: 'reasoning' })[1]).toEqual({
      ...{ role: 'assistant', content: 'Let me look.', reasoning: 'Hm.', tool_calls },
    })
  })

  test('two results of one tool answer its calls in their order', () => {
    const messages = [
      user('Hi'),
      ...[calls('functions.f', '{"n":1}'), calls('functions.f', '{"n":2}')],
      ...[gives('functions.f', 'one'), gives('functions.f', 'two')],
    ]
    expect(chatOf(messages).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'call00001', content: 'one' },
      { role: 'tool', tool_call_id: 'call00002', content: 'two' },
    ])
  })

  test('a call without a result gets an empty one, and a result without a call is the user’s', () => {
    expect(chatOf([user('Hi'), calls('functions.f', '{}'), user('Stop')]).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'call00001', content: '' },
      { role: 'user', content: 'Stop' },
    ])
    expect(chatOf([user('Hi'), gives('functions.f', 'one')])).toEqual([{ role: 'user', content: 'Hi\n\none' }])
  })

  test('instructions in the middle of a conversation are the user’s, or the system’s by option', () => {
    const messages = [user('Hi'), instructs('# Instructions\n\nNow in French.'), user('Well?')]
    expect(chatOf(messages)).toEqual([{ role: 'user', content: 'Hi\n\nNow in French.\n\nWell?' }])
    expect(chatOf(messages, { laterInstructions: 'system' }).map(({ role }) => role)).toEqual([
      'user',
      'system',
      'user',
    ])
  })

  test('two messages of the user in a row are one', () => {
    expect(chatOf([user('a'), user('b')])).toEqual([{ role: 'user', content: 'a\n\nb' }])
  })

  test('invalid JSON in the arguments of an earlier call is wrapped, since templates parse it', () => {
    const args = (content: string) => chatOf([user('Hi'), calls('functions.f', content)])[1]?.tool_calls?.[0]?.function
    expect(args('{"a":')?.arguments).toBe('{"arguments":"{\\"a\\":"}')
    expect(args('[1]')?.arguments).toBe('{"arguments":"[1]"}')
    expect(args('{"a": 1}')?.arguments).toBe('{"a": 1}')
  })

  test('the input of a tool that takes text is its only argument', () => {
    const tools = [
      { recipient: 'functions.apply_patch', body: 'text' },
      { recipient: 'python', body: 'code' },
    ] as const
    const args = (recipient: string, type: string) =>
      chatOf([user('Hi'), calls(recipient, 'a "b"', type)], { promptFields: { tools } })[1]?.tool_calls?.[0]?.function
    expect(args('functions.apply_patch', '')).toEqual({ name: 'apply_patch', arguments: '{"input":"a \\"b\\""}' })
    expect(args('python', 'code')).toEqual({ name: 'python', arguments: '{"code":"a \\"b\\""}' })
  })

  test('images stand where the prompt has their texts, and those of a tool follow its result', () => {
    const images = {
      '[image 1]': { url: 'data:image/png;base64,AA==' },
      '[image 2]': { url: 'https://a/b', detail: 'low' },
    }
    const [one, two] = Object.values(images).map((image_url) => ({ type: 'image_url', image_url }))
    const messages = [
      user('Look:\n[image 1]\nWell?'),
      calls('functions.f', '{}'),
      gives('functions.f', 'a\n[image 2]'),
      final('No.'),
    ]
    expect(chatOf(messages, { promptFields: { images } }).filter(({ role }) => role !== 'assistant')).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Look:' }, one, { type: 'text', text: 'Well?' }] },
      { role: 'tool', tool_call_id: 'call00001', content: 'a\n[image 2]' },
      { role: 'user', content: [two] },
    ])
  })

  test('an image that stands twice in a message is sent twice', () => {
    const image_url = { url: 'https://a/b' }
    const image = { type: 'image_url', image_url }
    expect(
      chatOf([user('[image 1]\nor\n[image 1]')], { promptFields: { images: { '[image 1]': image_url } } }),
    ).toEqual([{ role: 'user', content: [image, { type: 'text', text: 'or' }, image] }])
  })

  test('whatever a text spells, it is sent as it stands', () => {
    const words = fc.constantFrom('<|end|>', '<|start|>system<|message|>', 'a', '\n', '😀', '\u0000', '# Tools', ' ')
    const content = fc.array(words, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(content, content, (said, answer) => {
        expect(chatOf([user(said), final(answer)])).toEqual([
          { role: 'user', content: said },
          { role: 'assistant', content: answer },
        ])
      }),
    )
  })
})

describe('names', () => {
  const namesOf = (...recipients: string[]) => {
    const names = new ToolNames(recipients.map((recipient) => ({ recipient, body: 'json' }) as const))
    return { names, all: recipients.map((recipient) => names.nameOf(recipient)) }
  }

  test('a function has its name, and what stands in another namespace that of both', () => {
    expect(namesOf('functions.f', 'weather.now', 'python', 'mcp.a.b').all).toEqual([
      'f',
      'weather__now',
      'python',
      'mcp__a__b',
    ])
  })

  test('every tool has another name that servers take, which leads back to it', () => {
    const recipient = fc
      .array(fc.constantFrom('a', 'functions.', '.', '_', 'é', 'x'.repeat(70), 'y'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.uniqueArray(recipient, { minLength: 1, maxLength: 12 }), (recipients) => {
        const { names, all } = namesOf(...recipients)
        expect(new Set(all).size).toBe(all.length)
        for (const [at, name] of all.entries()) {
          expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
          expect(names.calleeOf(name).recipient).toBe(recipients[at])
        }
      }),
    )
  })
})

describe('the end of a prompt', () => {
  const read = (end: string) => atOnce(readPrompt(idsOf([SYSTEM, user('Hi')], encodeHarmony(end)), tokenTable))

  test.each([
    ['<|start|>assistant', 'turn', ''],
    ['', 'between', ''],
    ['<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|>', 'between', ''],
    ['<|start|>assistant<|channel|>analysis<|message|>Hm', 'reasoning', 'Hm'],
    ['<|start|>assistant<|channel|>final<|message|>Hel', 'answer', 'Hel'],
    ['<|start|>assistant<|channel|>final<|message|>', 'answer', ''],
  ])('%j is %s', (end, opening, begun) => {
    expect(read(end)).toMatchObject({ opening, begun })
  })

  test.each([
    ['<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a'],
    ['<|start|>assistant<|channel|>comm'],
    ['<|start|>'],
  ])('a server cannot continue %j', (end) => {
    expect(() => read(end)).toThrow(/cannot continue the middle of a call or of a header/)
  })

  test('a long prompt is read in slices', () => {
    const slices = readPrompt(idsOf([user('word '.repeat(100_000))]), tokenTable)
    let count = 0
    while (!slices.next().done) count += 1
    expect(count).toBeGreaterThan(5)
  })
})

describe('the strings that end an answer', () => {
  const stop = ['a', 'b', 'c', 'd']
  const traits = { ...DEFAULT_TRAITS, stop: true }

  test('are sent to a server that takes them', () => {
    expect(stopsOf({ stop }, traits, false)).toBe(stop)
    expect(stopsOf({}, traits, false)).toBeUndefined()
  })

  test.each([
    ['it does not take them', { stop }, DEFAULT_TRAITS, false],
    ['there are more than it takes', { stop: [...stop, 'e'] }, traits, false],
    ['a call may have one in it', { stop, tools: [TIME] }, traits, false],
    ['its model reasons', { stop }, traits, true],
    ['its content has the reasoning', { stop }, { ...traits, thinkTags: 'both' as const }, false],
  ])('are kept from a server where %s', (_, promptFields, known, hasReasoned) => {
    expect(stopsOf(promptFields, known, hasReasoned)).toBeUndefined()
  })
})

describe('bodies', () => {
  const bodyOf = (
    { promptFields = {}, given = {} }: { promptFields?: PromptFields; given?: object },
    preset: keyof typeof CHAT_PRESETS | undefined = undefined,
    more: object = {},
  ): Record<string, unknown> => {
    const prompt = atOnce(readPrompt(idsOf([SYSTEM, user('Hi')]), tokenTable))
    const traits = { ...DEFAULT_TRAITS, ...(preset && CHAT_PRESETS[preset]) }
    const names = new ToolNames(promptFields.tools ?? [])
    const options = {
      model: 'm',
      prompt,
      names,
      traits,
      reasoningField: undefined,
      max: undefined,
      stop: undefined,
      ...more,
    }
    return chatBody({ promptFields, given }, options) as Record<string, unknown>
  }
  const PLAIN = {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { include_usage: true },
  }
  const tools = [{ ...WEATHER, strict: true }, TIME]
  const format = { name: 'answer', schema: { type: 'object' }, strict: true }

  test('nothing is sent that the client did not', () => {
    expect(bodyOf({})).toEqual(PLAIN)
    expect(bodyOf({ given: { temperature: 0, topP: 0.5, seed: 7, topK: 3 }, promptFields: { effort: 'low' } })).toEqual(
      {
        ...{ ...PLAIN, temperature: 0, top_p: 0.5, seed: 7, reasoning_effort: 'low' },
      },
    )
  })

  test('tools are functions with their schemas, strict where the server has it', () => {
    const { description, parameters } = WEATHER
    const functions = (isStrict: boolean) => [
      {
        type: 'function',
        function: { name: 'get_weather', description, parameters, ...(isStrict && { strict: true }) },
      },
      { type: 'function', function: { name: 'get_time', parameters: { type: 'object', properties: {} } } },
    ]
    expect(bodyOf({ promptFields: { tools } })).toEqual({ ...PLAIN, tools: functions(false) })
    expect(bodyOf({ promptFields: { tools, isParallel: false } }, 'openai')).toEqual({
      ...{ ...PLAIN, tools: functions(true), parallel_tool_calls: false },
    })
  })

  test('a demand offers the tools that it leaves, by name if it is one', () => {
    expect(bodyOf({ promptFields: { tools, demand: [TIME.recipient] } })).toMatchObject({
      tools: [{ function: { name: 'get_time' } }],
      tool_choice: { type: 'function', function: { name: 'get_time' } },
    })
    expect(bodyOf({ promptFields: { tools, demand: [TIME.recipient, WEATHER.recipient] } })).toMatchObject({
      tools: [{}, {}],
      tool_choice: 'required',
    })
  })

  test.each([
    ['lm-studio', { tool_choice: 'required' }],
    ['deepseek', {}],
  ] as const)('a demand for one tool is sent as %s takes it, which is offered no other', (preset, choice) => {
    const { tool_choice, tools: offered } = bodyOf({ promptFields: { tools, demand: [TIME.recipient] } }, preset)
    expect([{ ...(tool_choice !== undefined && { tool_choice }) }, offered]).toEqual([
      choice,
      [{ type: 'function', function: { name: 'get_time', parameters: { type: 'object', properties: {} } } }],
    ])
  })

  test('a server that takes schemas alone gets one for any object', () => {
    expect(bodyOf({ promptFields: { format: { name: 'json_object' } } }, 'lm-studio')['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'json_object', schema: { type: 'object' } },
    })
    expect(bodyOf({ promptFields: { format } }, 'lm-studio')['response_format']).toMatchObject({
      json_schema: { schema: format.schema },
    })
  })

  test('a format is sent as the server takes it', () => {
    const { strict: _, ...loose } = format
    expect(bodyOf({ promptFields: { format } }, 'openai')['response_format']).toEqual({
      type: 'json_schema',
      json_schema: format,
    })
    expect(bodyOf({ promptFields: { format } })['response_format']).toEqual({ type: 'json_schema', json_schema: loose })
    expect(bodyOf({ promptFields: { format } }, 'deepseek')['response_format']).toEqual({ type: 'json_object' })
    expect(bodyOf({ promptFields: { format: { name: 'json' } } })['response_format']).toEqual({ type: 'json_object' })
    expect(bodyOf({ promptFields: { format, tools } }, 'groq')).not.toHaveProperty('response_format')
    expect(bodyOf({ promptFields: { format, tools } }, 'vllm')).toHaveProperty('response_format')
  })

  test('limits and efforts stand in the fields of the server, and what it refuses is left out', () => {
    expect(bodyOf({}, 'openai', { max: 5 })).toMatchObject({ max_completion_tokens: 5 })
    expect(bodyOf({}, 'vllm', { max: 5 })).toMatchObject({ max_tokens: 5 })
    expect(bodyOf({ promptFields: { effort: 'high' } }, 'openrouter')).toMatchObject({ reasoning: { effort: 'high' } })
    expect(bodyOf({ given: { seed: 1, topK: 1 } }, 'mistral')).toEqual({
      model: 'm',
      messages: PLAIN.messages,
      stream: true,
    })
  })

  test.each([
    ['vllm', { continue_final_message: true, add_generation_prompt: false }, { role: 'assistant', content: 'Hel' }],
    ['mistral', {}, { role: 'assistant', content: 'Hel', prefix: true }],
  ] as const)('%s continues half an answer', (preset, fields, last) => {
    const prompt = atOnce(
      readPrompt(idsOf([user('Hi')], encodeHarmony('<|start|>assistant<|channel|>final<|message|>Hel')), tokenTable),
    )
    const body = bodyOf({}, preset, { prompt })
    expect(body).toMatchObject(fields)
    expect((body['messages'] as object[]).at(-1)).toEqual(last)
  })
})
