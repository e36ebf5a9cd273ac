import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HarmonyMessage } from '../../../src/core/harmony/events.js'
import { parseArguments } from '../../../src/core/recipients/arguments.js'
import { classifyRecipient } from '../../../src/core/recipients/classify.js'
import { type DeclaredTools, declareTools } from '../../../src/core/recipients/declared-tools.js'
import { recipientKey } from '../../../src/core/recipients/recipient.js'
import { commandLineOf, commandOf } from '../../../src/core/recipients/shell-command.js'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { ResponseObject } from '../../../src/core/responses/response.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import type { HistoryEntry } from '../../../src/endpoint/prompt/history.js'
import { promptMessages } from '../../../src/endpoint/prompt/prompt-messages.js'
import { renderPrompt } from '../../../src/endpoint/prompt/render-prompt.js'
import { Translator } from '../../../src/index.js'
import type { Transcript } from '../../../src/judge/conformance/arbitraries/index.js'
import { harmonyText, malformedTranscript, wellFormedTranscript } from '../../support/arbitraries.js'
import { loadOfficial } from '../../support/official-parser.js'
import { RUNS } from '../../support/runs.js'
import { encodeText, m } from '../../support/tokens.js'

/** Without empty reasoning, which no item shows. */
const words = (): fc.Arbitrary<string> => harmonyText().filter((text) => text !== '')

const tokenTable = await loadTokenTable()
const official = await loadOfficial()
const DATE = '2026-01-31'
const START = [m.start, ...encodeText('assistant')]
const INCLUDE = ['code_interpreter_call.outputs', 'reasoning.encrypted_content']

describe('law 10: the items of a transcript render to the messages that it was made of', () => {
  test('the items of a transcript render to its messages when the client sends them back as they are', () => {
    fc.assert(
      fc.property(wellFormedTranscript(), (transcript) => {
        const { output } = responseTo(transcript)
        expect(saidIn(rendered(transcript, output), transcript)).toEqual(expected(transcript))
      }),
      { numRuns: RUNS },
    )
  })

  test.each<[client: string, (item: OutputItem) => object, HistoryEntry[]?]>([
    ['the AI SDK without a store', asAiSdk],
    ['Codex', asCodex],
  ])('the items of a transcript render to its messages when %s changes them on the way', (_client, change) => {
    fc.assert(
      fc.property(wellFormedTranscript({ text: words(), results: false }), (transcript) => {
        const { output } = responseTo(transcript)
        const items = output.filter(isPlain).map(change)
        expect(saidIn(rendered(transcript, items), transcript)).toEqual(
          expected(transcript, isPlainMessage(transcript)),
        )
      }),
      { numRuns: RUNS },
    )
  })

  test('the items of a transcript render to its messages when opencode sends reasoning sealed alone, and the host opens it', () => {
    fc.assert(
      fc.property(wellFormedTranscript({ text: words(), results: false }), (transcript) => {
        const history: HistoryEntry[] = []
        const seal = (text: string): string => {
          const sealed = `blob ${history.length}`
          history.push({ sealed, text })
          return sealed
        }
        const { output } = responseTo(transcript, seal)
        const items = output.filter(isPlain).map(asOpencode)
        expect(saidIn(rendered(transcript, items, history), transcript)).toEqual(
          expected(transcript, isPlainMessage(transcript)),
        )
      }),
      { numRuns: RUNS },
    )
  })
})

describe('law 11: with the sampled ids as history, the next prompt begins with the tokens of the last one', () => {
  test('with the sampled ids of a well-formed transcript as history, the next prompt begins with the tokens of the last one', () => {
    fc.assert(
      fc.property(wellFormedTranscript({ text: words() }), (transcript) => {
        const { output } = responseTo(transcript)
        const { tokens } = transcript
        const before = renderPrompt(requestOf(transcript, []), { tokenTable, date: DATE }).tokens
        const after = renderPrompt(requestOf(transcript, answered(transcript, output)), {
          tokenTable,
          date: DATE,
          history: [{ tokens }],
        }).tokens
        const kept = [...before.slice(0, -START.length), ...keptMessages(transcript).flat()]
        expect([...after.slice(0, kept.length)]).toEqual(kept)
      }),
      { numRuns: RUNS },
    )
  })

  test('with the sampled ids as history, messages that had to be repaired are rendered well, from their items', () => {
    fc.assert(
      fc.property(malformedTranscript(), (transcript) => {
        const { output } = responseTo(transcript)
        const request = requestOf(transcript, answered({ ...transcript, messages: [] }, output))
        const { tokens, messages } = renderPrompt(request, {
          tokenTable,
          date: DATE,
          history: [{ tokens: transcript.tokens }],
        })
        const { errors } = official.parse([...tokens.slice(0, messages.at(-1)?.end)], null)
        expect(errors).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('with the sampled ids as history, changed items are rendered as the client sent them', () => {
    fc.assert(
      fc.property(wellFormedTranscript({ text: words(), calls: false }), fc.nat(), (transcript, seed) => {
        const { output } = responseTo(transcript)
        const at = seed % output.length
        const changed = output.map((item, index) => (index === at ? edited(item) : item))
        const history = [{ tokens: transcript.tokens }]
        const request = requestOf(transcript, changed)
        const withHistory = renderPrompt(request, { tokenTable, date: DATE, history })
        const { messages } = withHistory
        const plain = promptMessages(request, { date: DATE })
        expect(messages.map(({ role, channel, item }) => [role, channel, item])).toEqual(
          plain.map(({ role, channel, item }) => [role, channel, item]),
        )
        expect(textOf(withHistory.tokens)).toContain('edited by the client')
      }),
      { numRuns: RUNS },
    )
  })
})

/** The input of a response, well-formed or not. */
type Written = Pick<Transcript, 'chunks' | 'request'>

function responseTo(transcript: Written, sealReasoning?: (text: string) => string): ResponseObject {
  const request = requestOf(transcript, [])
  const translator = new Translator({ request, tokenTable, ...(sealReasoning && { sealReasoning }) })
  const events = [...transcript.chunks.flatMap((chunk) => translator.push(chunk)), ...translator.end('stop')]
  return (events.at(-1) as { response: ResponseObject }).response
}

function requestOf(transcript: Written, items: readonly object[]): ResponseRequest & { input: object[] } {
  return { ...transcript.request, include: INCLUDE, input: [{ role: 'user', content: 'Go.' }, ...items] }
}

function rendered(transcript: Transcript, items: readonly object[], history: HistoryEntry[] = []): HarmonyMessage[] {
  const messages = promptMessages(requestOf(transcript, answered(transcript, items)), { date: DATE, history })
  return messages.filter(({ role }) => role === 'assistant' || role === 'tool')
}

/** The items, with an output for each call of the client's: the host's result if the transcript has one. */
function answered(transcript: Pick<Transcript, 'request' | 'messages'>, items: readonly object[]): object[] {
  const tools = declareTools(transcript.request.tools)
  const results = transcript.messages.filter(({ role }) => role === 'tool')
  const given = items as readonly { type: string; call_id: string; name: string; namespace?: string }[]
  const resultOf = (call: { readonly kind: string }): string | undefined => {
    const at = results.findIndex((result) => keyOf(result.name, tools) === recipientKey(call))
    return at === -1 ? undefined : results.splice(at, 1)[0]?.content
  }
  const outputs = given.flatMap(({ type, call_id, name, namespace }): object[] => {
    if (type === 'function_call' || type === 'custom_tool_call') {
      const call = { kind: type, name, ...(namespace !== undefined && { namespace }) }
      return [{ type: `${type}_output`, call_id, output: resultOf(call) ?? 'done' }]
    }
    const isAnswered = given.some((other) => other.type === 'shell_call_output' && other.call_id === call_id)
    if (type !== 'shell_call' || isAnswered) return []
    const stdout = resultOf({ kind: type }) ?? 'done'
    const output = [{ stdout, stderr: '', outcome: { type: 'exit', exit_code: 0 } }]
    return [{ type: 'shell_call_output', call_id, output }]
  })
  return [...items, ...outputs]
}

/** The content of the model's messages, and the results of hosted tools. */
function saidIn(messages: readonly HarmonyMessage[], transcript: Transcript): unknown[] {
  const tools = declareTools(transcript.request.tools)
  return messages.filter(({ role }) => role === 'assistant').map((message) => said(message, tools))
}

function expected(transcript: Transcript, keep: (message: HarmonyMessage) => boolean = () => true): unknown[] {
  const tools = declareTools(transcript.request.tools)
  const { messages } = transcript
  const final = messages.findLastIndex((message) => kindOf(message, tools) === 'message' && message.channel === 'final')
  return messages
    .filter((message, at) => message.role === 'assistant' && (at > final || kindOf(message, tools) !== 'reasoning'))
    .filter(keep)
    .map((message) => said(message, tools))
}

function said(message: HarmonyMessage, tools: DeclaredTools): unknown {
  const callee = classifyRecipient(message.recipient, message.channel, tools)
  const { content } = message
  if (callee.kind === 'shell_call' || callee.kind === 'local_shell_call') {
    const command = commandOf(parseArguments(content, 'cmd') ?? {})
    return [callee.kind, command === undefined ? '' : commandLineOf(command)]
  }
  if (callee.kind === 'web_search_call') {
    const main = { search: 'query', open_page: 'id', find_in_page: 'pattern' }[callee.action]
    const value = callee.action === 'open_page' ? '' : parseArguments(content, main)?.[main]
    return [recipientKey(callee), typeof value === 'string' ? value : '']
  }
  if (['function_call', 'mcp_call', 'mcp_approval_request'].includes(callee.kind)) {
    const object = objectAtTheStartOf(content)
    if (object !== undefined) return [recipientKey(callee), object]
  }
  // A call without arguments is shown with empty ones.
  if (callee.kind === 'function_call' && content.trim() === '') return [recipientKey(callee), '{}']
  return [callee.kind === 'message' ? callee.phase : recipientKey(callee), content]
}

/** The JSON object that a text begins with, if more than white space follows it. */
function objectAtTheStartOf(text: string): string | undefined {
  for (let end = text.indexOf('}') + 1; end > 0 && text.slice(end).trim() !== ''; end = text.indexOf('}', end) + 1) {
    try {
      if (JSON.parse(text.slice(0, end)).constructor === Object) return text.slice(0, end)
    } catch {}
  }
  return undefined
}

function kindOf(message: HarmonyMessage, tools: DeclaredTools): string {
  return message.role === 'assistant' ? classifyRecipient(message.recipient, message.channel, tools).kind : message.role
}

function keyOf(recipient: string | undefined, tools: DeclaredTools): string {
  return recipientKey(classifyRecipient(recipient, undefined, tools))
}

// ------------------------------------------------------------------------------------- what clients make of the items

const PLAIN: readonly string[] = ['message', 'reasoning', 'function_call', 'custom_tool_call']

/** Whether every client sends the item back: not the calls of the server's tools. */
function isPlain({ type }: OutputItem): boolean {
  return PLAIN.includes(type)
}

function isPlainMessage(transcript: Transcript): (message: HarmonyMessage) => boolean {
  const tools = declareTools(transcript.request.tools)
  return (message) => PLAIN.includes(kindOf(message, tools))
}

/** Messages without a type and an id, reasoning without an id. */
function asAiSdk(item: OutputItem): object {
  if (item.type === 'message') {
    const content = item.content.map(({ text }) => ({ type: 'output_text', text }))
    return { role: 'assistant', content, phase: item.phase }
  }
  const { id: _id, status: _status, ...rest } = item as OutputItem & { id: string; status?: string }
  return rest
}

/** Raw and sealed reasoning together, and fields of its own. */
function asCodex(item: OutputItem): object {
  const { status: _status, ...rest } = item as OutputItem & { status?: string }
  if (item.type === 'reasoning') return { ...rest, encrypted_content: null }
  return { ...rest, internal_chat_message_metadata_passthrough: {} }
}

/** Sealed reasoning alone. */
function asOpencode(item: OutputItem): object {
  if (item.type !== 'reasoning') return asAiSdk(item)
  return { type: 'reasoning', summary: [], encrypted_content: item.encrypted_content }
}

function edited(item: OutputItem): object {
  const text = 'edited by the client'
  if (item.type === 'message') return { ...item, content: [{ type: 'output_text', text }], phase: 'final_answer' }
  return { type: 'message', role: 'user', content: text }
}

// --------------------------------------------------------------------------------------------------------------- ids

/** The ids of each message that is not dropped, from `<|start|>` to a terminator that says nothing of sampling. */
function keptMessages(transcript: Transcript): number[][] {
  const tools = declareTools(transcript.request.tools)
  const kinds = transcript.messages.map((message) => kindOf(message, tools))
  const final = transcript.messages.findLastIndex(({ channel }, at) => kinds[at] === 'message' && channel === 'final')
  const messages: number[][] = [[...START]]
  for (const id of transcript.tokens) {
    messages.at(-1)?.push(id === m.return ? m.end : id)
    if ([m.end, m.call, m.return].includes(id as never)) messages.push([])
  }
  return messages.slice(0, kinds.length).filter((_, at) => kinds[at] !== 'reasoning' || at > final)
}

function textOf(tokens: Uint32Array): string {
  const bytes = [...tokens].flatMap((id) => [...tokenTable.bytes(id)])
  return new TextDecoder().decode(Uint8Array.from(bytes))
}
