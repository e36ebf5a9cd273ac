import { describe, expect, test } from 'vitest'
import { reportOn, type StreamChunk } from '../../../../src/judge/conformance/index.js'
import { BASES, type BaseName, type Damage, type Draft } from './streams.js'

const call = (chunk: Draft): Draft => chunk.choices[0].delta.tool_calls[0]
const hasCall = (chunk: Draft): boolean => chunk.choices[0]?.delta.tool_calls !== undefined

/** The causes that a report finds in a damaged stream, each with how many violations follow from it. */
function causes(base: BaseName, damage: Damage, profile: 'chat' | 'chat:ai-sdk' = 'chat'): string[] {
  const draft = structuredClone(BASES[base]) as unknown as Draft[]
  const chunks = (damage(draft) as Draft[] | undefined) ?? draft
  return reportOn(chunks as StreamChunk[], { profile }).causes.map(({ lead, follow }) => `${lead.rule} +${follow}`)
}

describe('one mistake is one cause, with what follows from it:', () => {
  test('all calls have the index 0, so that a second one begins within the first', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks.filter(hasCall)) call(chunk).index = 0
    }
    expect(causes('calls', damage)).toEqual(['chat-call-goes-on +3'])
  })

  test('no delta of a call has an index', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks.filter(hasCall)) delete call(chunk).index
    }
    expect(causes('calls', damage)).toEqual(['chat-call-index +4'])
  })

  test('the index of a call is wrong where it begins, and its arguments come at the right one', () => {
    const damage: Damage = (chunks) => {
      call(chunks[1]).index = 1
    }
    expect(causes('call', damage)).toHaveLength(1)
  })

  test('the first chunk is lost, and with it the role', () => {
    expect(causes('text', (chunks) => chunks.slice(1))).toEqual(['chat-role-first +0'])
  })

  test('the finish_reason is lost, so that the token counts come too soon', () => {
    expect(causes('text', (chunks) => chunks.toSpliced(3, 1))).toEqual(['chat-usage-last +1'])
  })

  test('the finish_reason comes too soon', () => {
    const damage: Damage = (chunks) => {
      chunks.splice(1, 0, ...chunks.splice(3, 1))
    }
    expect(causes('text', damage)).toEqual(['chat-nothing-after-finish +0'])
  })

  test('a chunk of another answer has its id, its time and its model', () => {
    const damage: Damage = (chunks) => {
      Object.assign(chunks[2], { id: 'chatcmpl-2', created: 8, model: 'other' })
    }
    expect(causes('text', damage)).toEqual(['chat-one-completion +2'])
    expect(causes('text', (chunks) => Object.assign(chunks[2], { id: '' }) && undefined)).toEqual([
      'chat-one-completion +1',
    ])
  })

  test('choices are no list', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks) chunk.choices = {}
    }
    expect(causes('text', damage)).toEqual(['chat-chunk-shape +2'])
  })

  test('arguments are encoded twice', () => {
    const damage: Damage = (chunks) => {
      call(chunks[2]).function.arguments = JSON.stringify('{"a":1}')
      call(chunks[3]).function.arguments = ''
    }
    expect(causes('call', damage)).toEqual(['chat-arguments-encoded-once +0'])
  })

  test('a chunk that the AI SDK refuses is the cause of its losses', () => {
    const damage: Damage = (chunks) => {
      chunks[1].choices[0].delta.reasoning = { text: 'Hm' }
    }
    expect(causes('text', damage, 'chat:ai-sdk')).toEqual(['chat-ai-sdk-validates +0'])
  })
})
