import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openResponses, toDialectResponse, vllm } from '../../../src/dialects/index.js'
import { parseRequest } from '../../../src/endpoint/request/index.js'
import { collectResponse, type ResponseStreamEvent } from '../../../src/index.js'
import { root } from '../../docs/pages.js'
import { describeWithShared, sharedFolder } from '../../support/shared-data.js'
import { refusal } from './errors.js'

/** The requests that are wrong, by the names of their files. */
const REFUSED: Readonly<Record<string, string>> = {
  'openai-js.bad-01.json':
    "temperature decimal_above_max_value: Invalid 'temperature': decimal above maximum value. Expected a value <= 2, " +
    'but got 5 instead.',
  'openai-js.bad-02.json':
    "top_logprobs integer_above_max_value: Invalid 'top_logprobs': integer above maximum value. Expected a value <= " +
    '20, but got 50 instead.',
  'openai-js.bad-03.json': "tools[0].name missing_required_parameter: Missing required parameter: 'tools[0].name'.",
}

/** The clients that send fields which neither the SDK nor this library knows. */
const UNKNOWN: Readonly<Record<string, RegExp>> = {
  codex: /^input\[\d+\]\.internal_chat_message_metadata_passthrough /,
  'openai-js': /^input\[\d+\]\.parsed_arguments /,
}

interface Request {
  readonly file: string
  readonly body: object
}

/** Every `POST /responses`, and every `response.create` of a WebSocket. */
function requests(): Request[] {
  const folder = join(String(sharedFolder()), 'data/requests')
  const files = readdirSync(folder).filter((file) => file.endsWith('.json') && file !== 'index.json')
  return files.sort().flatMap((file) => {
    const { url, body }: { url: string; body: object | null } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    return body !== null && /\/v1\/responses(\?|$)/.test(url) ? [{ file, body }] : []
  })
}

describeWithShared('what real clients send', () => {
  const all = requests()
  const right = all.filter(({ file }) => !Object.hasOwn(REFUSED, file))

  test('there are 247 requests of real clients', () => {
    expect(all).toHaveLength(247)
  })

  test.each(right)('the request $file is read', ({ body }) => {
    const parsed = parseRequest(body)
    expect(parseRequest(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed)
    if ('input' in body && Array.isArray(body.input)) expect(parsed.input).toHaveLength(body.input.length)
    if ('tools' in body && Array.isArray(body.tools)) expect(parsed.tools).toHaveLength(body.tools.length)
  })

  test.each(right)('the request $file has no unknown field, but for those of its client', ({ file, body }) => {
    const known = Object.entries(UNKNOWN).find(([client]) => file.startsWith(client))?.[1]
    const refuse = { unknown: 'refuse' } as const
    try {
      parseRequest(body, refuse)
    } catch {
      expect(refusal(body, refuse)).toMatch(known ?? 'no unknown field')
    }
  })

  test.each(Object.entries(REFUSED))('the request %s is refused', (name, expected) => {
    expect(refusal(all.find(({ file }) => file === name)?.body)).toBe(expected)
  })
})

describe('the fixtures', () => {
  const names = readdirSync(`${root}fixtures`).flatMap((file) => /^(.+)\.events\.jsonl$/.exec(file)?.[1] ?? [])

  test.each(names)('the request of %s is read, without its input', (name) => {
    const { request }: { request: object } = JSON.parse(readFileSync(`${root}fixtures/${name}.json`, 'utf8'))
    expect(parseRequest({ input: 'hi', ...request })).toMatchObject({ input: expect.anything() })
  })

  test.each(names)('what %s says is read when a client sends it back, in the words of any dialect', async (name) => {
    const lines = readFileSync(`${root}fixtures/${name}.events.jsonl`, 'utf8').trimEnd().split('\n')
    const said = await collectResponse(lines.map((line): ResponseStreamEvent => JSON.parse(line)))
    const parsed = parseRequest({ input: said.output, tools: said.tools })
    expect(parsed.input).toHaveLength(said.output.length)
    const prefixed = toDialectResponse(said, openResponses)
    expect(parseRequest({ input: prefixed.output, tools: prefixed.tools })).toEqual(parsed)
    // vLLM has nulls for lists that are empty.
    expect(parseRequest({ input: toDialectResponse(said, vllm).output }).input).toHaveLength(said.output.length)
  })
})
