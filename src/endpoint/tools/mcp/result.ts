import type { CallResult } from '../../../core/responses/call-result.js'
import { type Fields, isFields } from '../../../shared/fields.js'
import { bounded } from './bounded.js'
import { NotAResult } from './failure.js'
import { isTooDeep } from './too-deep.js'

/** The fields of a result. Anything else without content is no result. */
const KNOWN = ['content', 'structuredContent', 'isError', '_meta', 'resultType']

/** Whether a server's answer is the result of a tool. Content of kinds that are not known yet may be anything. */
function isToolResult(answer: unknown): answer is Fields {
  if (!isFields(answer)) return false
  const { content = [], structuredContent, isError = false } = answer
  if (typeof isError !== 'boolean' || !Array.isArray(content)) return false
  const isEmpty = content.length === 0 && structuredContent === undefined
  // An object without any of a result's fields is another answer.
  if (isEmpty && !isError && Object.keys(answer).some((key) => !KNOWN.includes(key))) return false
  return content.every((block) => Object(block).type !== 'text' || typeof block.text === 'string')
}

/**
 * Returns an MCP server's answer as text for the model.
 *
 * @param max - the limit in bytes of UTF-8
 * @param conceal - removes secrets from the text of an error. It gets all of it: a part may end within one
 * @throws NotAResult
 */
export function resultOf(answer: unknown, max: number, conceal: (text: string) => string): CallResult {
  if (!isToolResult(answer)) throw new NotAResult()
  const { content, structuredContent, isError } = answer
  const text = contentText(Array.isArray(content) ? content : [], structuredContent)
  if (isError !== true) return { output: bounded(text, max) }
  return { error: { message: bounded(conceal(text), max) || 'The tool failed and did not say why.' } }
}

/** Returns the content as text. Structured content repeats the texts, so it is shown only if there are none. */
function contentText(blocks: readonly unknown[], structured: unknown): string {
  const parts = blocks.map((block) => describe((typeof block === 'object' && block !== null ? block : {}) as Fields))
  const hasText = parts.some(({ isText }) => isText)
  const first = hasText || structured === undefined ? [] : [jsonOf(structured)]
  return [...first, ...parts.map(({ text }) => text)].join('\n')
}

/** Writes structured content, unless that would overflow the stack. */
function jsonOf(structured: unknown): string {
  return isTooDeep(structured) ? note('structured content', 'nested too deeply').text : JSON.stringify(structured)
}

interface Part {
  readonly text: string
  /** Whether it is the tool's own text, not a note about content that gpt-oss cannot see. */
  readonly isText: boolean
}

function describe(block: Fields): Part {
  switch (block['type']) {
    case 'text':
      return { text: String(block['text']), isText: true }
    case 'image':
    case 'audio':
      return note(String(block['type']), block['mimeType'], sizeOf(block['data']))
    case 'resource': {
      const { text, blob, uri, mimeType } = Object(block['resource']) as Fields
      return typeof text === 'string' ? { text, isText: true } : note('resource', uri, mimeType, sizeOf(blob))
    }
    case 'resource_link':
      return note('resource', block['uri'], block['title'] ?? block['name'], block['description'], block['mimeType'])
    default:
      return note('content', block['type'])
  }
}

/** Writes a note such as `[image: image/png, 2048 bytes]`. */
function note(kind: string, ...facts: readonly unknown[]): Part {
  const known = facts.filter((fact) => typeof fact === 'string' && fact !== '').join(', ')
  return { text: known === '' ? `[${kind}]` : `[${kind}: ${known}]`, isText: false }
}

function sizeOf(base64: unknown): string | undefined {
  if (typeof base64 !== 'string') return undefined
  const padding = /={0,2}$/.exec(base64)?.[0].length ?? 0
  return `${Math.floor((base64.length * 3) / 4) - padding} bytes`
}
