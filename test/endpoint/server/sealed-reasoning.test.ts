import { expect, test } from 'vitest'
import type { ResponsesServer } from '../../../src/endpoint/server/node.js'
import { answer, scriptedEngine, think } from '../../../src/testing/index.js'
import { serve } from './web-socket/sockets.js'

const engine = (): ReturnType<typeof scriptedEngine> => scriptedEngine(() => [think('Rain is likely.'), answer('Yes.')])
const user = { role: 'user', content: 'Do I need an umbrella?' }

async function ask({ url }: ResponsesServer, input: unknown): Promise<{ status: number; output: object[] }> {
  const body = { model: 'gpt-oss', store: false, include: ['reasoning.encrypted_content'], input }
  const response = await fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify(body) })
  const { output = [] } = (await response.json()) as { output?: object[] }
  return { status: response.status, output }
}

/** The reasoning of an answer as opencode sends it back: sealed, and without its id. */
async function sealedReasoning(server: ResponsesServer): Promise<object> {
  const { output } = await ask(server, [user])
  const { encrypted_content: sealed } = output[0] as { encrypted_content?: string }
  expect(sealed).toBeTypeOf('string')
  return { type: 'reasoning', summary: [], encrypted_content: sealed }
}

const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
const result = { type: 'function_call_output', call_id: 'call_1', output: 'wet' }

test('the model reads its sealed reasoning again, also where the client leaves the id out', async () => {
  const model = engine()
  const server = await serve({ engine: model })
  const reasoning = await sealedReasoning(server)
  expect(await ask(server, [user, reasoning, call, result])).toMatchObject({ status: 200 })
  expect(model.calls[1]?.messages).toContainEqual(
    expect.objectContaining({ channel: 'analysis', content: 'Rain is likely.' }),
  )
})

test('a server that seals with a key of its process continues without the reasoning of an earlier one', async () => {
  const reasoning = await sealedReasoning(await serve({ engine: engine() }))
  const model = engine()
  expect(await ask(await serve({ engine: model }), [user, reasoning, call, result])).toMatchObject({ status: 200 })
  expect(model.calls[0]?.messages.some(({ content }) => content.includes('Rain'))).toBe(false)
})

test('a summary that does not open is refused: without it the model would know nothing of the conversation', async () => {
  const compaction = { type: 'compaction', encrypted_content: 'U2VhbGVk' }
  expect(await ask(await serve({ engine: engine() }), [compaction, user])).toMatchObject({ status: 400 })
})
