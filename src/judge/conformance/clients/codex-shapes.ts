import { type Fields, isFields } from '../../../shared/fields.js'
import { asFields } from '../stream-event.js'

/** A value that Codex cannot read. */
export interface Flaw {
  /** The field, and what Codex needs in it. */
  readonly expected: string
  readonly got: unknown
}

/** Returns the flaw that makes Codex drop a done item. Undefined if Codex can read it, or ignores its type. */
export function flawOfItem(item: Fields): Flaw | undefined {
  const { type } = item
  const half = halfCharacterIn(item)
  if (half !== undefined) return half
  if (type === 'message') return flawOfMessage(item)
  if (type === 'reasoning') return flawOfReasoning(item)
  if (type !== 'function_call' && type !== 'custom_tool_call') return undefined
  return (
    texts(item, 'name', 'call_id', type === 'function_call' ? 'arguments' : 'input') ??
    textsOrNone(item, 'id', 'status', 'namespace')
  )
}

/** Returns the flaw that makes Codex fail at a completed response. Undefined if it can read it. */
export function flawOfCompleted(response: unknown): Flaw | undefined {
  if (!isFields(response)) return { expected: 'response: an object', got: response }
  const { id, usage = null, end_turn: ends = null } = response
  if (typeof id !== 'string') return { expected: 'response.id: a string', got: id }
  if (ends !== null && typeof ends !== 'boolean') return { expected: 'response.end_turn: a boolean', got: ends }
  return usage === null ? undefined : flawOfUsage(usage)
}

/** Values nested deeper are not searched. */
const MAX_DEPTH = 100

/** Finds half a surrogate pair. Its JSON parser refuses all of an event with one, so that Codex ignores it. */
export function halfCharacterIn(value: unknown, depth = 0): Flaw | undefined {
  if (typeof value === 'string') {
    return /\p{Surrogate}/u.test(value) ? { expected: 'no half of a surrogate pair', got: value } : undefined
  }
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined
  for (const inside of Object.values(value)) {
    const flaw = halfCharacterIn(inside, depth + 1)
    if (flaw !== undefined) return flaw
  }
  return undefined
}

function flawOfMessage(item: Fields): Flaw | undefined {
  const { role, phase = null, content } = item
  if (role !== 'assistant') return { expected: 'role: "assistant"', got: role }
  if (phase !== null && phase !== 'commentary' && phase !== 'final_answer') {
    return { expected: 'phase: "commentary", "final_answer" or none', got: phase }
  }
  return textsOrNone(item, 'id', 'status') ?? parts('content', content, flawOfContent)
}

function flawOfContent(part: Fields): Flaw | undefined {
  const { type, annotations = null, logprobs = null } = part
  if (type === 'input_image') return texts(part, 'image_url')
  if (type !== 'output_text' && type !== 'input_text') return { expected: 'type: "output_text"', got: type }
  if (type === 'input_text') return texts(part, 'text')
  if (annotations !== null && !Array.isArray(annotations)) {
    return { expected: 'annotations: an array or none', got: annotations }
  }
  if (logprobs !== null && !Array.isArray(logprobs)) return { expected: 'logprobs: an array or none', got: logprobs }
  return texts(part, 'text')
}

function flawOfReasoning(item: Fields): Flaw | undefined {
  const { summary, content = null } = item
  return (
    textsOrNone(item, 'id', 'encrypted_content') ??
    parts('summary', summary, (part) => flawOfThought(part, 'summary_text')) ??
    (content === null
      ? undefined
      : parts('content', content, (part) => flawOfThought(part, part['type'] === 'text' ? 'text' : 'reasoning_text')))
  )
}

function flawOfThought(part: Fields, type: string): Flaw | undefined {
  return part['type'] === type ? texts(part, 'text') : { expected: `type: "${type}"`, got: part['type'] }
}

function flawOfUsage(usage: unknown): Flaw | undefined {
  if (!isFields(usage)) return { expected: 'usage: an object or null', got: usage }
  const { input_tokens_details: input = null, output_tokens_details: output = null } = usage
  return (
    integers(usage, 'input_tokens', 'output_tokens', 'total_tokens') ??
    details('input_tokens_details', input, 'cached_tokens') ??
    details('output_tokens_details', output, 'reasoning_tokens')
  )
}

function details(name: string, given: unknown, needed: string): Flaw | undefined {
  if (given === null) return undefined
  if (!isFields(given)) return { expected: `usage.${name}: an object or none`, got: given }
  const { cache_write_tokens: written = 0 } = asFields(given)
  if (!Number.isInteger(written)) return { expected: 'usage.cache_write_tokens: an integer', got: written }
  return integers(given, needed)
}

/** The first flaw in a list of objects. */
function parts(name: string, given: unknown, flawOf: (part: Fields) => Flaw | undefined): Flaw | undefined {
  if (!Array.isArray(given)) return { expected: `${name}: an array`, got: given }
  for (const [index, part] of (given as unknown[]).entries()) {
    const flaw = isFields(part) ? flawOf(part) : { expected: 'an object', got: part }
    if (flaw === undefined) continue
    return { ...flaw, expected: `${name}[${index}]${isFields(part) ? '.' : ': '}${flaw.expected}` }
  }
  return undefined
}

function texts(fields: Fields, ...names: string[]): Flaw | undefined {
  const name = names.find((name) => typeof fields[name] !== 'string')
  return name === undefined ? undefined : { expected: `${name}: a string`, got: fields[name] }
}

function textsOrNone(fields: Fields, ...names: string[]): Flaw | undefined {
  const name = names.find((name) => typeof (fields[name] ?? '') !== 'string')
  return name === undefined ? undefined : { expected: `${name}: a string or none`, got: fields[name] }
}

function integers(fields: Fields, ...names: string[]): Flaw | undefined {
  const name = names.find((name) => !Number.isInteger(fields[name]))
  return name === undefined ? undefined : { expected: `usage.${name}: an integer`, got: fields[name] }
}
