import { expect, test } from 'vitest'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { type HistoryEntry, renderPrompt } from '../../../src/endpoint/prompt/index.js'
import { encodeHarmony } from '../../support/tokens.js'

const tokenTable = await loadTokenTable()

const START = '<|start|>assistant'
const THOUGHT = '<|channel|>analysis<|message|>Hm.<|end|>'
const CALL = '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{ }<|call|>'

const reasoning = (id: string, text = 'Hm.') => ({
  ...{ type: 'reasoning', id, summary: [] },
  content: [{ type: 'reasoning_text', text }],
})
const call = (id: string) => ({ type: 'function_call', id, call_id: id, name: 'look', arguments: '{ }' })
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'dry' })

/** Which items the messages behind the user's are of, in their order. */
function orderOf(items: readonly object[], history: readonly HistoryEntry[]): (number | undefined)[] {
  const request = { input: [{ type: 'message', role: 'user', content: 'Go.' }, ...items] }
  const { messages } = renderPrompt(request, { tokenTable, date: '2026-01-31', history })
  return messages.flatMap(({ item }) => (item === undefined || item === 0 ? [] : [item]))
}

test('what two responses said alike is each looked for in its own transcript, if transcripts name their items', () => {
  const first = [reasoning('rs_1'), call('fc_1'), output('fc_1')]
  const second = [reasoning('rs_2', 'Rain.'), call('fc_2'), output('fc_2')]
  // The first one has lost its reasoning, which the second one has, in another item's place.
  const transcripts = [
    { tokens: encodeHarmony(CALL), items: ['rs_1', 'fc_1'] },
    { tokens: encodeHarmony(`${THOUGHT}${START}${CALL}`), items: ['rs_2', 'fc_2'] },
  ]
  const items = [...first, ...second]
  expect(orderOf(items, transcripts)).toEqual([1, 2, 3, 4, 5, 6])
  const unnamed = transcripts.map(({ tokens }) => ({ tokens }))
  expect(orderOf(items, unnamed)).not.toEqual([1, 2, 3, 4, 5, 6])
})

test('a message of a transcript that has no role is the model’s, and keeps its place', () => {
  const tokens = encodeHarmony(`${THOUGHT}<|start|> to=functions.look<|channel|>commentary<|message|>{ }<|call|>`)
  // In the transcript's order, whatever the order of the items.
  expect(orderOf([call('fc_1'), reasoning('rs_1'), output('fc_1')], [{ tokens }])).toEqual([2, 1, 3])
})

test('a malformed message reads as it did when it was written, by what came before it', () => {
  // Behind an answer, an empty channel is none: the client was shown reasoning.
  const answer = '<|channel|>final<|message|>Yes.<|end|>'
  const tokens = encodeHarmony(`${answer}${START}<|channel|><|message|>Hm.<|end|>${START}${CALL}`)
  const said = { type: 'message', id: 'msg_1', role: 'assistant', phase: 'final_answer', content: 'Yes.' }
  expect(orderOf([said, call('fc_1'), reasoning('rs_1'), output('fc_1')], [{ tokens }])).toEqual([1, 3, 2, 4])
})

test('reasoning whose item has an empty text is in the prompt, and reasoning without a text is not', () => {
  const items = (content: unknown) => [
    { type: 'reasoning', id: 'rs_1', summary: [], content },
    call('fc_1'),
    output('fc_1'),
  ]
  expect(orderOf(items([{ type: 'reasoning_text', text: '' }]), [])).toEqual([1, 2, 3])
  for (const content of [[], null]) expect(orderOf(items(content), [])).toEqual([2, 3])
})

test('a message that comes back without its id, and behind its call, has its place and its tokens where transcripts name their items', () => {
  const preamble = '<|channel|>commentary<|message|>Let me look.<|end|>'
  const history = [{ tokens: encodeHarmony(`${preamble}${START}${CALL}`), items: ['msg_1', 'fc_1'] }]
  const said = { type: 'message', role: 'assistant', phase: 'commentary', content: 'Let me look.' }
  expect(orderOf([call('fc_1'), said, output('fc_1')], history)).toEqual([2, 1, 3])
})

test('a message without an id takes no place of what a named item says without showing its text', () => {
  const history = [{ tokens: encodeHarmony(`${THOUGHT}${START}${CALL}`), items: ['rs_1', 'fc_1'] }]
  const hidden = { type: 'reasoning', id: 'rs_1', summary: [], content: [] }
  const { id: _, ...unnamed } = reasoning('')
  // The one without a text is in the prompt, since the transcript says what it was.
  expect(orderOf([hidden, call('fc_1'), output('fc_1'), unnamed], history)).toEqual([1, 2, 3, 4])
})
