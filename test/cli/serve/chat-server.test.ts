import { describe, expect, test } from 'vitest'
import { OPTIONS } from '../../../src/cli/serve/options.js'
import { CHAT_PRESETS } from '../../../src/engines/sources/chat/presets.js'
import { chunk, ends } from '../../engines/sources/chat/chunks.js'
import { type Answer, frame, scriptedServer } from '../../support/scripted-server.js'
import { refusal, serve } from '../served.js'

const HELLO = [
  chunk({ content: 'Hello' }),
  ends('stop'),
  { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } },
]

describe('serve --chat-server', () => {
  const server = scriptedServer()
  /** A server with these models. */
  const played = (...names: string[]) => {
    const answer: Answer = (response, { method, path }) => {
      if (path === '/v1/embeddings') {
        response.setHeader('content-type', 'application/json')
        response.end('{"object":"list"}')
      } else if (method === 'GET') response.end(JSON.stringify({ data: names.map((id) => ({ id })) }))
      else response.end(HELLO.map(frame).join(''))
    }
    return server.script(answer)
  }
  const posted = ({ asked }: ReturnType<typeof played>) => asked.filter(({ method }) => method === 'POST')
  const answers = (answer: Answer): string => server.script(answer).url

  test('answers by the model of the server, which the banner and the list of models name', async () => {
    const script = played('qwen3:8b')
    const { client, io, url } = await serve(['--chat-server', `${script.url}/v1`, '--chat-server-preset', 'ollama'], {
      env: { HARMONY_ENGINE_API_KEY: 'the-key' },
    })
    const response = await client.responses.create({ model: 'qwen3:8b', input: 'Hi' })
    expect(response.output_text).toBe('Hello')
    expect(response.usage).toMatchObject({ input_tokens: 9, output_tokens: 4 })
    expect(posted(script)).toMatchObject([
      { headers: { authorization: 'Bearer the-key' }, body: { model: 'qwen3:8b' } },
    ])
    expect(io.out.replace(/\s+/g, ' ')).toMatch(/qwen3:8b at 127\.0\.0\.1:\d+, as ollama; model qwen3:8b;/)
    const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual(['qwen3:8b'])
  })

  test('takes the model that is named, whatever the server lists', async () => {
    const script = played('a', 'b')
    const { client } = await serve(['--chat-server', script.url, '--chat-server-model', 'c', '--model-alias', 'gpt-5'])
    await client.responses.create({ model: 'gpt-5', input: 'Hi' })
    await client.responses.create({ model: 'c', input: 'Hi' })
    expect(posted(script)).toMatchObject([{ body: { model: 'c' } }, { body: { model: 'c' } }])
    await expect(client.responses.create({ model: 'gpt-oss', input: 'Hi' })).rejects.toThrow('does not exist')
  })

  test('takes what differs from the preset from a file', async () => {
    const script = played('a')
    const config = JSON.stringify({ limitField: 'max_tokens', omits: ['stream_options'] })
    const options = ['--chat-server-preset', 'openai', '--chat-server-config', 'chat.json']
    const { client } = await serve(['--chat-server', script.url, ...options], { readFile: async () => config })
    await client.responses.create({ model: 'a', input: 'Hi', max_output_tokens: 16 })
    expect(posted(script)[0]?.body).toMatchObject({ max_tokens: 16 })
    expect(posted(script)[0]?.body).not.toHaveProperty('stream_options')
  })

  test('passes requests on', async () => {
    const script = played('a')
    const { url } = await serve(['--chat-server', script.url, '--pass', '/v1/embeddings'])
    const answer = await fetch(`${url}/v1/embeddings`, { method: 'POST', body: JSON.stringify({ input: 'Hi' }) })
    expect([answer.status, await answer.json()]).toEqual([200, { object: 'list' }])
  })

  test('lists the models in one line, where there are several', async () => {
    expect(await refusal(['--chat-server', played('a', 'b').url])).toEqual([
      2,
      '--chat-server-model: expected the name of a model, got none, and the server has a, b',
    ])
    const many = Array.from({ length: 300 }, (_, nth) => `model-${nth}`)
    const [, line] = await refusal(['--chat-server', played(...many).url])
    expect(line).toMatch(/the server has model-0, .*model-19 and 280 more$/)
    expect(await refusal(['--chat-server', played().url])).toEqual([
      2,
      '--chat-server-model: expected the name of a model, got a server that lists none',
    ])
  })

  test.each<[string, () => string, RegExp]>([
    ['is absent', () => 'http://127.0.0.1:9', /cannot connect to 127\.0\.0\.1:9: /],
    [
      'has no such path',
      () => answers((response) => void response.writeHead(404).end('nothing here')),
      /nothing here \(GET .*\/v1\/models/,
    ],
    [
      'answers with HTML',
      () => answers((response) => void response.end('<!DOCTYPE html>\n<p>')),
      /expected a list of models from \/v1\/models, got "<!DOCTYPE html>/,
    ],
    [
      'refuses the key',
      () => answers((response) => void response.writeHead(401).end('{"error":"wrong key"}')),
      /wrong key/,
    ],
  ])('says in one line that the server %s', async (_, url, words) => {
    const [code, line] = await refusal(['--chat-server', url()])
    expect([code, line]).toEqual([2, expect.stringMatching(words)])
    expect(line.trim()).not.toContain('\n')
    expect(line).toMatch(/^--chat-server: /)
  })

  test('says so, too, where the model is named, and serves until the server answers', async () => {
    const url = answers((response) => void response.end('<!DOCTYPE html>'))
    const { io } = await serve(['--chat-server', url, '--chat-server-model', 'a'])
    await expect.poll(() => io.err).toContain('the engine does not answer yet: expected a list of models')
  })

  test.each<[string[], string | RegExp]>([
    [
      ['--chat-server', 'http://a', '--chat-server-preset', 'olama'],
      /^--chat-server-preset: expected one of openai, .* got "olama"$/,
    ],
    [['--chat-server', 'ftp://a', '--chat-server-model', 'a'], '--chat-server: url: expected an http or https URL'],
    [['--script', 'a.json', '--chat-server-model', 'a'], '--chat-server-model: expected only with --chat-server'],
    [['--chat-server', 'http://a', '--skip-model-check'], /--skip-model-check/],
  ])('%j is refused in one line', async (args, words) => {
    const [code, line] = await refusal(args)
    expect([code, line]).toEqual([2, expect.stringMatching(words)])
    expect(line.trim()).not.toContain('\n')
  })

  test.each([
    ['{"omit":[]}', '--chat-server-config chat.json: there is no option "omit", did you mean omits?'],
    ['{"strict":1}', 'strict: expected true or false, got 1'],
    ['{', '--chat-server-config chat.json: expected JSON: '],
    ['[]', 'expected an object'],
  ])('a file with %s is refused in one line', async (text, words) => {
    const args = ['--chat-server', 'http://a', '--chat-server-model', 'a', '--chat-server-config', 'chat.json']
    const [code, line] = await refusal(args, { readFile: async () => text })
    expect([code, line]).toEqual([2, expect.stringContaining(words)])
    expect(line).toMatch(/^--chat-server-config chat\.json: .*$/)
  })

  test('the option has the presets of the engine', () => {
    expect(Object.keys(OPTIONS['chat-server-preset'].words)).toEqual(Object.keys(CHAT_PRESETS))
  })
})
