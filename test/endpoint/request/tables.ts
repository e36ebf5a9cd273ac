import type { z } from 'zod'
import { FIELDS, type Field } from '../../../src/endpoint/request/fields.js'
import { ITEMS } from '../../../src/endpoint/request/schemas/input.js'
import { TOOLS } from '../../../src/endpoint/request/schemas/tools.js'
import { errorOf } from './errors.js'

/** Bodies that are wrong, one for each code and wording. */
const WRONG: readonly object[] = [
  {},
  { input: [{ role: 'user' }] },
  { input: [{ role: 'user', content: null }] },
  { input: 'hi', max_output_tokens: '100' },
  { input: 'hi', reasoning: { effort: 'huge' } },
  { input: [{ role: 'human', content: 'hi' }] },
  { input: 'hi', max_output_tokens: 0 },
  { input: 'hi', temperature: 5 },
  { input: [{ type: 'function_call_output', call_id: '', output: '' }] },
  { input: 'hi', tools: [{ type: 'function', name: 'get weather' }] },
  { input: 'hi', tools: [{ type: 'function', function: { name: 'f' } }] },
  { input: 'hi', tool_choice: 'required' },
  { input: 'hi', tool_choice: { type: 'function', name: 'f' } },
  { input: 'hi', previous_response_id: 'resp_1', conversation: 'conv_1' },
  { input: 'hi', background: true, store: false },
  { input: 'hi', moderation: { model: 'omni-moderation-latest' } },
  { messages: [] },
]

/** The tables of docs/request.md, by the name of the comment around them. */
export function tables(): Readonly<Record<string, string>> {
  return {
    parameters: table(['parameter', 'what happens', 'allowed'], Object.entries(FIELDS).sort().map(parameterRow)),
    items: table(['item', 'has to have'], Object.entries(ITEMS).sort().map(requiredRow)),
    tools: table(['tool', 'has to have'], Object.entries(TOOLS).sort().map(requiredRow)),
    errors: table(['body', '`param`', '`code`', 'message'], WRONG.map(errorRow)),
  }
}

function parameterRow([name, { support, does, allows = '', sentBy }]: [string, Field]): string[] {
  const who = sentBy === undefined ? '' : ` Sent by ${sentBy}.`
  return [`\`${name}\``, `*${support}*: ${does}.${who}`, allows]
}

function requiredRow([type, schema]: [string, z.ZodType]): string[] {
  const required = requiredOf(schema).filter((field) => field !== 'type')
  return [`\`${type}\``, required.map((field) => `\`${field}\``).join(', ') || 'no more']
}

/** The fields that an object cannot do without. */
export function requiredOf(schema: z.ZodType): string[] {
  const { shape } = (schema as z.ZodPipe<z.ZodType, z.ZodObject>).out
  return Object.keys(shape).filter((field) => shape[field]?._zod.optin === undefined)
}

function errorRow(body: object): string[] {
  const { param, code, message } = errorOf(body).body.error
  return [`\`${JSON.stringify(body)}\``, code === null && param === null ? '' : `\`${param}\``, `\`${code}\``, message]
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}
