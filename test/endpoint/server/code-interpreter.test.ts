import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryStore, type ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import type { PythonTool } from '../../../src/endpoint/tools/python/index.js'
import { answer, call, type Script } from '../../../src/testing/index.js'
import { describeWithBubblewrap } from '../../support/bubblewrap.js'
import { contextOf, pythonCall, realPython } from '../tools/python/fixtures.js'
import { anthropicOf } from './anthropic-sdk.js'
import { byName, endpoint } from './endpoint.js'

const TOOLS = [{ type: 'code_interpreter' as const, container: { type: 'auto' as const } }]
const ASKED = { model: 'm', input: 'Multiply.', tools: TOOLS }

describeWithBubblewrap('code_interpreter', () => {
  let python: PythonTool
  beforeAll(async () => {
    python = await realPython()
  })
  afterAll(() => python?.close())

  /** A model that runs these cells one after another, then answers with what it read last. */
  function running(...cells: readonly string[]): Script {
    let at = 0
    return ({ messages }) => {
      const code = cells[at++]
      return code === undefined ? [answer(messages.at(-1)?.content ?? '')] : [call('python', code)]
    }
  }

  const served = (script: Script, options: Partial<ResponsesAppOptions> = {}) =>
    endpoint(script, { tools: [python], ...options })

  test('is an item with its code, its container and its outputs', async () => {
    const { client } = served(running('x = 6', 'print(x * 7)'))
    const { output } = await client().responses.create({ ...ASKED, include: ['code_interpreter_call.outputs'] })
    const calls = output.filter(({ type }) => type === 'code_interpreter_call')
    expect(calls).toMatchObject([
      { code: 'x = 6', status: 'completed', outputs: [] },
      { code: 'print(x * 7)', status: 'completed', outputs: [{ type: 'logs', logs: '42\n' }] },
    ])
    expect(new Set(calls.map((item) => (item as { container_id: string }).container_id)).size).toBe(1)
  })

  test('a stream says that it interprets, before the cell has ended', async () => {
    const { stream } = served(running('1 + 1'))
    const types = (await stream('/responses', ASKED)).map(({ type }) => type)
    const ofCall = types.filter((type) => /code_interpreter/.test(type) && !/delta$/.test(type))
    expect(ofCall).toEqual(
      ['call.in_progress', 'call_code.done', 'call.interpreting', 'call.completed'].map(
        (state) => `response.code_interpreter_${state}`,
      ),
    )
  })

  test('the next response of a conversation goes on in its container', async () => {
    const options = { store: createMemoryStore() }
    const first = await served(running('x = 41'), options).client().responses.create(ASKED)
    const { client } = served(running('x + 1'), options)
    const next = await client().responses.create({ ...ASKED, previous_response_id: first.id })
    expect(next.output_text).toBe('42\n')
    const input = [...first.output, { role: 'user' as const, content: 'More.' }]
    const stateless = await served(running('x + 2'))
      .client()
      .responses.create({ ...ASKED, input: input as never })
    expect(stateless.output_text).toBe('43\n')
  })

  test('goes on in a container by its id, of which another owner has another one', async () => {
    const tools = [{ type: 'code_interpreter' as const, container: 'cntr_mine' }]
    const run = async (owner: string, code: string) => {
      const { client } = served(running(code), { authorize: byName })
      return (await client(owner).responses.create({ ...ASKED, tools })).output_text
    }
    await run('ann', 'x = 1')
    expect(await run('bob', '"x" in globals()')).toBe('False\n')
    expect(await run('ann', '"x" in globals()')).toBe('True\n')
  })

  test('a process that dies is a failed item, and the model reads that the outcome is unknown', async () => {
    const { client } = served(running('import os; os._exit(1)'))
    const { output, output_text } = await client().responses.create(ASKED)
    expect(output.find(({ type }) => type === 'code_interpreter_call')).toMatchObject({ status: 'failed' })
    expect(output_text).toContain('How much of the cell was done is unknown.')
  })

  test('files of containers are refused with a sentence, and so are their routes', async () => {
    const { ask } = served(running())
    const container = { type: 'auto', file_ids: ['file-1'] }
    const refused = await ask('POST', '/responses', { ...ASKED, tools: [{ type: 'code_interpreter', container }] })
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'tools[0].container.file_ids' } } })
    expect(refused.body.error.message).toContain('Write what they contain into the input')
    const { status, body } = await ask('POST', '/containers', { name: 'mine' })
    expect([status, body.error.message]).toEqual([
      404,
      expect.stringContaining('Containers cannot be created or read here'),
    ])
  })

  test('Messages has the code, its output, and the same session in the next request', async () => {
    const tools = [{ type: 'code_execution_20250522', name: 'code_execution' }]
    const first = { role: 'user', content: 'Multiply.' }
    const asked = { model: 'm', max_tokens: 1_000, tools, messages: [first] }
    const { status, body } = await served(running('x = 6', 'x * 7')).ask('POST', '/messages', asked)
    expect(status).toBe(200)
    const blocks = body.content.filter(({ type }: { type: string }) => /tool/.test(type))
    expect(blocks).toEqual([
      {
        type: 'server_tool_use',
        id: expect.stringMatching(/^srvtoolu_\w+$/),
        name: 'code_execution',
        input: { code: 'x = 6' },
      },
      expect.objectContaining({
        type: 'code_execution_tool_result',
        content: { type: 'code_execution_result', stdout: '', stderr: '', return_code: 0, content: [] },
      }),
      expect.objectContaining({ type: 'server_tool_use', input: { code: 'x * 7' } }),
      expect.objectContaining({ content: expect.objectContaining({ stdout: '42\n' }) }),
    ])
    const messages = [first, { role: 'assistant', content: body.content }, { role: 'user', content: 'More.' }]
    const next = await served(running('x + 1')).ask('POST', '/messages', { ...asked, messages })
    expect(next.body.content).toContainEqual(expect.objectContaining({ type: 'text', text: '7\n' }))
  })

  const CODE = [{ type: 'code_execution_20250825' as const, name: 'code_execution' as const }]
  const messages = [{ role: 'user' as const, content: 'Multiply.' }]
  const MESSAGE = { model: 'm', max_tokens: 1_000, tools: CODE, messages }

  test.each([false, true])(
    'Messages names the container, in which the next request goes on (streamed: %s)',
    async (isStreamed) => {
      const said = async (cell: string, container?: string | { id: string }) => {
        const { messages: api } = anthropicOf(served(running(cell)), 'ann')
        const asked = { ...MESSAGE, ...(container !== undefined && { container }) }
        return isStreamed ? await api.stream(asked).finalMessage() : await api.create(asked)
      }
      const begun = Date.now()
      const { container } = await said('x = 41')
      expect(container).toEqual({
        id: expect.stringMatching(/^cntr_\w+$/),
        expires_at: expect.any(String),
        skills: null,
      })
      const { id = '', expires_at = '' } = container ?? {}
      expect(Date.parse(expires_at) - begun).toBeGreaterThan(1_190_000)
      expect(Date.parse(expires_at) - begun).toBeLessThan(1_210_000)
      for (const next of [id, { id }]) {
        const { content, container: same } = await said('x + 1', next)
        expect(content).toContainEqual(expect.objectContaining({ type: 'text', text: '42\n' }))
        expect(same?.id).toBe(id)
      }
    },
  )

  test('Messages names no container where no code ran, or its process has died', async () => {
    const asked = async (...cells: readonly string[]) =>
      (await served(running(...cells)).ask('POST', '/messages', MESSAGE)).body
    expect(await asked()).not.toHaveProperty('container')
    expect(await asked('import os; os._exit(1)')).not.toHaveProperty('container')
  })

  test('Messages refuses a container that has ended, that never was, or that is of another owner', async () => {
    const { ask } = served(running('x = 1'))
    const asOwner = (owner: string, container?: unknown) =>
      ask('POST', '/messages', { ...MESSAGE, container }, { authorization: `Bearer ${owner}` })
    const { id } = (await asOwner('ann')).body.container
    for (const refused of [await asOwner('bob', id), await asOwner('ann', 'cntr_0'), await asOwner('ann', 'other')]) {
      expect(refused).toMatchObject({ status: 400, body: { type: 'error', error: { type: 'invalid_request_error' } } })
      expect(refused.body.error.message).toMatch(
        /^(?:container: )?Container '\w+' was not found: it has expired, or is not yours/,
      )
    }
    expect((await asOwner('ann', { id })).status).toBe(200)
    await python.run(pythonCall('import os; os._exit(1)', id), contextOf({ owner: 'ann' }))
    expect((await asOwner('ann', id)).status).toBe(400)
  })

  test('Messages says of a process that died that the result is unavailable', async () => {
    const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }]
    const messages = [{ role: 'user', content: 'Die.' }]
    const asked = { model: 'm', max_tokens: 1_000, tools, messages }
    const { body } = await served(running('import os; os._exit(1)')).ask('POST', '/messages', asked)
    expect(body.content).toContainEqual(
      expect.objectContaining({ content: { type: 'code_execution_tool_result_error', error_code: 'unavailable' } }),
    )
  })

  test('Chat has it where the operator offers it', async () => {
    const offered = { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }
    const { ask } = served(running('x = 6', 'x * 7'), { offered } as never)
    const asked = { model: 'm', messages: [{ role: 'user', content: 'Multiply.' }] }
    const { body } = await ask('POST', '/chat/completions', asked)
    expect(body.choices[0].message.content).toBe('42\n')
  })

  test('the request of vLLM for a server of this label runs a multiplication as its call', async () => {
    const server = { type: 'mcp', server_label: 'code_interpreter', server_url: 'http://localhost:8888' } as const
    const tools = [{ ...server, require_approval: 'never' as const }]
    const input = 'What is 123 * 456? Use python.'
    const { client } = served(running('{"code": "print(123 * 456)"}', 'print(123 * 456 * 2)'))
    const { output, output_text } = await client().responses.create({ ...ASKED, input, tools })
    expect(output.filter(({ type }) => type === 'mcp_call')).toMatchObject([
      { server_label: 'code_interpreter', name: 'python', output: '56088\n', error: null },
      { output: '112176\n' },
    ])
    expect(output_text).toBe('112176\n')
  })

  test('limits of a container that have no effect are reported', async () => {
    const noticed: string[] = []
    const response = {
      onDiagnostic: ({ code, subject }: { code: string; subject?: string }) => noticed.push(`${code} ${subject}`),
    }
    const { ask } = served(running(), { response: response as never })
    const container = { type: 'auto', memory_limit: '4g' }
    await ask('POST', '/responses', { ...ASKED, tools: [{ type: 'code_interpreter', container }] })
    expect(noticed).toContain('ignored_parameter code_interpreter: container.memory_limit')
  })
})
