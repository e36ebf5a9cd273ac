import { type Fields, isFields } from '../../../../src/shared/fields.js'
import type { NamedStream } from '../streams.js'

const DELTAS: Readonly<Record<string, readonly [block: string, field: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['thinking', 'signature'],
  input_json_delta: ['tool_use', 'partial_json'],
  citations_delta: ['text', 'citation'],
}

/**
 * Whether a damaged stream is one that a server may well have meant: a lost word, or a stop_reason that Anthropic gives
 * as well, makes another answer of it, and a client that shows that answer is not broken. The model decides whether the
 * input of a call is JSON. Independent of the judge, which is measured with this.
 */
export function isGood(stream: NamedStream['events']): boolean {
  const events = (stream as readonly unknown[]).filter((event) => !isFields(event) || event['type'] !== 'ping')
  if (!events.every(isFields)) return false
  const last = events.at(-1) as Fields | undefined
  if (last?.['type'] === 'error') {
    const { error } = last
    const isWhole = isFields(error) && typeof error['message'] === 'string'
    return isWhole && follow(events.slice(0, -1)) !== undefined
  }
  return follow(events)?.isOver === true
}

/** Follows the events of one message; undefined where they follow none of the rules. */
function follow(events: readonly Fields[]): { readonly isOver: boolean } | undefined {
  let open: { type: string; given: string } | undefined
  let [blocks, calls] = [0, 0]
  let reason: unknown
  let isOver = false
  for (const [at, event] of events.entries()) {
    const { type, index, message, content_block: block, delta, usage } = event
    if (isOver || (at === 0) !== (type === 'message_start') || 'error' in event) return undefined
    switch (type) {
      case 'message_start': {
        if (!isFields(message) || !isCounts(message['usage'], ['input_tokens', 'output_tokens'])) return undefined
        const { id, role, model, content, stop_reason } = message
        if (!Array.isArray(content) || content.length > 0 || stop_reason !== null || role !== 'assistant')
          return undefined
        if (![id, model].every((text) => typeof text === 'string' && text !== '')) return undefined
        break
      }
      case 'content_block_start': {
        if (open !== undefined || index !== blocks || reason !== undefined || !isFields(block)) return undefined
        blocks++
        open = { type: String(block['type']), given: '' }
        if (!isBlock(block)) return undefined
        if (block['type'] === 'tool_use') calls++
        break
      }
      case 'content_block_delta': {
        if (open === undefined || index !== blocks - 1 || !isFields(delta)) return undefined
        const [of, field = ''] = DELTAS[String(delta['type'])] ?? []
        const isContent = field === 'citation' ? isCitation(delta[field]) : typeof delta[field] === 'string'
        if (of === undefined || !isContent) return undefined
        const isCall = of === 'tool_use' && /_use$/.test(open.type)
        if (!isCall && of !== open.type) return undefined
        if (isCall) open.given += delta[field]
        break
      }
      case 'content_block_stop':
        if (open === undefined || index !== blocks - 1 || /^\s*"\s*\{/.test(open.given)) return undefined
        if (open.type === 'tool_use' && !isInput(open.given)) return undefined
        open = undefined
        break
      case 'message_delta': {
        if (open !== undefined || reason !== undefined || !isFields(delta)) return undefined
        if (!isCounts(usage, ['output_tokens'])) return undefined
        const { stop_reason, stop_sequence } = delta
        if (!/^(end_turn|tool_use|max_tokens|stop_sequence|refusal|pause_turn)$/.test(String(stop_reason)))
          return undefined
        if ((stop_reason === 'stop_sequence') !== (typeof stop_sequence === 'string')) return undefined
        if (stop_reason === 'tool_use' ? calls === 0 : stop_reason === 'end_turn' && calls > 0) return undefined
        reason = stop_reason
        break
      }
      case 'message_stop':
        if (reason === undefined) return undefined
        isOver = true
        break
      default:
        return undefined
    }
  }
  return { isOver }
}

/** Whether a page of the web is cited as Anthropic documents it. */
function isCitation(citation: unknown): boolean {
  if (!isFields(citation)) return false
  const { type, url, title, cited_text, encrypted_index } = citation
  const isPage = type === 'web_search_result_location' && typeof url === 'string' && url !== ''
  const hasTitle = title === null || typeof title === 'string'
  return isPage && hasTitle && typeof cited_text === 'string' && typeof encrypted_index === 'string'
}

function isBlock({ type, id, name, input, text, thinking }: Fields): boolean {
  if (type === 'text') return text === ''
  if (type === 'thinking') return thinking === ''
  if (type !== 'tool_use') return true
  const isNamed = typeof id === 'string' && id !== '' && typeof name === 'string' && name !== ''
  return isNamed && isFields(input) && Object.keys(input).length === 0
}

/** Whether a call can be run with this input: if not, that is the model's mistake, unless a piece was lost. */
function isInput(text: string): boolean {
  try {
    return text === '' || isFields(JSON.parse(text))
  } catch {
    return false
  }
}

const isCounts = (usage: unknown, names: readonly string[]): boolean =>
  isFields(usage) && names.every((name) => typeof usage[name] === 'number')
