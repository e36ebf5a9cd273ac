import type { Message } from 'openai-harmony'
import { beforeAll, expect, test } from 'vitest'
import { FIRST_SPECIAL } from '../../../src/core/harmony/vocabulary.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import type { HistoryEntry } from '../../../src/endpoint/prompt/history.js'
import type { PromptMessage } from '../../../src/endpoint/prompt/prompt-message.js'
import { type PromptOptions, promptMessages } from '../../../src/endpoint/prompt/prompt-messages.js'
import { renderMessages } from '../../../src/endpoint/prompt/render-messages.js'
import { renderPrompt } from '../../../src/endpoint/prompt/render-prompt.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { loadOfficial, type Official } from '../../support/official-parser.js'
import { sampled } from '../../support/runs.js'
import { capturedCreateRequests, describeWithShared } from '../../support/shared-data.js'
import { decodeTokens, m } from '../../support/tokens.js'

/** Why a captured request cannot be rendered as it is: the parameter, and the code. */
type Refusal = readonly [param: string, code: string | null]

/** Three hold an image, and one a file. */
const ATTACHED: Readonly<Record<string, Refusal>> = {
  'ai-sdk-openai.image-01': ['input[0].content[1]', 'unsupported_value'],
  'openresponses-07': ['input[0].content[1]', 'unsupported_value'],
  'openresponses-aisdk.image-01': ['input[0].content[1]', 'unsupported_value'],
  'openresponses-extra-06': ['input[0].content[1]', 'unsupported_value'],
}

/** They refer to stored or sealed content of their server, whose answers were not captured. */
const UNRESOLVED: Readonly<Record<string, Refusal>> = {
  'ai-sdk-openai.structured-tools-02': ['input[1].id', null],
  'ai-sdk-openai.tool-02': ['input[1].id', null],
  'ai-sdk-openai.tool-03': ['input[1].id', null],
  'ai-sdk-openai.tool-05': ['input[1].id', null],
  'ai-sdk-openai.tool-nostore-02': ['input[1].encrypted_content', 'invalid_encrypted_content'],
  'ai-sdk-openai.tool-nostore-03': ['input[1].encrypted_content', 'invalid_encrypted_content'],
  'codex-compact.openai.ws-03': ['input[0].call_id', null],
  'codex-compact.openai.ws-04': ['input[0].call_id', null],
  'codex-compact.openai.ws-05': ['input[0].call_id', null],
  'codex-compact2.openai.ws-03': ['input[0].call_id', null],
  'codex-openai.steps.ws-03': ['input[0].call_id', null],
  'codex-openai.steps.ws-04': ['input[0].call_id', null],
  'codex-openai.steps.ws-05': ['input[0].call_id', null],
  'codex-ws.steps.ws-03': ['input[0].call_id', null],
  'codex-ws.steps.ws-04': ['input[0].call_id', null],
  'codex-ws.steps.ws-05': ['input[0].call_id', null],
  'mastra.nopre-02': ['input[2].id', null],
  'mastra.nopre-04': ['input[2].id', null],
  'mastra.tool-02': ['input[2].id', null],
  'mastra.tool-03': ['input[2].id', null],
  'mastra.tool-05': ['input[2].id', null],
  'openai-js.mcp-03': ['input[0].approval_request_id', null],
  'opencode.mcp-03': ['input[2].encrypted_content', 'invalid_encrypted_content'],
  'opencode.run-03': ['input[2].encrypted_content', 'invalid_encrypted_content'],
  'opencode.run-04': ['input[2].encrypted_content', 'invalid_encrypted_content'],
  'openresponses-extra-02': ['input[0].call_id', null],
  'openresponses.ws-09': ['input[0].call_id', null],
  'openresponses.ws-11': ['input[2].encrypted_content', 'invalid_encrypted_content'],
}

/** A client that tests how servers refuse. */
const WRONG: Readonly<Record<string, Refusal>> = {
  'openai-js.bad-03': ['tools[0].name', 'missing_required_parameter'],
}

const DATE = '2026-01-31'
const KEPT = 'What the server kept.'

const tokenTable = await loadTokenTable()

type Item = Readonly<Record<string, unknown>>

describeWithShared('the captured requests', () => {
  const captures = capturedCreateRequests()
  let official: Official
  beforeAll(async () => {
    official = await loadOfficial()
  }, 60_000)

  test('there are 247 captured requests at least', () => {
    expect(captures.length).toBeGreaterThanOrEqual(247)
  })

  test('all captured requests are rendered as they are, but for those of the tables', () => {
    const refused = captures.flatMap(({ name, body }) => {
      const refusal = refusalOf(body, { date: DATE })
      return refusal === undefined ? [] : [[name, refusal]]
    })
    expect(Object.fromEntries(refused)).toEqual({ ...ATTACHED, ...UNRESOLVED, ...WRONG })
  })

  test('captured requests are rendered with placeholders for images and files, where the host says so', () => {
    for (const { name, body } of captures.filter(({ name }) => Object.hasOwn(ATTACHED, name))) {
      const text = textOf(body, { images: 'placeholder' })
      expect(text, name).toMatch(/\[(?:image|file.*)\]<\|end\|>/)
    }
  })

  test('an image that a tool of Codex returned is a placeholder, in this request and in the next', () => {
    const viewed = captures.filter(({ body }) => /"function_call_output".*"input_image"/.test(JSON.stringify(body)))
    expect(viewed.length).toBeGreaterThanOrEqual(2)
    for (const { name, body } of viewed) {
      const { request, history } = resolved(body)
      const { placeholders } = renderPrompt(request, { tokenTable, date: DATE, history })
      expect(placeholders, name).toBe(1)
      expect(textOf(request, { history }), name).toContain('<|channel|>commentary<|message|>[image]<|end|>')
    }
  })

  test('hosted tools that real clients declare unasked cost nothing where nothing runs them', () => {
    const unasked = captures.filter(({ body }) => JSON.stringify(body['tools'] ?? []).includes('"type":"web_search"'))
    expect(unasked.length).toBeGreaterThanOrEqual(56)
    for (const { name, body } of sampled(unasked)) {
      const { request, history } = resolved(body)
      const options = { tokenTable, date: DATE, history, images: 'placeholder' } as const
      const [all, run] = [renderPrompt(request, options), renderPrompt(request, { ...options, hosted: [] })]
      expect(run.untaught, name).toContain('web_search')
      expect(all.untaught, name).not.toContain('web_search')
      // The browser's text is the same in every prompt.
      expect(all.tokens.length - run.tokens.length, name).toBeGreaterThan(390)
    }
  })

  test('captured requests are rendered once the stored parts are resolved', () => {
    for (const { name, body } of captures.filter(({ name }) => Object.hasOwn(UNRESOLVED, name))) {
      const { request, history } = resolved(body)
      expect(textOf(request, { history }), name).toContain(KEPT)
    }
  })

  test('the prompt of a captured request has every text of the conversation, but for old reasoning', () => {
    for (const { name, body } of sampled(renderable(captures))) {
      const { request, history } = resolved(body)
      const text = textOf(request, { history, images: 'placeholder' })
      for (const said of textsOf(request)) expect(text, name).toContain(said)
    }
  })

  test('the prompt of a captured request has whole messages, which the model continues from', () => {
    for (const { name, body } of sampled(renderable(captures))) {
      const { request, history } = resolved(body)
      const { tokens, messages } = renderPrompt(request, { tokenTable, date: DATE, history, images: 'placeholder' })
      let end = 0
      for (const message of messages) {
        expect([message.start, tokens[message.start]], name).toEqual([end, m.start])
        expect([m.end, m.call], name).toContain(tokens[message.end - 1])
        const inside = tokens.slice(message.start + 1, message.end - 1).filter((id) => id >= FIRST_SPECIAL)
        expect(inside.at(-1), name).toBe(m.message)
        expect(
          [...inside].slice(0, -1).every((id) => id === m.channel || id === m.constrain),
          name,
        ).toBe(true)
        end = message.end
      }
      expect(tokens[end], name).toBe(m.start)
      expect(decodeTokens([...tokens.slice(end + 1)]), name).toBe('assistant')
    }
  })

  test('captured requests have the prompts that the official renderer makes of their messages, but for the order of headers', () => {
    for (const { name, body } of sampled(renderable(captures))) {
      const { request, history } = resolved(body)
      const options = { date: DATE, history, images: 'placeholder' } as const
      const messages = promptMessages(request, options)
      const { tokens } = renderPrompt(request, { ...options, tokenTable })
      expect([...tokens].slice(0, -2), name).toEqual([...renderMessages(messages, { tokenTable }).tokens])
      const inTheirOrder = messages.map(({ recipientAfter: _, ...message }) => message)
      const theirs = official.renderForCompletion(inTheirOrder.map(asOfficial), 'assistant')
      expect([...renderMessages(inTheirOrder, { tokenTable }).tokens], name).toEqual(theirs.slice(0, -2))
    }
  }, 60_000)
})

function renderable<Captured extends { name: string }>(captures: readonly Captured[]): Captured[] {
  return captures.filter(({ name }) => !Object.hasOwn(WRONG, name))
}

function refusalOf(request: object, options: PromptOptions): Refusal | undefined {
  try {
    promptMessages(request, options)
    return undefined
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return [error.param ?? '', error.code]
  }
}

/** A prompt as text, its control tokens as markers. */
function textOf(request: object, options: Partial<PromptOptions>): string {
  const { tokens } = renderPrompt(request, { tokenTable, date: DATE, ...options })
  let text = ''
  let run: number[] = []
  for (const id of [...tokens, m.end]) {
    if (id < FIRST_SPECIAL) run.push(id)
    else {
      text += `${decodeTokens(run)}<|${Object.entries(m).find(([, special]) => special === id)?.[0]}|>`
      run = []
    }
  }
  return text
}

/** The request with substitutes for the items that the server stored, and the content of its seals. */
function resolved(body: Item): { request: object; history: HistoryEntry[] } {
  const input = Array.isArray(body['input']) ? (body['input'] as Item[]) : []
  const calls = new Set(input.filter(({ type }) => type === 'function_call').map((item) => item['call_id']))
  const history: HistoryEntry[] = []
  const items = input.flatMap((item): Item[] => {
    const { type, encrypted_content: sealed, call_id: callId } = item
    if (typeof sealed === 'string') history.push({ sealed, text: KEPT })
    if (type === 'item_reference') return [referred(String(item['id']))]
    if (type === 'function_call_output' && !calls.has(callId)) {
      return [{ type: 'function_call', call_id: callId, name: 'kept', arguments: KEPT }, item]
    }
    if (type !== 'mcp_approval_response') return [item]
    const [{ server_label: label } = {}] = body['tools'] as Item[]
    const id = item['approval_request_id']
    return [{ type: 'mcp_approval_request', id, server_label: label, name: 'kept', arguments: KEPT }, item]
  })
  return { request: Array.isArray(body['input']) ? { ...body, input: items } : body, history }
}

function referred(id: string): Item {
  if (id.startsWith('msg_')) return { type: 'message', id, role: 'assistant', content: KEPT, phase: 'commentary' }
  if (id.startsWith('rs_')) return { type: 'reasoning', id, summary: [{ type: 'summary_text', text: KEPT }] }
  throw new Error(`no stand-in for ${id}`)
}

/** The texts of the client, the model and the tools. */
function textsOf(request: object): string[] {
  const { input, instructions } = request as { input?: string | Item[]; instructions?: string }
  if (!Array.isArray(input)) return [instructions ?? '', input ?? '']
  const texts = input.flatMap(({ type, content, output, arguments: given }) => {
    if (type === 'reasoning') return []
    const parts = Array.isArray(content) ? (content as Item[]).map(({ text }) => text) : [content]
    return [...parts, output, given]
  })
  return [instructions, ...texts].filter((text) => typeof text === 'string')
}

function asOfficial({ role, name, recipient, channel, contentType, constrained, content }: PromptMessage): Message {
  const type = constrained ? `<|constrain|>${contentType ?? ''}` : contentType
  return {
    role,
    content: content as never,
    ...(name !== undefined && { name }),
    ...(recipient !== undefined && { recipient }),
    ...(channel !== undefined && { channel }),
    ...(type !== undefined && { content_type: type }),
  }
}
