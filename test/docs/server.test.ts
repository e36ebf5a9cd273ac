import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkEvents, readStreams } from '../../src/judge/conformance/index.js'
import { namedBlock, root } from './pages.js'
import { bundle } from './snippets.js'

const example = readFileSync(`${root}examples/server.mjs`, 'utf8')

test('docs/translator.md shows examples/server.mjs', () => {
  // Its first line is the file's own heading, which the page has above the block.
  expect(namedBlock('docs/translator.md', 'server.mjs').code).toBe(example.slice(example.indexOf('\n') + 1))
})

describe('the server by hand', () => {
  const folder = mkdtempSync(join(tmpdir(), 'example-'))
  let server: ChildProcess
  let url = ''

  beforeAll(async () => {
    const file = (await bundle({ server: example }, folder)).get('server') ?? ''
    server = spawn(process.execPath, [file, '0'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    url = `http://127.0.0.1:${/port: (\d+)/.exec(String(line))?.[1]}/v1`
  })
  afterAll(() => {
    server.kill()
    rmSync(folder, { recursive: true })
  })

  const post = (body: string): Promise<Response> =>
    fetch(`${url}/responses`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })

  test('examples/server.mjs streams to the openai SDK', async () => {
    const client = new OpenAI({ baseURL: url, apiKey: 'none' })
    const stream = client.responses.stream({ model: 'gpt-oss', input: 'What is 123 * 456?' })
    const response = await stream.finalResponse()
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'mcp_call', 'message'])
    expect(response.output_text).toContain('56,088')
  })

  test('examples/server.mjs answers the command of docs/translator.md with a stream', async () => {
    const typed = namedBlock('docs/translator.md', 'ask').code.replace('http://127.0.0.1:8000/v1', url)
    const { stdout } = await promisify(execFile)('sh', ['-c', typed])
    expect(stdout).toContain('event: response.completed\n')
  })

  test('examples/server.mjs sends events that the judge has nothing against', async () => {
    const text = await (await post('{"model":"gpt-oss","input":"What is 123 * 456?","stream":true}')).text()
    expect(readStreams(text).flatMap((events) => checkEvents(events))).toEqual([])
  })

  test('examples/server.mjs answers a request that does not stream with the response', async () => {
    expect(await (await post('{"model":"gpt-oss","input":"Hi"}')).json()).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'gpt-oss',
    })
  })

  test('examples/server.mjs refuses invalid JSON, and other paths', async () => {
    const refused = await post('{')
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: { type: 'invalid_request_error', message: 'invalid JSON' } },
    ])
    expect((await fetch(url)).status).toBe(404)
  })

  test('examples/server.mjs continues when a client leaves in the middle', async () => {
    const leave = new AbortController()
    const body = '{"model":"gpt-oss","input":"Hi","stream":true}'
    const left = await fetch(`${url}/responses`, { method: 'POST', body, signal: leave.signal })
    await left.body?.getReader().read()
    leave.abort()
    expect((await post('{"model":"gpt-oss","input":"Hi"}')).status).toBe(200)
    expect(server.exitCode).toBeNull()
  })
})
