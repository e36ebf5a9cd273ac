import { describe, expect, test } from 'vitest'
import { run } from '../../../src/cli/run.js'
import { SCENARIOS } from '../../../src/judge/probe/index.js'
import { fakeIo } from '../../cli/io.js'
import type { Json } from './model.js'
import { closeServers, failing, probed, rulesOf, serve } from './play.js'
import { type MessagesFaults, sendJson } from './server.js'

closeServers()

const MESSAGES = SCENARIOS.map(({ name }) => name).filter((name) => name.startsWith('messages-'))

/** The findings of a probe of the Messages API for a server with faults. */
async function found(messages: MessagesFaults, only = 'messages') {
  const server = await serve({ messages })
  return probed(server.url, { only: [only] })
}

const deltaOf = (event: Json): Json => (event['delta'] ?? {}) as Json
const blockOf = (event: Json): Json => (event['content_block'] ?? {}) as Json

describe('whether a server offers the Messages API', () => {
  test('a server without it is asked once, and its scenarios are unsupported', async () => {
    const server = await serve({ messages: 'none' })
    const results = await probed(server.url, { only: ['plain', 'messages'] })
    expect(failing(results)).toEqual([])
    for (const name of MESSAGES) {
      const { verdict, why } = results.get(name) ?? {}
      expect([verdict, why]).toEqual(['unsupported', 'The Messages API is not offered: 404: no such path'])
    }
    expect(server.asked.filter(({ path }) => path === '/v1/messages')).toHaveLength(1)
  })

  test('a server that offers it alone passes its scenarios, and is asked as the SDKs ask', async () => {
    const server = await serve({
      reply: ({ path }, response) => {
        if (path !== '/v1/responses') return false
        sendJson(response, 404, { error: { message: 'no', type: 'x', param: null, code: null } })
        return true
      },
    })
    const results = await probed(`${server.url}/v1/messages`, { only: ['messages'] })
    expect([...results.values()].map(({ scenario, verdict, findings }) => [scenario, verdict, findings])).toEqual(
      MESSAGES.map((name) => [name, 'pass', []]),
    )
    const asked = server.asked.filter(({ path }) => path === '/v1/messages')
    expect(new Set(asked.map(({ headers }) => headers['anthropic-version']))).toEqual(new Set(['2023-06-01']))
  })
})

describe('faults of a server in the Messages API are found:', () => {
  test('a stream without message_stop, in a row with its request and its cause', async () => {
    const results = await found({ events: (events) => events.slice(0, -1) }, 'messages-text')
    const [finding] = results.get('messages-text')?.findings ?? []
    expect(finding).toMatchObject({ rule: 'messages-stop-last', cause: 'server' })
    expect(finding?.breaks).toContain('anthropic')
    expect(finding?.breaks).not.toContain('langchain')
    expect(finding?.curl).toMatch(
      /^curl -N 'http:\/\/127\.0\.0\.1:\d+\/v1\/messages' -H 'anthropic-version: 2023-06-01'/,
    )
  })

  test('the Anthropic SDK has a column in the table where it breaks', async () => {
    const server = await serve({ messages: { events: (events) => events.slice(0, -1) } })
    const io = fakeIo()
    expect(await run(['probe', server.url, '--only', 'messages-text'], io)).toBe(1)
    expect(io.out).toMatch(
      /openai {2}openai-python {2}ai-sdk {2}openai-agents {2}langchain {2}codex {2}anthropic\n.*messages-stop-last +\. +\. +x .* x\n/,
    )
  })

  test('a call without an id breaks LangChain, in a row with its event', async () => {
    const events: MessagesFaults['events'] = (all) => {
      for (const event of all) if (blockOf(event)['type'] === 'tool_use') delete blockOf(event)['id']
      return all
    }
    const [finding] = (await found({ events }, 'messages-call')).get('messages-call')?.findings ?? []
    expect(finding?.breaks).toEqual(expect.arrayContaining(['ai-sdk', 'langchain']))
    expect(finding?.frame).toContain('"type":"tool_use"')
  })

  test('two calls with one id', async () => {
    const events: MessagesFaults['events'] = (all) => {
      for (const event of all) if (blockOf(event)['type'] === 'tool_use') blockOf(event)['id'] = 'toolu_1'
      return all
    }
    expect(rulesOf((await found({ events }, 'messages-parallel')).get('messages-parallel'))).toContain(
      'call-ids-differ',
    )
  })

  test('an answer that was cut off and says that it is whole', async () => {
    const events: MessagesFaults['events'] = (all) => {
      for (const event of all) if ('stop_reason' in deltaOf(event)) deltaOf(event)['stop_reason'] = 'end_turn'
      return all
    }
    expect(rulesOf((await found({ events }, 'messages-length')).get('messages-length'))).toContain(
      'truncation-reported',
    )
  })

  test('a stop sequence in the answer, and one that the stop_reason does not tell of', async () => {
    const more: MessagesFaults['whole'] = ({ content, ...message }) => ({
      ...message,
      content: [...(content as Json[]), { type: 'text', text: 'twelve, and on' }],
    })
    const events: MessagesFaults['events'] = (all) => {
      for (const event of all) if ('stop_reason' in deltaOf(event)) deltaOf(event)['stop_sequence'] = 'eleven'
      return all
    }
    const { findings } = (await found({ events, whole: more }, 'messages-stop')).get('messages-stop') ?? {}
    expect(findings?.map(({ rule, request, got }) => [rule, request, got])).toEqual([
      ['stop-kept', 'stream', '{"stop_reason":"stop_sequence","stop_sequence":"eleven"}'],
      ['stop-kept', 'answer', expect.stringContaining('twelve')],
    ])
  })

  test('an answer that is not in the format that was asked for', async () => {
    const events: MessagesFaults['events'] = (all) => {
      for (const event of all) if (typeof deltaOf(event)['text'] === 'string') deltaOf(event)['text'] = 'Oslo. '
      return all
    }
    const { findings } = (await found({ events }, 'messages-format')).get('messages-format') ?? {}
    expect(findings).toMatchObject([{ rule: 'format-kept', cause: 'server', got: expect.stringContaining('Oslo.') }])
  })

  test.each([
    ['that is no number', () => ({ input_tokens: '12' }), ['tokens-counted', 'tokens-counted']],
    ['that is always the same', (): Json => ({ input_tokens: 40 }), ['tokens-counted']],
    [
      'of something else',
      ({ input_tokens: tokens }: Json) => ({ input_tokens: 4 * Number(tokens) }),
      ['tokens-counted'],
    ],
  ])('a count of tokens %s', async (_, count, rules) => {
    expect(rulesOf((await found({ count }, 'messages-count')).get('messages-count'))).toEqual(rules)
  })

  test('a server that counts no tokens is no worse for it', async () => {
    const results = await found({ count: 'none' }, 'messages-count')
    expect(results.get('messages-count')).toMatchObject({
      verdict: 'unsupported',
      why: 'Counting tokens is not offered: 404: no such path',
      findings: [],
    })
  })

  test('a thinking block without a signature, streamed or not', async () => {
    const whole: MessagesFaults['whole'] = (message) => {
      for (const block of message['content'] as Json[]) delete block['signature']
      return message
    }
    const { findings } = (await found({ whole }, 'messages-thinking')).get('messages-thinking') ?? {}
    expect(findings).toMatchObject([
      { rule: 'message-shape', severity: 'warning', request: 'answer', expected: 'a signature in each thinking block' },
    ])
  })

  test('markers of the model in the text', async () => {
    const events: MessagesFaults['events'] = (all) => {
      for (const event of all)
        if (typeof deltaOf(event)['text'] === 'string') deltaOf(event)['text'] = `<|channel|>${deltaOf(event)['text']}`
      return all
    }
    expect(rulesOf((await found({ events }, 'messages-thinking')).get('messages-thinking'))).toContain(
      'reasoning-apart',
    )
  })

  test('frames without the name of their event, which the SDK skips', async () => {
    const results = await found(
      { frames: (all) => all.map((frame) => frame.replace(/^event: .*\n/, '')) },
      'messages-text',
    )
    const finding = results.get('messages-text')?.findings.find(({ rule }) => rule === 'event-line')
    expect(finding?.breaks).toEqual(['anthropic', 'anthropic-python', 'langchain'])
  })

  test('a whole message without its usage', async () => {
    const whole: MessagesFaults['whole'] = ({ usage, ...message }) => message
    expect(rulesOf((await found({ whole }, 'messages-text')).get('messages-text'))).toContain('message-shape')
  })

  test('errors in the words of another API', async () => {
    const error: MessagesFaults['error'] = (message) => ({ error: { message, type: 'x', param: null, code: null } })
    const results = await found({ error }, 'messages-errors')
    expect(new Set(rulesOf(results.get('messages-errors')))).toEqual(new Set(['error-body']))
    expect(
      rulesOf((await found({ error: () => ({ detail: [] }) }, 'messages-errors')).get('messages-errors')),
    ).toContain('error-body')
  })
})
