import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { InputItem } from '../../../src/core/responses/input-items.js'
import { createSeal, type UnsealInputOptions, unsealInput } from '../../../src/endpoint/seal/index.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { RUNS } from '../../support/runs.js'
import { anyText, CALL, keyOf, NONCE, ofAlice, refused, SEALED, seal } from './seals.js'

const open = (input: unknown, options: Partial<UnsealInputOptions> = {}) =>
  unsealInput(input as InputItem[], { seal, caller: 'alice', ...options })

const reasoning = (encrypted_content: unknown, fields: object = {}) => ({
  type: 'reasoning',
  summary: [],
  encrypted_content,
  ...fields,
})
const REASONING = SEALED.reasoning.blob
const ID = SEALED.approval.blob
const SECOND = ofAlice.sealApproval({ ...CALL, arguments: '{}' }, 'mcpr_2')

const REQUEST = { type: 'mcp_approval_request', id: ID, server_label: 'github', name: 'search', arguments: '{"q":"x"}' }
const answer = (approve: unknown, approval_request_id: unknown = ID) => ({
  type: 'mcp_approval_response',
  approval_request_id,
  approve,
})
const CALLED = { approvalRequestId: ID, ...CALL }

describe('the history', () => {
  test.each<[string, object]>([
    ['without an id, as opencode sends it', reasoning(REASONING)],
    ['with its id and its raw text, as Codex sends it', reasoning(REASONING, { id: 'rs_1', content: [] })],
    ['with its id alone, as the AI SDK sends it', reasoning(REASONING, { id: 'rs_1' })],
    ['with an id that is null or empty', reasoning(REASONING, { id: '' })],
  ])('the history has the text of a reasoning item %s', (_, item) => {
    expect(open([item])).toEqual({
      history: [{ sealed: REASONING, text: 'Hm.' }],
      requestedCalls: [],
      approvedCalls: [],
    })
  })

  test('the history has the texts of reasoning and compactions in their order', () => {
    const second = ofAlice.seal('Well.', 'rs_2')
    const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: SEALED.compaction.blob }
    const { history } = open([{ role: 'user', content: 'Hi' }, compaction, reasoning(second), reasoning(REASONING)])
    expect(history).toEqual([
      { sealed: SEALED.compaction.blob, text: 'So far: nothing.' },
      { sealed: second, text: 'Well.' },
      { sealed: REASONING, text: 'Hm.' },
    ])
  })

  test('the history has a compaction that was sealed before its id was known', () => {
    const sealed = ofAlice.sealCompaction('So far.')
    expect(open([{ type: 'compaction', id: 'cmp_9', encrypted_content: sealed }]).history).toEqual([
      { sealed, text: 'So far.' },
    ])
  })

  test.each<[string, unknown]>([
    ['a text', 'Hi'],
    ['null', null],
    ['undefined', undefined],
    ['no items', []],
    ['items without sealed content', [reasoning(undefined), reasoning(null), reasoning(''), { type: 'compaction' }]],
    ['items that are malformed', [null, 1, 'x', [], {}, { type: 1 }, { type: 'reasoning' }, Object.create(null)]],
    ['items of other types', [{ type: 'message', encrypted_content: 'x', role: 'user', content: 'Hi' }]],
    ['a type that is inherited', [Object.create(reasoning('x'))]],
  ])('the history is empty for %s', (_, input) => {
    expect(open(input)).toEqual({ history: [], requestedCalls: [], approvedCalls: [] })
  })
})

describe('sealed content that does not open is refused, and the error says where it stands', () => {
  const before = { role: 'user', content: 'Hi' }
  const bob = seal.forResponse({ caller: 'bob', nonce: NONCE })

  test.each<[string, object, string]>([
    ['of another server', reasoning('gAAAAABoISQ24OyVRYbkYfukdJo'), 'encrypted_content'],
    ['of another caller', reasoning(bob.seal('Hm.', 'rs_1')), 'encrypted_content'],
    ['with a changed character', reasoning(REASONING.replace('WtK', 'Wtk')), 'encrypted_content'],
    ['under the id of another item', reasoning(REASONING, { id: 'rs_2' }), 'encrypted_content'],
    ['of a compaction on a reasoning item', reasoning(SEALED.compaction.blob), 'encrypted_content'],
    ['of an approval on a reasoning item', reasoning(ID), 'encrypted_content'],
    ['of reasoning on a compaction', { type: 'compaction', encrypted_content: REASONING }, 'encrypted_content'],
    ['of a request of another caller', { ...REQUEST, id: bob.sealApproval(CALL, 'mcpr_1') }, 'id'],
    ['of a request with a changed character', { ...REQUEST, id: `${ID.slice(0, -1)}A` }, 'id'],
    ['of an answer with a changed character', answer(true, `${ID.slice(0, -1)}A`), 'approval_request_id'],
    ['of an answer to another caller', answer(true, bob.sealApproval(CALL, 'mcpr_1')), 'approval_request_id'],
    ['of reasoning as an approval', answer(true, REASONING.replace('hr1.rs.', 'mcpr_hr1.')), 'approval_request_id'],
  ])('sealed content %s is refused, and the error says where it stands', (_, item, field) => {
    expect(() => open([before, before, item])).toThrow(expect.objectContaining(refused(`input[2].${field}`)))
  })

  test('sealed content that is no string is an error of its type', () => {
    expect(() => open([reasoning(1)])).toThrow(
      expect.objectContaining({
        name: 'RequestError',
        code: 'invalid_type',
        param: 'input[0].encrypted_content',
        message: "Invalid type for 'input[0].encrypted_content': expected a string, but got an integer instead.",
      }),
    )
  })
})

describe('foreign content', () => {
  const foreign = reasoning('gAAAAABoISQ24OyVRYbkYfukdJo')
  const retired = createSeal([{ id: 'k0', key: keyOf(0) }]).forResponse({ caller: 'alice', nonce: NONCE })

  test('sealed content that takes long to open is refused before it is opened', () => {
    const long = ofAlice.seal('x'.repeat(1_600_000), 'rs_1')
    expect(() => open([reasoning(REASONING), reasoning(long)])).toThrow(
      expect.objectContaining({ code: 'string_above_max_length', param: 'input[1].encrypted_content' }),
    )
    const id = ofAlice.sealApproval({ ...CALL, arguments: 'x'.repeat(1_600_000) }, 'mcpr_3')
    expect(() => open([answer(true, id)])).toThrow(
      expect.objectContaining({ code: 'string_above_max_length', param: 'input[0].approval_request_id' }),
    )
  })

  test('foreign content is ignored if the host says so, and the rest is opened', () => {
    const input = [foreign, reasoning(retired.seal('Old.', 'rs_0')), reasoning(REASONING)]
    expect(() => open(input)).toThrow(expect.objectContaining(refused('input[0].encrypted_content')))
    expect(open(input, { foreign: 'ignore' }).history).toEqual([{ sealed: REASONING, text: 'Hm.' }])
  })

  test('foreign content is no approval if the host ignores it', () => {
    const id = retired.sealApproval(CALL, 'mcpr_0')
    const input = [{ ...REQUEST, id }, answer(true, id)]
    expect(() => open(input)).toThrow(expect.objectContaining(refused('input[0].id')))
    expect(open(input, { foreign: 'ignore' })).toMatchObject({ requestedCalls: [], approvedCalls: [] })
  })

  test('content that a key of ours sealed and somebody changed is not foreign', () => {
    const input = [reasoning(`${REASONING.slice(0, -1)}A`)]
    expect(() => open(input, { foreign: 'ignore' })).toThrow(
      expect.objectContaining(refused('input[0].encrypted_content')),
    )
  })
})

describe('approved calls', () => {
  test('approved calls are those that the user approved', () => {
    expect(open([REQUEST, answer(true)])).toEqual({ history: [], requestedCalls: [CALLED], approvedCalls: [CALLED] })
  })

  test('approved calls need the answer alone, since a server that keeps responses has the request', () => {
    expect(open([answer(true)]).approvedCalls).toEqual([CALLED])
  })

  test('approved calls are those that were sealed, whatever the client changes in the request', () => {
    const forged = { ...REQUEST, server_label: 'bank', name: 'transfer', arguments: '{"to":"mallory"}' }
    const added = { ...answer(true), server_label: 'bank', name: 'transfer', arguments: '{}', call: forged }
    for (const input of [
      [forged, added],
      [added, forged],
    ]) {
      expect(open(input)).toMatchObject({ requestedCalls: [CALLED], approvedCalls: [CALLED] })
    }
  })

  test.each<[string, object[]]>([
    ['that nobody answered', [REQUEST]],
    ['that the user refused', [REQUEST, answer(false)]],
    ['whose answer is no boolean', [REQUEST, answer('true')]],
    ['whose answer says nothing', [REQUEST, answer(undefined)]],
    ['that the user approved and refused', [REQUEST, answer(true), answer(false)]],
    ['that the user refused and approved', [REQUEST, answer(false), answer(true)]],
  ])('no call is approved by a request %s', (_, input) => {
    expect(open(input)).toMatchObject({ requestedCalls: [CALLED], approvedCalls: [] })
  })

  test('a call that ran already is not approved again, though it comes back in every later request', () => {
    const call = { ...REQUEST, type: 'mcp_call', id: 'mcp_1', approval_request_id: ID, output: 'found' }
    expect(open([REQUEST, answer(true), call])).toMatchObject({ requestedCalls: [CALLED], approvedCalls: [] })
    expect(open([REQUEST, answer(true), call, answer(true, SECOND)]).approvedCalls).toEqual([
      { ...CALLED, approvalRequestId: SECOND, arguments: '{}' },
    ])
  })

  test('approved calls are in the order of their requests', () => {
    const second = { ...REQUEST, id: SECOND, arguments: '{}' }
    const { approvedCalls } = open([second, REQUEST, answer(true), answer(true, SECOND)])
    expect(approvedCalls.map(({ approvalRequestId }) => approvalRequestId)).toEqual([SECOND, ID])
  })

  test.each(['mcpr_0123456789abcdef', '', 'hr1.rs.AAAA', null, 1, {}])(
    'no call is approved by the id %j, which is of a server that keeps its requests itself',
    (id) => {
      expect(open([{ ...REQUEST, id }, answer(true, id)])).toEqual({
        history: [],
        requestedCalls: [],
        approvedCalls: [],
      })
    },
  )
})

test('a request of any shape opens or is refused with a RequestError', () => {
  const blob = fc.oneof(anyText(), fc.constantFrom(REASONING, ID, SEALED.compaction.blob, SECOND), fc.jsonValue())
  const item = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        type: fc.constantFrom('reasoning', 'compaction', 'mcp_approval_request', 'mcp_approval_response', 'mcp_call'),
        id: fc.oneof(fc.constantFrom('rs_1', 'cmp_1'), blob),
        encrypted_content: blob,
        approval_request_id: blob,
        approve: fc.constantFrom(true, false, 'true'),
      },
      { requiredKeys: ['type'] },
    ),
  )
  const input = fc.oneof(fc.array(item), fc.jsonValue())
  fc.assert(
    fc.property(input, fc.constantFrom('refuse' as const, 'ignore' as const), (input, foreign) => {
      try {
        const { approvedCalls, requestedCalls } = open(input, { foreign })
        for (const call of approvedCalls) expect(requestedCalls).toContain(call)
        for (const { approvalRequestId: id } of requestedCalls) expect([ID, SECOND]).toContain(id)
      } catch (error) {
        expect(error).toBeInstanceOf(RequestError)
      }
    }),
    { numRuns: RUNS * 4 },
  )
})

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'unsealInput: options: expected an object, got undefined'],
  [
    'keys',
    { seal: [{ id: 'k1', key: keyOf(1) }], caller: 'alice' },
    'seal: expected a seal, of createSeal, with the method unseal, got an array',
  ],
  ['no caller', { seal }, 'caller: expected whose request it is, a non-empty string, got undefined'],
  [
    'an unknown choice',
    { seal, caller: 'alice', foreign: 'drop' },
    "foreign: expected 'refuse' or 'ignore', got \"drop\"",
  ],
  [
    'a misspelled option',
    { seal, caller: 'alice', foriegn: 'ignore' },
    'unsealInput: there is no option "foriegn", did you mean foreign?',
  ],
])('a server that gives %s learns of its mistake', (_, options, message) => {
  expect(() => unsealInput([], options as never)).toThrow(expect.objectContaining({ code: 'bad_option', message }))
})
