import { createSeal } from '../../../src/endpoint/seal/index.js'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { createMemoryStore } from '../../../src/endpoint/stores/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import type { TokenEngine } from '../../../src/engines/contract/index.js'
import { answer, call, type Script, type ScriptedEngine, think } from '../../../src/testing/index.js'
import { CONVERSATION, dice, MIXED, readBy } from './dice-and-weather.js'
import { type Endpoint, endpoint, heldEngine } from './endpoint.js'

/*
 * What processes of one store share: the same request at two of them. The rows are the table of docs/deploy.md, and
 * the test holds each to what it finds.
 */

/** What one process knows of a request that another one had. */
export interface SharedRow {
  readonly what: string
  /** By what the other process knows it; undefined: it does not. */
  readonly by: 'the store' | 'the seal keys' | undefined
  readonly about: string
  /** Makes the request at one process, and returns whether the other one knows of it. */
  readonly isKnown: () => Promise<boolean>
}

const KEY = { id: 'k', key: new Uint8Array(32).fill(7) }

/** Two processes with the same engine: a script of each its own, or one engine. */
function two<Given extends Script | TokenEngine>(given: Given, options: Partial<ResponsesAppOptions> = {}) {
  const shared = { store: createMemoryStore(), seal: createSeal([KEY]), ...options }
  return [endpoint(given, shared), endpoint(given, shared)] as const
}

const HI: Script = () => answer('Hi!')
const keyed = { 'idempotency-key': 'once' }
const BANK = [{ type: 'mcp', server_label: 'bank', require_approval: 'always' }]

function bank(): Tool {
  return {
    answers: (called) => called.type === 'mcp_call' && called.server_label === 'bank',
    run: async () => ({ output: 'paid' }),
    listings: async () => [{ serverLabel: 'bank', tools: [{ name: 'pay', inputSchema: { type: 'object' } }] }],
  }
}

/** Begins a background response that does not end by itself. */
async function held(options: Partial<ResponsesAppOptions> = {}) {
  const engine = heldEngine(1)
  const [one, other] = two(engine, options)
  const { body } = await one.create({ input: 'Go on.', background: true })
  await engine.asked
  return { one, other, engine, id: body.id as string }
}

async function ends({ one }: { readonly one: Endpoint }): Promise<void> {
  await one.service.drain(AbortSignal.abort())
}

const WEATHER = { name: 'get_weather', parameters: { type: 'object', properties: {} } }
const QUESTION = { role: 'user', content: 'Roll, and the weather?' }
/** Whether the model has read, in the last call of a process, all that was played: its own calls of tools, too. */
const knows = (process: { readonly engine: ScriptedEngine }): boolean => readBy(process).join() === CONVERSATION.join()
/** It plays the turns that follow from what it has read, in any process. */
const ROLLS = (({ messages }: { readonly messages: readonly unknown[] }) =>
  (MIXED as readonly unknown[])[[3, 6, 9].findIndex((read) => messages.length <= read)]) as never as Script
const offering = (script: Script) => two(script, { tools: [dice], offered: { tools: [dice.declaration] } })

export const SHARED: readonly SharedRow[] = [
  {
    what: 'stored responses: GET, resume, delete, `previous_response_id`',
    by: 'the store',
    about: 'the events of a running one, too',
    async isKnown() {
      const [one, other] = two(HI)
      const { body } = await one.create({ input: 'Hi.' })
      const next = await other.create({ input: 'And?', previous_response_id: body.id })
      return (await other.ask('GET', `/responses/${body.id}`)).status === 200 && next.status === 200
    },
  },
  {
    what: 'conversations with an id, and that one response at a time is open in each',
    by: 'the store',
    about: '',
    async isKnown() {
      const engine = heldEngine(1)
      const [one, other] = two(engine)
      const { body } = await one.ask('POST', '/conversations', {})
      await one.create({ input: 'Go on.', background: true, conversation: body.id })
      await engine.asked
      const second = await other.create({ input: 'And?', conversation: body.id })
      await ends({ one })
      return second.status === 409
    },
  },
  {
    what: 'cancel',
    by: 'the store',
    about: 'the process that writes the response stops within a moment',
    async isKnown() {
      const { one, other, engine, id } = await held()
      const { body } = await other.ask('POST', `/responses/${id}/cancel`)
      engine.step()
      await engine.stopped
      await ends({ one })
      return body.status === 'cancelled'
    },
  },
  {
    what: 'idempotency keys',
    by: 'the store',
    about: 'the same request gets the same response at any of them, and another one is refused',
    async isKnown() {
      const [one, other] = two(HI)
      const first = await one.create({ input: 'Hi.' }, keyed)
      const refused = await other.create({ input: 'Another.' }, keyed)
      return (await other.create({ input: 'Hi.' }, keyed)).body.id === first.body.id && refused.status === 422
    },
  },
  {
    what: 'idempotency keys of responses with `store: false`',
    by: undefined,
    about: 'such a response ends with its process: a repeated request is a new one elsewhere',
    async isKnown() {
      const [one, other] = two(HI)
      const first = await one.create({ input: 'Hi.', store: false }, keyed)
      return (await other.create({ input: 'Hi.', store: false }, keyed)).body.id === first.body.id
    },
  },
  {
    what: 'approvals, and that each is used once',
    by: 'the store',
    about: 'those of responses with `store: false` are sealed, and their use is known to the store',
    async isKnown() {
      const script = (({ messages }: { readonly messages: readonly { readonly role: string }[] }) =>
        messages.at(-1)?.role === 'user' ? call('bank.pay', { amount: 5 }) : answer('Done.')) as Script
      const [one, other] = two(script, { tools: [bank()] })
      const { body } = await one.create({ input: 'Pay 5', tools: BANK })
      const { id } = body.output.find(({ type }: { readonly type: string }) => type === 'mcp_approval_request')
      const input = [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }]
      const approving = { input, tools: BANK, previous_response_id: body.id }
      const [used, again] = [await other.create(approving), await one.create(approving)]
      return used.status === 200 && again.status === 400
    },
  },
  {
    what: 'encrypted reasoning, compactions',
    by: 'the seal keys',
    about: 'clients keep them',
    async isKnown() {
      const [one, other] = two(() => [think('I look it up.'), call('functions.get_weather', {})])
      const asked = {
        ...{ store: false, include: ['reasoning.encrypted_content'] },
        tools: [{ type: 'function', strict: false, ...WEATHER }],
      }
      const question = { role: 'user', content: 'Rain?' }
      const { body } = await one.create({ input: [question], ...asked })
      const [reasoning, called] = body.output
      const kept = { ...reasoning, content: [], summary: [] }
      const result = { type: 'function_call_output', call_id: called.call_id, output: 'rain' }
      await other.create({ input: [question, kept, called, result], ...asked })
      return readBy(other).includes('assistant: I look it up.')
    },
  },
  {
    what: 'calls of [offered tools](tools.md#tools-for-every-client), for clients of Messages',
    by: 'the seal keys',
    about: 'the signature of the thinking block has them',
    async isKnown() {
      const [one, other] = offering(ROLLS)
      const body = {
        ...{ max_tokens: 1000, thinking: { type: 'adaptive' } },
        tools: [{ name: WEATHER.name, input_schema: WEATHER.parameters }],
      }
      const { body: first } = await one.ask('POST', '/messages', { ...body, messages: [QUESTION] })
      const { id } = first.content.find(({ type }: { readonly type: string }) => type === 'tool_use')
      const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'rain' }] }
      const messages = [QUESTION, { role: 'assistant', content: first.content }, result]
      await other.ask('POST', '/messages', { ...body, messages })
      return knows(other)
    },
  },
  {
    what: 'calls of offered tools, for clients of Chat Completions',
    by: undefined,
    about:
      'in memory for a day, since the API has no place for them: elsewhere the model does not know that it has called the tool, and may call it again',
    async isKnown() {
      const [one, other] = offering(ROLLS)
      const tools = [{ type: 'function', function: WEATHER }]
      const body = { model: 'gpt-oss', tools }
      const { body: first } = await one.ask('POST', '/chat/completions', { ...body, messages: [QUESTION] })
      const [{ message }] = first.choices
      const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'rain' }
      const next = { ...body, messages: [QUESTION, message, result] }
      await one.ask('POST', '/chat/completions', next)
      if (!knows(one)) throw new Error(`its own process does not know it: ${readBy(one)}`)
      await other.ask('POST', '/chat/completions', next)
      return knows(other)
    },
  },
  {
    what: 'what the model reads of a conversation',
    by: 'the store',
    about: 'each process renders it anew where it has not had its last response: the ids are the same',
    async isKnown() {
      const [one, other] = two(HI)
      const { body } = await one.create({ input: 'Hi.' })
      const next = { input: 'And?', previous_response_id: body.id }
      for (const process of [one, other]) await process.create(next)
      const [read, again] = [one, other].map(({ engine }) => Array.from(engine.calls.at(-1)?.tokens ?? []).join())
      return read === again
    },
  },
  {
    what: 'limits by owner (`concurrencyPerOwner`), and all others of `--limit` and `--parallel`',
    by: undefined,
    about: 'each process counts for itself: N processes give an owner N times as much',
    async isKnown() {
      const { one, other } = await held({ limits: { concurrencyPerOwner: 1 } })
      const second = await other.create({ input: 'And?', background: true })
      await Promise.all([ends({ one }), ends({ one: other })])
      return second.status === 429
    },
  },
]
