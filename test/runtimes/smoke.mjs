// The smoke test of every runtime: the steps of a server, with the package's exports. Nothing here is specific to a
// runtime.

import { collectResponse, loadTokenTable, translate } from 'harmony-responses'
import { checkEvents } from 'harmony-responses/conformance'
import { renderPrompt } from 'harmony-responses/prompt'
import { createResponsesApp } from 'harmony-responses/server'
import { chatSource, createChatEngine } from 'harmony-responses/sources/chat'
import { decodeSse } from 'harmony-responses/sse'
import { answer, call, scriptedEngine, think } from 'harmony-responses/testing'

const STEPS = {
  async text() {
    const { output } = await collectResponse(translate('<|channel|>final<|message|>Hi.<|return|>'))
    equal(output[0]?.content[0]?.text, 'Hi.')
  },
  async 'token ids'() {
    const ids = [200005, 17196, 200008, 12194, 13, 200002]
    const { output } = await collectResponse(translate(ids, { tokenTable: await loadTokenTable() }))
    equal(output[0]?.content[0]?.text, 'Hi.')
  },
  async 'a prompt'() {
    const { tokens } = renderPrompt({ input: 'Hi' }, { tokenTable: await loadTokenTable(), date: '2026-01-31' })
    equal(tokens[0], 200006)
  },
  async 'a stream of Chat Completions'() {
    const delta = (delta, finish_reason = null) => ({ choices: [{ index: 0, delta, finish_reason }] })
    const begun = { index: 0, id: 'a', function: { name: 'now', arguments: '{"zone":' } }
    const rest = { index: 0, function: { arguments: '"CET"}' } }
    const chunks = [
      delta({ reasoning: 'Hm.' }),
      delta({ tool_calls: [begun] }),
      delta({ tool_calls: [rest] }),
      delta({}, 'tool_calls'),
    ]
    const tools = [{ type: 'function', name: 'now', parameters: { type: 'object' } }]
    const events = []
    for await (const event of translate(chatSource(chunks), { request: { tools } })) events.push(event)
    equal(JSON.stringify(checkEvents(events)), '[]')
    const [thought, call] = events.at(-1).response.output
    equal(`${thought.content[0].text} ${call.name} ${call.arguments}`, 'Hm. now {"zone":"CET"}')
  },
  async 'an engine of Chat Completions'() {
    const body = 'data: {"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    const fetch = async () => new Response(body)
    const engine = createChatEngine({ url: 'http://chat.invalid', model: 'qwen', fetch })
    const app = createResponsesApp({ engine, tokenTable: await loadTokenTable() })
    equal((await ask(app, { input: 'Hi' })).output[0].content[0].text, 'Hi.')
    await app.drain()
  },
  async 'a stream of the endpoint'() {
    const engine = scriptedEngine([[think('Hm.'), call('functions.now', {})], answer('Noon.')])
    const app = createResponsesApp({ engine, tokenTable: await loadTokenTable() })
    const tools = [{ type: 'function', name: 'now', parameters: { type: 'object', properties: {} } }]
    const first = await ask(app, {
      input: 'What time is it?',
      tools,
      store: false,
      include: ['reasoning.encrypted_content'],
    })
    equal(first.output.map(({ type }) => type).join(), 'reasoning,function_call')
    const result = { type: 'function_call_output', call_id: first.output[1].call_id, output: '12:00' }
    const second = await ask(app, {
      input: ['What time is it?'].map(asMessage).concat(first.output, result),
      tools,
      store: false,
    })
    equal(second.output.at(-1).content[0].text, 'Noon.')
    await app.drain()
  },
}

const asMessage = (content) => ({ role: 'user', content })

/** The response to a request that streams, without findings of the judge. */
async function ask({ fetch }, body) {
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify({ model: 'gpt-oss', stream: true, ...body }) }
  const { status, body: stream } = await fetch(new Request('http://localhost/v1/responses', request))
  equal(status, 200)
  const events = []
  for await (const event of decodeSse(stream)) events.push(event)
  const errors = checkEvents(events).filter(({ severity }) => severity === 'error')
  equal(JSON.stringify(errors), '[]')
  return events.at(-1).response
}

function equal(got, expected) {
  if (got !== expected) throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`)
}

/** Throws at the first step that goes wrong, and names it. */
export async function smoke() {
  for (const [name, step] of Object.entries(STEPS)) {
    try {
      await step()
    } catch (error) {
      throw new Error(`${name}: ${error?.stack ?? error}`)
    }
  }
  return Object.keys(STEPS)
}
