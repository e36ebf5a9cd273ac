import { describe } from '../../../../shared/errors.js'
import { type Fields, isFields } from '../../../../shared/fields.js'
import { asFields, asList, asString, lookUp } from '../../stream-event.js'
import { concatenated } from '../mutable-text.js'
import { Thrown } from '../thrown.js'

/**
 * Requires the fields that the Agents SDK needs in an item of its type.
 *
 * @throws Thrown if the SDK throws
 */
export function readItem(value: unknown, place: string): Fields {
  // The SDK keeps items of unknown types if they are objects, with a string as id or no id.
  if (!isFields(value)) throw new Thrown('openai-agents-item', `${place} as an object`, value)
  const fields = new FieldReader(value, place)
  const { type } = value
  for (const check of lookUp(CHECKS, asString(type)) ?? [id]) check(fields)
  return value
}

type Check = (item: FieldReader) => void

/** Requires a string. */
const text =
  (name: string, optional?: Optional): Check =>
  (item) =>
    item.text(name, optional)

const oneOf =
  (name: string, values: readonly string[], optional?: Optional): Check =>
  (item) =>
    item.oneOf(name, values, optional)

const STATUSES = ['in_progress', 'completed', 'incomplete'] as const
const id = text('id', 'or none')
const ownId = text('id', 'or null')
const callId = text('call_id')
const status = oneOf('status', STATUSES)
const anyStatus = text('status', 'or none')
// Only images have a result, but the SDK reads the field of any hosted call.
const hosted = [id, anyStatus, text('result', 'or null')]

/** What the SDK requires of an item, by its type. */
const CHECKS: Readonly<Record<string, readonly Check[]>> = {
  message: [id, oneOf('role', ['assistant']), status, checkContent],
  reasoning: [id, checkSummary],
  function_call: [id, callId, text('name'), oneOf('status', STATUSES, 'or none'), text('arguments')],
  function_call_output: [id, callId, oneOf('status', STATUSES, 'or null')],
  file_search_call: hosted,
  web_search_call: hosted,
  image_generation_call: hosted,
  code_interpreter_call: hosted,
  mcp_list_tools: [id],
  mcp_approval_request: [id],
  mcp_call: [id, text('output', 'or null')],
  compaction: [ownId, text('encrypted_content'), text('created_by', 'or none')],
  computer_call: [id, callId, status],
  shell_call: [ownId, callId, oneOf('status', STATUSES, 'or null'), checkShellAction],
  shell_call_output: [ownId, callId, checkShellOutput],
  apply_patch_call: [ownId, callId, oneOf('status', ['in_progress', 'completed'], 'or null'), checkOperation],
  apply_patch_call_output: [ownId, callId, oneOf('status', ['completed', 'failed'])],
  tool_search_call: [id, anyStatus],
  tool_search_output: [id, anyStatus, checkTools],
  program: [id, callId, text('code'), text('fingerprint')],
  program_output: [id, callId, text('result'), oneOf('status', ['completed', 'incomplete'])],
}

function checkContent(item: FieldReader): void {
  for (const part of item.list('content')) {
    part.oneOf('type', ['output_text', 'refusal'])
    part.text(part.fields['type'] === 'refusal' ? 'refusal' : 'text')
  }
}

function checkSummary(item: FieldReader): void {
  for (const part of item.list('summary')) part.text('text')
}

function checkShellAction(item: FieldReader): void {
  const { commands, timeout_ms: timeout, max_output_length: length } = asFields(item.fields['action'])
  for (const command of asList(commands))
    item.require(typeof command === 'string', 'action.commands[]', 'a string', command)
  item.whole('action.timeout_ms', timeout)
  item.whole('action.max_output_length', length)
}

function checkShellOutput(item: FieldReader): void {
  if (item.fields['status']) item.oneOf('status', STATUSES)
  for (const output of asList(item.fields['output'])) {
    const { exit_code: code, type } = asFields(asFields(output)['outcome'])
    if (typeof code === 'number' && type !== 'timeout')
      item.require(Number.isSafeInteger(code), 'output[].outcome.exit_code', 'a whole number', code)
  }
}

function checkOperation(item: FieldReader): void {
  const { type, path, diff } = asFields(item.fields['operation'])
  const isKnown = /^(create|update|delete)_file$/.test(concatenated(type))
  item.require(isKnown, 'operation.type', 'one of its operations', type)
  item.require(typeof path === 'string', 'operation.path', 'a string', path)
  if (type !== 'delete_file') item.require(typeof diff === 'string', 'operation.diff', 'a string', diff)
}

function checkTools(item: FieldReader): void {
  for (const tool of asList(item.fields['tools'])) item.require(isFields(tool), 'tools[]', 'an object', tool)
}

/** Reads the fields of one object, and throws with the path of a wrong field. */
class FieldReader {
  readonly fields: Fields
  readonly #place: string

  constructor(fields: Fields, place: string) {
    this.fields = fields
    this.#place = place
  }

  text(name: string, optional?: Optional): void {
    const value = this.fields[name]
    this.require(typeof value === 'string' || isLeftOut(value, optional), name, words('a string', optional), value)
  }

  oneOf(name: string, values: readonly string[], optional?: Optional): void {
    const value = this.fields[name]
    const isOne = values.includes(value as string) || isLeftOut(value, optional)
    this.require(isOne, name, words(values.map((one) => JSON.stringify(one)).join(', '), optional), value)
  }

  whole(name: string, value: unknown): void {
    const isWhole = typeof value !== 'number' || (Number.isSafeInteger(value) && value >= 0)
    this.require(isWhole, name, 'a whole number from 0', value)
  }

  /** The elements of a list of objects. */
  list(name: string): FieldReader[] {
    const value = this.fields[name]
    this.require(Array.isArray(value), name, 'an array', value)
    return asList(value).map((element, index) => {
      const place = `${name}[${index}]`
      this.require(isFields(element), place, 'an object', element)
      return new FieldReader(asFields(element), `${this.#place}.${place}`)
    })
  }

  require(is: boolean, name: string, expected: string, got: unknown): void {
    if (!is) throw new Thrown('openai-agents-item', `${this.#place}.${name}: ${expected}`, undefined, describe(got))
  }
}

/** `or none`: the field may be missing. `or null`: it may be missing or null. */
type Optional = 'or none' | 'or null'

const isLeftOut = (value: unknown, optional: Optional | undefined): boolean =>
  (value === undefined && optional !== undefined) || (value === null && optional === 'or null')

const words = (expected: string, optional: Optional | undefined): string =>
  optional === undefined ? expected : `${expected}, ${optional}`
