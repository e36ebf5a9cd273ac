import { describe, expect, test } from 'vitest'
import { CannotReach, SCENARIOS } from '../../../src/judge/probe/index.js'
import type { Json } from './model.js'
import { closeServers, failing, probed, rulesOf, serve } from './play.js'
import { type ChatFaults, sendJson } from './server.js'

closeServers()

const CHAT = SCENARIOS.map(({ name }) => name).filter((name) => name.startsWith('chat-'))

/** The findings of a probe of Chat Completions for a server with faults. */
async function found(chat: ChatFaults, only = 'chat') {
  const server = await serve({ chat })
  return probed(server.url, { only: [only] })
}

const choicesOf = (chunk: Json): Json[] => (chunk['choices'] ?? []) as Json[]
const deltaOf = (chunk: Json): Json => (choicesOf(chunk)[0]?.['delta'] ?? {}) as Json
const callsOf = (chunk: Json): Json[] => (deltaOf(chunk)['tool_calls'] ?? []) as Json[]

/** Chunks with something changed in each delta. */
const each =
  (change: (delta: Json, chunk: Json) => void): NonNullable<ChatFaults['chunks']> =>
  (chunks) => {
    for (const chunk of chunks) change(deltaOf(chunk), chunk)
    return chunks
  }

describe('a server that does not offer Chat Completions', () => {
  test('a server without Chat Completions is asked once, and its scenarios are unsupported', async () => {
    const server = await serve({ chat: 'none' })
    const results = await probed(server.url, { only: ['plain', 'chat'] })
    expect(failing(results)).toEqual([])
    for (const name of CHAT) {
      const { verdict, why } = results.get(name) ?? {}
      expect([verdict, why]).toEqual(['unsupported', 'Chat Completions is not offered: 404: no such path'])
    }
    expect(server.asked.filter(({ path }) => path.includes('chat'))).toHaveLength(1)
  })

  test('a server that offers neither API cannot be checked', async () => {
    const server = await serve({ chat: 'none' })
    await expect(probed(server.url, { only: ['chat'] })).rejects.toThrow(CannotReach)
  })

  test('a server that offers Chat Completions alone passes its scenarios', async () => {
    const server = await serve({
      reply: ({ path }, response) => {
        if (path !== '/v1/responses') return false
        sendJson(response, 404, { error: { message: 'no', type: 'x', param: null, code: null } })
        return true
      },
    })
    const results = await probed(`${server.url}/v1/chat/completions`, { only: ['chat'] })
    expect([...results.values()].map(({ scenario, verdict, findings }) => [scenario, verdict, findings])).toEqual(
      CHAT.map((name) => [name, 'pass', []]),
    )
  })
})

describe('faults of a server in Chat Completions are found:', () => {
  test('calls without an index break the openai SDK, in a row with its request, its chunk and its cause', async () => {
    const results = await found({
      chunks: each((_delta, chunk) => {
        for (const call of callsOf(chunk)) delete call['index']
      }),
    })
    expect(results.get('chat-call')?.findings[0]).toMatchObject({
      rule: 'chat-call-index',
      breaks: ['openai', 'openai-python'],
      request: 'request',
      type: 'chat.completion.chunk',
      cause: 'server',
    })
    const { curl, frame } = results.get('chat-call')?.findings[0] ?? {}
    expect(curl).toMatch(/^curl -N 'http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions' .*"tools":/)
    expect(frame).toContain('"tool_calls":[{')
  })

  test('two calls of one index and one id are told as such', async () => {
    const results = await found({
      chunks: each((_delta, chunk) => {
        for (const call of callsOf(chunk)) Object.assign(call, { index: 0, ...('id' in call ? { id: 'call_1' } : {}) })
      }),
    })
    expect(results.get('chat-two-tools')?.verdict).toBe('fail')
    expect(results.get('chat-call')?.verdict).toBe('pass')
  })

  test('a stream without a finish_reason breaks both clients', async () => {
    const results = await found({
      chunks: (chunks) => chunks.filter((chunk) => typeof choicesOf(chunk)[0]?.['finish_reason'] !== 'string'),
    })
    const [finding] = results.get('chat-text')?.findings ?? []
    expect(finding?.severity).toBe('error')
    expect(finding?.breaks).toEqual(['openai', 'openai-python', 'ai-sdk'])
  })

  test('a stop string in the answer, and a limit that ends as "stop", are told', async () => {
    const results = await found({
      chunks: (chunks, { stop, max_tokens: limit }) => {
        const at = chunks.findIndex((chunk) => typeof choicesOf(chunk)[0]?.['finish_reason'] === 'string')
        const end = choicesOf(chunks[at] ?? {})[0] ?? {}
        if (limit === 16) end['finish_reason'] = 'stop'
        if (stop !== undefined) end['delta'] = { content: 'twelve, and on' }
        return chunks
      },
    })
    expect(rulesOf(results.get('chat-stop'))).toEqual(['stop-kept'])
    expect(rulesOf(results.get('chat-length'))).toEqual(['truncation-reported'])
  })

  test.each([
    ['a stop string that ends as "length" is told', '', ['stop-kept'], 'fail'],
    ['a limit that cuts an answer before its stop string is inconclusive', 'twel', [], 'inconclusive'],
  ])('%s', async (_title, after, rules, verdict) => {
    const results = await found(
      {
        chunks: (chunks, { stop }) => {
          const ends = chunks
            .map((chunk) => choicesOf(chunk)[0] ?? {})
            .filter((choice) => choice['finish_reason'] != null)
          if (stop !== undefined)
            for (const end of ends) Object.assign(end, { delta: { content: after }, finish_reason: 'length' })
          return chunks
        },
      },
      'chat-stop',
    )
    const stop = results.get('chat-stop')
    expect([stop?.findings.map(({ rule, request }) => [rule, request]), stop?.verdict]).toEqual([
      rules.map((rule) => [rule, 'stream']),
      verdict,
    ])
  })

  test('token counts where none are asked for are a warning, and none where they are asked for an error', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const always = await found(
      { chunks: (chunks) => [...chunks.filter(({ usage }) => !usage), { ...chunks[0], choices: [], usage }] },
      'chat-usage',
    )
    expect(always.get('chat-usage')?.findings).toContainEqual(
      expect.objectContaining({ rule: 'usage-kept', severity: 'warning', request: 'without' }),
    )
    const never = await found({ chunks: (chunks) => chunks.filter(({ usage }) => !usage) }, 'chat-usage')
    expect(never.get('chat-usage')?.findings).toContainEqual(
      expect.objectContaining({ rule: 'usage-kept', severity: 'error', request: 'with include_usage' }),
    )
  })

  test('a stream that does not end with [DONE] is a warning', async () => {
    const results = await found({ frames: (frames) => frames.slice(0, -1) }, 'chat-text')
    expect(results.get('chat-text')?.findings).toMatchObject([{ rule: 'done-is-sent', severity: 'warning' }])
  })

  test('markers and tags of reasoning in the text are told', async () => {
    const results = await found(
      {
        chunks: each((delta) => {
          if (delta['content']) delta['content'] = `<think>Hm</think>${delta['content']}`
        }),
      },
      'chat-reasoning',
    )
    expect(rulesOf(results.get('chat-reasoning'))).toContain('reasoning-apart')
  })

  test('an answer that is not streamed differs: in fields, in its calls, and in the name of its reasoning', async () => {
    const named = await found({
      whole: (completion) => {
        const [choice] = choicesOf(completion)
        const message = choice?.['message'] as Json
        delete message['reasoning']
        delete message['role']
        return { ...completion, created: 'now' }
      },
    })
    expect(rulesOf(named.get('chat-text'))).toEqual(['completion-shape', 'same-shape'])
  })

  test('errors that no client can read are told', async () => {
    const server = await serve({
      reply: ({ path, text }, response) => {
        const isBad = path.endsWith('/chat/completions') && !text.includes('hello')
        if (isBad) sendJson(response, 422, { detail: [{ msg: 'Field required' }] })
        return isBad
      },
    })
    const results = await probed(server.url, { only: ['chat-errors'] })
    expect(new Set(rulesOf(results.get('chat-errors')))).toEqual(new Set(['error-body']))
  })

  test('a bad request that is answered is told', async () => {
    const server = await serve({
      reply: ({ path, body }, response) => {
        const isOdd = path.endsWith('/chat/completions') && body['messages'] === undefined
        if (isOdd) sendJson(response, 200, {})
        return isOdd
      },
    })
    const results = await probed(server.url, { only: ['chat-errors'] })
    expect(rulesOf(results.get('chat-errors'))).toEqual(['refuses', 'refuses', 'refuses'])
  })

  test('an error in the middle of a stream is one that both clients break at', async () => {
    const error = { message: 'The engine died.', type: 'server_error', param: null, code: null }
    const results = await found({ chunks: (chunks) => [...chunks.slice(0, 2), { error }] }, 'chat-text')
    const findings = results.get('chat-text')?.findings ?? []
    expect(findings.map(({ rule, breaks }) => [rule, breaks])).toEqual([
      ['succeeds', ['openai', 'openai-python', 'ai-sdk']],
    ])
  })
})

describe('a model that does something else is no fault of Chat Completions:', () => {
  test('a model that answers in text leaves the calls inconclusive', async () => {
    const server = await serve({}, ['answers in text'])
    const results = await probed(server.url, { only: ['chat'] })
    expect(failing(results)).toEqual([])
    for (const name of ['chat-call', 'chat-two-tools']) expect(results.get(name)?.verdict).toBe('inconclusive')
  })

  test('a model that never reasons, is brief, or writes no JSON fails nothing', async () => {
    const server = await serve({}, ['never reasons', 'is brief', 'writes no JSON'])
    const results = await probed(server.url, { only: ['chat'] })
    expect(failing(results)).toEqual([])
    expect(results.get('chat-reasoning')?.verdict).toBe('inconclusive')
    expect(results.get('chat-stop')?.verdict).toBe('inconclusive')
  })
})
