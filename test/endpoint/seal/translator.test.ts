import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveId } from '../../../src/core/options/ids.js'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { createNonce, createSeal, unsealInput } from '../../../src/endpoint/seal/index.js'
import { checkEvents, type StreamEvent } from '../../../src/judge/conformance/index.js'
import { callTo, createRun, inTurn, messageOn, type Run, terminal } from '../../core/translate/run.js'
import { anyStream, fixed, oneByOne, run as runLaw, tokenTable } from '../../laws/streams.js'
import { RUNS } from '../../support/runs.js'
import { Translator } from '../../support/translator.js'
import { keyOf, NONCE, seal } from './seals.js'

const request: ResponseRequest = {
  include: ['reasoning.encrypted_content'],
  reasoning: { summary: 'auto' },
  tools: [
    { type: 'mcp', server_label: 'github', require_approval: 'always' },
    { type: 'function', name: 'lookup' },
  ],
}
const caller = 'alice'

const sealingOf = (nonce: string): Pick<TranslatorOptions, 'sealReasoning' | 'sealApproval'> => {
  const response = seal.forResponse({ caller, nonce })
  return { sealReasoning: response.seal, sealApproval: response.sealApproval }
}

/** A response that thinks twice, calls a function and asks for approval of a call. */
function answer(options: Partial<TranslatorOptions> = {}): Run {
  const run = createRun({ request, ids: deriveId, ...sealingOf(NONCE), ...options })
  run.start()
  run.push(
    inTurn(
      messageOn('analysis', 'First, look.<|end|>'),
      callTo('functions.lookup', '{"q":"life"}<|call|>'),
      messageOn('analysis', 'Then "ask".\n<|end|>'),
      callTo('github.search', '{"q":"x"}<|call|>'),
    ),
  )
  run.end('stop')
  return run
}

type Sent = Record<string, unknown>
const outputOf = (run: Run): OutputItem[] => JSON.parse(JSON.stringify(terminal(run.events).output))
const THOUGHTS = ['First, look.', 'Then "ask".\n']

/** How clients send a response's items back, according to captured requests. */
const CLIENTS: Readonly<Record<string, (item: Sent) => Sent>> = {
  'sends them verbatim': (item) => item,
  'sends reasoning as Codex does, without a status': ({ status: _, ...item }) => item,
  'sends reasoning as the AI SDK does, without content and status': ({ status: _, content, ...item }) =>
    item['type'] === 'reasoning' ? item : { ...item, ...(content === undefined ? {} : { content }) },
  'sends reasoning as opencode does, without an id': ({ id, status: _, content, ...item }) =>
    item['type'] === 'reasoning' ? { ...item, summary: [] } : { ...item, ...(id === undefined ? {} : { id }) },
}

describe('a translator with a seal', () => {
  test.each(Object.entries(CLIENTS))('sealed items are understood if a client %s', (_, sentBack) => {
    const output = outputOf(answer())
    const id = output.find(({ type }) => type === 'mcp_approval_request')?.id ?? ''
    const input = [
      { role: 'user', content: 'Look.' },
      ...output.map((item) => sentBack(item as unknown as Sent)),
      { type: 'mcp_approval_response', approval_request_id: id, approve: true },
    ]
    const { history, approvedCalls } = unsealInput(JSON.parse(JSON.stringify(input)), { seal, caller })
    expect(history.map(({ text }) => text)).toEqual(THOUGHTS)
    expect(approvedCalls).toEqual([
      { approvalRequestId: id, serverLabel: 'github', name: 'search', arguments: '{"q":"x"}' },
    ])

    const next = createRun({ request, ids: deriveId, responseId: 'resp_2', ...sealingOf(createNonce()), approvedCalls })
    next.start()
    const [call] = next.translator.response.output
    expect(call).toMatchObject({ type: 'mcp_call', name: 'search', arguments: '{"q":"x"}', approval_request_id: id })
    next.toolResult({ itemId: call?.id ?? '', output: 'found' })
    next.push(messageOn('final', 'Found.<|return|>'))
    next.end('stop')

    const third = [...input, ...outputOf(next), { role: 'user', content: 'Thanks.' }]
    expect(unsealInput(third, { seal, caller })).toMatchObject({ history, approvedCalls: [] })
  })

  test("a translator with a seal emits streams that are as OpenAI's, with ids of their own", () => {
    const { events } = answer({ usage: { inputTokens: 40, outputTokens: 20 } })
    const errors = checkEvents(events as unknown as StreamEvent[], { profile: 'openai' })
    expect(errors.filter(({ severity }) => severity === 'error')).toEqual([])
    const ids = outputOf(answer()).map(({ id }) => id)
    expect(new Set(ids).size).toBe(4)
  })

  test('a translator with a seal emits the same stream when it is replayed, and another one under another nonce', () => {
    expect(answer().events).toEqual(answer().events)
    expect(answer(sealingOf(createNonce())).events).not.toEqual(answer().events)
  })

  test('a translator with a seal emits the same stream if another process continues from a snapshot', () => {
    fc.assert(
      fc.property(anyStream(), fc.nat(80), ({ chunks, setup }, at) => {
        const tokens = oneByOne(chunks)
        const options = { ...setup, ...sealingOf(NONCE) }
        const whole = runLaw(tokens, options).response
        const first = new Translator({ ...fixed, tokenTable, ...options })
        for (const token of tokens.slice(0, at)) first.push(token)
        const snapshot = JSON.parse(JSON.stringify(first.snapshot()))
        const second = Translator.restore(snapshot, { ...fixed, tokenTable, ...setup, ...sealingOf(NONCE) })
        for (const token of tokens.slice(at)) second.push(token)
        second.end()
        expect(second.response).toEqual(whole)
      }),
      { numRuns: RUNS },
    )
  })

  test("a translator with a seal hides one user's content from another", () => {
    const output = outputOf(answer())
    for (const item of output.filter(({ type }) => type === 'reasoning' || type === 'mcp_approval_request')) {
      expect(() => unsealInput([item], { seal, caller: 'bob' })).toThrow('could not be verified')
    }
  })

  test('a translator with a seal keeps nothing of hidden reasoning in the open', () => {
    const { events } = answer({ reasoning: 'hidden' })
    const wire = JSON.stringify(events)
    for (const text of ['First, look', 'Then']) expect(wire).not.toContain(text)
    const { history } = unsealInput(JSON.parse(JSON.stringify(terminal(events).output)), { seal, caller })
    expect(history.map(({ text }) => text)).toEqual(THOUGHTS)
  })

  test('after a rotation, a translator replays a response with the key that sealed it', () => {
    const rotated = createSeal([
      { id: 'k2', key: keyOf(2) },
      { id: 'k1', key: keyOf(1) },
    ])
    const response = rotated.forResponse({ caller, nonce: NONCE, keyId: 'k1' })
    const again = answer({ sealReasoning: response.seal, sealApproval: response.sealApproval })
    expect(again.events).toEqual(answer().events)
  })
})
