import { describe } from '../../../../shared/errors.js'
import { type Fields, isFields } from '../../../../shared/fields.js'
import { asFields, asList } from '../../stream-event.js'
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
  const read = typeof type === 'string' && Object.hasOwn(READERS, type) ? READERS[type] : undefined
  if (read === undefined) fields.id()
  else read(fields)
  return value
}

const STATUSES = ['in_progress', 'completed', 'incomplete'] as const

const READERS: Readonly<Record<string, (fields: FieldReader) => void>> = {
  message(fields) {
    fields.id()
    fields.oneOf('role', ['assistant'])
    fields.oneOf('status', STATUSES)
    for (const part of fields.list('content')) {
      part.oneOf('type', ['output_text', 'refusal'])
      part.text(part.fields['type'] === 'refusal' ? 'refusal' : 'text')
    }
  },
  reasoning(fields) {
    fields.id()
    for (const part of fields.list('summary')) part.text('text')
  },
  function_call(fields) {
    fields.id()
    fields.text('call_id')
    fields.text('name')
    fields.oneOf('status', STATUSES, 'or none')
    fields.text('arguments')
  },
  function_call_output(fields) {
    fields.id()
    fields.text('call_id')
    fields.oneOf('status', STATUSES, 'or null')
  },
  file_search_call: readHosted,
  web_search_call: readHosted,
  image_generation_call: readHosted,
  code_interpreter_call: readHosted,
  mcp_list_tools: (fields) => fields.id(),
  mcp_approval_request: (fields) => fields.id(),
  mcp_call(fields) {
    fields.id()
    fields.text('output', 'or null')
  },
  compaction(fields) {
    fields.text('id', 'or null')
    fields.text('encrypted_content')
    fields.text('created_by', 'or none')
  },
  computer_call(fields) {
    fields.id()
    fields.text('call_id')
    fields.oneOf('status', STATUSES)
  },
  shell_call(fields) {
    fields.text('id', 'or null')
    fields.text('call_id')
    fields.oneOf('status', STATUSES, 'or null')
    const { commands, timeout_ms: timeout, max_output_length: most } = asFields(fields.fields['action'])
    for (const command of asList(commands))
      fields.require(typeof command === 'string', 'action.commands[]', 'a string', command)
    fields.whole('action.timeout_ms', timeout)
    fields.whole('action.max_output_length', most)
  },
  shell_call_output(fields) {
    fields.text('id', 'or null')
    fields.text('call_id')
    if (fields.fields['status']) fields.oneOf('status', STATUSES)
    for (const output of asList(fields.fields['output'])) {
      const { exit_code: code, type } = asFields(asFields(output)['outcome'])
      if (typeof code === 'number' && type !== 'timeout') {
        fields.require(Number.isSafeInteger(code), 'output[].outcome.exit_code', 'a whole number', code)
      }
    }
  },
  apply_patch_call(fields) {
    fields.text('id', 'or null')
    fields.text('call_id')
    fields.oneOf('status', ['in_progress', 'completed'], 'or null')
    const operation = asFields(fields.fields['operation'])
    const { type, path, diff } = operation
    fields.require(
      /^(create|update|delete)_file$/.test(concatenated(type)),
      'operation.type',
      'one of its operations',
      type,
    )
    fields.require(typeof path === 'string', 'operation.path', 'a string', path)
    if (type !== 'delete_file') fields.require(typeof diff === 'string', 'operation.diff', 'a string', diff)
  },
  apply_patch_call_output(fields) {
    fields.text('id', 'or null')
    fields.text('call_id')
    fields.oneOf('status', ['completed', 'failed'])
  },
  tool_search_call(fields) {
    fields.id()
    fields.text('status', 'or none')
  },
  tool_search_output(fields) {
    fields.id()
    fields.text('status', 'or none')
    for (const tool of asList(fields.fields['tools'])) fields.require(isFields(tool), 'tools[]', 'an object', tool)
  },
  program(fields) {
    fields.id()
    for (const name of ['call_id', 'code', 'fingerprint']) fields.text(name)
  },
  program_output(fields) {
    fields.id()
    fields.text('call_id')
    fields.text('result')
    fields.oneOf('status', ['completed', 'incomplete'])
  },
}

function readHosted(fields: FieldReader): void {
  fields.id()
  fields.text('status', 'or none')
  // Only images have a result, but the SDK reads the field of any hosted call.
  fields.text('result', 'or null')
}

/** Reads the fields of one object, and throws with the path of a wrong field. */
class FieldReader {
  readonly fields: Fields
  readonly #place: string

  constructor(fields: Fields, place: string) {
    this.fields = fields
    this.#place = place
  }

  id(): void {
    this.text('id', 'or none')
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
