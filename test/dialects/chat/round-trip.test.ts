import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromChatRequest, toChatCompletion } from '../../../src/dialects/index.js'
import { renderPrompt } from '../../../src/endpoint/prompt/index.js'
import { parseRequest } from '../../../src/endpoint/request/index.js'
import { run, tokenTable } from '../../laws/streams.js'
import { RUNS } from '../../support/runs.js'

const word = fc.stringMatching(/^[a-zA-Z {}":,<|>\n]{1,20}$/).filter((text) => text.trim() !== '')

/** What the model writes in one response, and what the client's tools then say. */
const step = fc.record({
  reasoning: fc.option(word),
  preamble: fc.option(word),
  calls: fc.array(fc.record({ isCustom: fc.boolean(), said: word, result: word }), { minLength: 1, maxLength: 3 }),
})
const turn = fc.record({
  user: word,
  steps: fc.array(step, { maxLength: 2 }),
  reasoning: fc.option(word),
  answer: word,
})
const conversation = fc.array(turn, { minLength: 1, maxLength: 3 })

const TOOLS = [
  { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } },
  { type: 'custom', name: 'apply' },
]
const CHAT_TOOLS = [
  { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
  { type: 'custom', custom: { name: 'apply' } },
]

/** A response as the translator makes it, with this output: ids differ from turn to turn, as they do on the wire. */
const { response } = run(['<|channel|>final<|message|>Hi<|return|>'])

type Item = { readonly [field: string]: unknown }

/** The fields that carry the reasoning in an answer. */
type ReasoningField = 'both' | 'reasoning_content' | 'reasoning'

/** One conversation in the two forms in which its client sends it back. */
class Both {
  readonly #reasoning: ReasoningField
  readonly items: object[] = []
  readonly messages: object[] = []
  #ids = 0

  constructor(reasoning: ReasoningField) {
    this.#reasoning = reasoning
  }

  user(content: string): void {
    this.items.push({ role: 'user', content })
    this.messages.push({ role: 'user', content })
  }

  /** What the model said, as each API answers it. */
  said(output: readonly Item[]): void {
    this.items.push(...output)
    const answer = toChatCompletion({ ...response, output: output as never }, { reasoning: this.#reasoning })
    const { message } = answer.choices[0] ?? {}
    this.messages.push({ ...message })
  }

  result(call: Item, output: string): void {
    this.items.push({ type: `${call['type']}_output`, call_id: call['call_id'], output })
    this.messages.push({ role: 'tool', tool_call_id: call['call_id'], content: output })
  }

  id(prefix: string): string {
    return `${prefix}_${this.#ids++}`
  }
}

function both(
  turns: typeof conversation extends fc.Arbitrary<infer Turns> ? Turns : never,
  field: ReasoningField,
): Both {
  const sent = new Both(field)
  const thought = (text: string | null): Item[] =>
    text === null
      ? []
      : [{ type: 'reasoning', id: sent.id('rs'), summary: [], content: [{ type: 'reasoning_text', text }] }]
  const message = (text: string | null, phase: string): Item[] => {
    const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
    return text === null ? [] : [{ type: 'message', id: sent.id('msg'), role: 'assistant', phase, content }]
  }
  for (const { user, steps, reasoning, answer } of turns) {
    sent.user(user)
    for (const { reasoning, preamble, calls } of steps) {
      const items = calls.map(({ isCustom, said }): Item => {
        const call_id = sent.id('call')
        return isCustom
          ? { type: 'custom_tool_call', id: sent.id('ctc'), call_id, name: 'apply', input: said }
          : { type: 'function_call', id: sent.id('fc'), call_id, name: 'look', arguments: said }
      })
      sent.said([...thought(reasoning), ...message(preamble, 'commentary'), ...items])
      for (const [index, item] of items.entries()) sent.result(item, calls[index]?.result ?? '')
    }
    sent.said([...thought(reasoning), ...message(answer, 'final_answer')])
  }
  return sent
}

const field = fc.constantFrom<ReasoningField>('both', 'reasoning_content', 'reasoning')

const promptOf = (request: object): readonly number[] => [
  ...renderPrompt(request, { tokenTable, date: '2026-01-31' }).tokens,
]

describe('an answer that a client sends back', () => {
  test('an answer that a client sends back gives the prompt that the items of the other API give, token by token', () => {
    fc.assert(
      fc.property(conversation, fc.boolean(), field, (turns, isOpen, field) => {
        const { items, messages } = both(turns, field)
        // With and without the last answer: reasoning of a tool loop that goes on is in the prompt, older is not.
        const [left, right] = isOpen ? [items.slice(0, -1), messages.slice(0, -1)] : [items, messages]
        const isCut = isOpen && turns.at(-1)?.reasoning !== null
        const chat = parseRequest(fromChatRequest({ messages: right, tools: CHAT_TOOLS }).request)
        const request = parseRequest({ input: isCut ? left.slice(0, -1) : left, tools: TOOLS })
        expect(promptOf(chat)).toEqual(promptOf(request))
      }),
      { numRuns: RUNS * 2 },
    )
  })

  test('an answer that a client sends back says its reasoning once, though it comes back in two fields', () => {
    const { messages } = both([{ user: 'a', steps: [], reasoning: 'Hm', answer: 'b' }], 'both')
    expect(messages[1]).toMatchObject({ reasoning: 'Hm', reasoning_content: 'Hm' })
    const { input } = parseRequest(fromChatRequest({ messages }).request)
    expect(input).toHaveLength(3)
  })
})
