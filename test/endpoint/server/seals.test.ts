import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import { createSeal, parseSealKeys } from '../../../src/endpoint/seal/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer, call, type ScriptedEngine, think } from '../../../src/testing/index.js'
import { runs } from '../../support/runs.js'
import { type Answer, type Endpoint, endpoint } from './endpoint.js'

const keyText = (byte: number): string => Buffer.alloc(32, byte).toString('base64')
const sealOf = (...bytes: number[]) => createSeal(parseSealKeys(bytes.map(keyText).join(' ')))
const INCLUDE = ['reasoning.encrypted_content']
const tools = [{ type: 'mcp', server_label: 'bank', require_approval: 'always' }]
const user = { role: 'user', content: 'Pay 5' }

interface Sealing extends Endpoint {
  readonly engine: ScriptedEngine
  readonly diagnostics: Diagnostic[]
  readonly ran: unknown[]
}

/** A server that thinks, and requests the approval of a payment; with the host's keys, or a random one. */
function server(seal?: ReturnType<typeof sealOf>): Sealing {
  const diagnostics: Diagnostic[] = []
  const ran: unknown[] = []
  const bank: Tool = {
    answers: (called) => called.type === 'mcp_call',
    async run(called) {
      ran.push(called)
      return { output: 'paid' }
    },
  }
  const app = endpoint(
    ({ messages }) =>
      messages.at(-1)?.content === 'Pay 5' ? [think('Five.'), call('bank.pay', { amount: 5 })] : [answer('Done.')],
    {
      tools: [bank],
      response: { onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic) },
      ...(seal && { seal }),
    },
  )
  return { ...app, diagnostics, ran }
}

type Item = Readonly<Record<string, unknown>>
const stateless = (app: Endpoint, input: readonly object[]): Promise<Answer> =>
  app.create({ input, tools, store: false, include: INCLUDE })

/** One sealed item of each kind, and the conversation that has it. */
const KINDS = {
  reasoning: { field: 'encrypted_content', after: [] },
  compaction: { field: 'encrypted_content', after: [user] },
  approval: { field: 'id', after: [] },
} as const
type Kind = keyof typeof KINDS

async function sealedBy(app: Endpoint, kind: Kind): Promise<{ item: Item; input: (item: Item) => readonly object[] }> {
  if (kind === 'compaction') {
    const { body } = await app.ask('POST', '/responses/compact', {
      model: 'gpt-oss',
      input: [{ role: 'user', content: 'Hi' }],
    })
    return { item: body.output[0], input: (item) => [item, { role: 'user', content: 'Go on.' }] }
  }
  const { output } = (await stateless(app, [user])).body as { output: Item[] }
  const [reasoning, request] = output as [Item, Item]
  if (kind === 'reasoning')
    return { item: reasoning, input: (item) => [user, item, { role: 'user', content: 'Well?' }] }
  return {
    item: request,
    input: (item) => [user, item, { type: 'mcp_approval_response', approval_request_id: item['id'], approve: true }],
  }
}

const REFUSED = { type: 'invalid_request_error', code: 'invalid_encrypted_content' }
const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ é'

describe.each(Object.keys(KINDS) as Kind[])('a sealed %s', (kind) => {
  const { field } = KINDS[kind]

  test(`a sealed ${kind} with any one character changed is refused under the host's own keys`, async () => {
    const app = server(sealOf(1))
    const { item, input } = await sealedBy(app, kind)
    const sealed = item[field] as string
    expect((await stateless(app, input(item))).status).toBe(200)
    const paid = app.ran.length
    const character = fc.constantFrom(...CHARACTERS)
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), character, async (at, other) => {
        fc.pre(other !== sealed[at])
        const changed = { ...item, [field]: sealed.slice(0, at) + other + sealed.slice(at + 1) }
        const { status, body } = await stateless(app, input(changed))
        expect([status, body.error]).toEqual([400, expect.objectContaining(REFUSED)])
      }),
      {
        numRuns: runs(200),
        examples: [
          [0, 'x'],
          [3, 'x'],
          [sealed.length - 1, '-'],
        ],
      },
    )
    expect([app.ran.length, app.diagnostics]).toEqual([paid, []])
  })

  test(`a sealed ${kind} with any one character changed is refused or reported under a key of the process`, async () => {
    const app = server()
    const { item, input } = await sealedBy(app, kind)
    const sealed = item[field] as string
    expect((await stateless(app, input(item))).status).toBe(200)
    const paid = app.ran.length
    expect(app.diagnostics).toEqual([])
    const at = fc.oneof(fc.nat(sealed.length - 1), fc.nat(20))
    await fc.assert(
      fc.asyncProperty(at, fc.constantFrom(...CHARACTERS), async (at, other) => {
        fc.pre(other !== sealed[at])
        const changed = { ...item, [field]: sealed.slice(0, at) + other + sealed.slice(at + 1) }
        app.diagnostics.length = 0
        const { status } = await stateless(app, input(changed))
        if (status === 200) {
          expect(app.diagnostics).toEqual([
            { code: 'unopened_seal', subject: expect.stringContaining('input['), index: -1 },
          ])
          expect(JSON.stringify(app.diagnostics)).not.toContain(sealed.slice(20, 40))
        } else expect(status).toBe(400)
      }),
      { numRuns: runs(200) },
    )
    expect(app.ran).toHaveLength(paid)
  })

  test(`a sealed ${kind} opens in another process with the same keys, also after a rotation`, async () => {
    const { item, input } = await sealedBy(server(sealOf(1)), kind)
    for (const seal of [sealOf(1), sealOf(2, 1)]) {
      const app = server(seal)
      const { status } = await stateless(app, input(item))
      expect([status, app.diagnostics]).toEqual([200, []])
      expect(app.ran).toHaveLength(kind === 'approval' ? 1 : 0)
    }
    const { status, body } = await stateless(server(sealOf(2)), input(item))
    expect([status, body.error]).toEqual([400, expect.objectContaining(REFUSED)])
  })
})

test('seals of another process are one diagnostic a response, with where they stand and nothing of them', async () => {
  const first = server()
  const { item } = await sealedBy(first, 'reasoning')
  const app = server()
  const turn = (n: number): object[] => [
    { ...item, id: `rs_${n}` },
    { role: 'user', content: `Turn ${n}` },
  ]
  const input = [user, ...Array.from({ length: 11 }, (_, n) => turn(n)).flat()]
  const { body } = await stateless(app, input)
  const places = [1, 3, 5, 7, 9, 11, 13, 15].map((at) => `input[${at}].encrypted_content`)
  expect(app.diagnostics).toEqual([{ code: 'unopened_seal', subject: `${places.join(', ')} and 3 more`, index: -1 }])
  expect(body.status).toBe('completed')
})

test('reasoning of another process that has its text is read as its text, and reported', async () => {
  const { item } = await sealedBy(server(), 'reasoning')
  const app = server()
  const shown = { ...item, content: [{ type: 'reasoning_text', text: 'Six.' }] }
  const output = { type: 'function_call_output', call_id: 'c1', output: 'x' }
  const input = [user, shown, { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' }, output]
  await stateless(app, input)
  expect(app.engine.calls.at(-1)?.messages).toContainEqual(
    expect.objectContaining({ channel: 'analysis', content: 'Six.' }),
  )
  expect(app.diagnostics).toHaveLength(1)
})

test('an approval of another process runs nothing, and is reported', async () => {
  const { item, input } = await sealedBy(server(), 'approval')
  const app = server()
  expect((await stateless(app, input(item))).status).toBe(200)
  expect([app.ran, app.diagnostics.map(({ subject }) => subject)]).toEqual([
    [],
    ['input[1].id, input[2].approval_request_id'],
  ])
})

test('a compaction of another process is refused, since the model would know nothing without it', async () => {
  const { item, input } = await sealedBy(server(), 'compaction')
  const { status, body } = await stateless(server(), input(item))
  expect([status, body.error.code]).toEqual([400, 'invalid_encrypted_content'])
})

test('an approval that was answered and run under keys that are gone does not end its conversation', async () => {
  const first = server()
  const { item, input } = await sealedBy(first, 'approval')
  const { body } = await stateless(first, input(item))
  const app = server()
  const { status } = await stateless(app, [...input(item), ...body.output, { role: 'user', content: 'Thanks.' }])
  expect([status, app.ran]).toEqual([200, []])
})
