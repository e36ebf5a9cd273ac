import { check } from '../../../shared/errors.js'
import type { Fields } from '../../../shared/fields.js'
import { plainCopy } from '../../../shared/plain-copy.js'
import { lookUp } from '../../recipients/policy.js'
import { PREFIXES } from '../prefixes.js'
import type { HostItem, Typed } from './inserted-item.js'

/** A complete item of the API, of any type. The translator adds an `id` if it has none. */
export type CompleteItem = Typed | (Typed & { readonly [field: string]: unknown })

/**
 * Creates an item of the host's own, for `translator.insert(hostItem(item))`: a compaction, a file search, an image, a
 * message. Most types get only `added` and `done`; types with events of their own get those that calls of a model have.
 *
 * @throws HarmonyResponsesError `bad_option` if it is not plain data or has no type, or if a field is wrong that clients
 *   read without checking
 *
 * @example
 * ```ts
 * import { Translator } from 'harmony-responses'
 * import { hostItem } from 'harmony-responses/items'
 *
 * const translator = new Translator({ request })
 * send(translator.insert(hostItem({ type: 'compaction', encrypted_content: 'sealed' })))
 * ```
 */
export function hostItem(item: CompleteItem): HostItem {
  const { type, id } = Object(item) as Partial<Typed>
  check(typeof type === 'string' && type !== '', 'hostItem', 'an item with a type', item)
  check(id === undefined || (typeof id === 'string' && id !== ''), 'hostItem: id', 'a string', id)
  const copy = plainCopy('hostItem', item) as Typed & Fields
  return { prefix: lookUp(PREFIXES, type) ?? 'item', whole: { ...copy, ...lookUp(CHECKED, type)?.(copy) } }
}

/** Checks the fields that an item's events are derived from (`completion/item-events.ts`), and fills in those it lacks. */
const CHECKED: Readonly<Record<string, (item: Fields) => Fields>> = {
  message: (item) => ({
    content: partsIn(item, 'content').map((part) =>
      part['type'] === 'refusal' ? filledPart(part, 'refusal') : answerPart(part),
    ),
  }),
  reasoning: (item) => ({
    content: partsIn(item, 'content').map((part) => filledPart(part, 'text')),
    summary: partsIn(item, 'summary').map((part) => filledPart(part, 'text')),
  }),
  function_call: (item) => ({ arguments: textIn(item, 'arguments') }),
  custom_tool_call: (item) => ({ input: textIn(item, 'input') }),
  mcp_call: (item) => ({ arguments: textIn(item, 'arguments') }),
  // Null if the client may not see the code.
  code_interpreter_call: (item) => ({ code: item['code'] === null ? null : textIn(item, 'code') }),
  shell_call(item) {
    const { commands } = Object(item['action']) as Fields
    const isList = Array.isArray(commands) && commands.every((command) => typeof command === 'string')
    check(isList, 'hostItem: action.commands', 'an array of strings', commands)
    return {}
  },
  shell_call_output: (item) => ({ output: objectsIn(item, 'output') }),
}

function textIn(item: Fields, field: string): string {
  const text = item[field] ?? ''
  check(typeof text === 'string', `hostItem: ${field}`, 'a string', text)
  return text
}

function objectsIn(item: Fields, field: string): readonly Fields[] {
  const list = item[field] ?? []
  const isList = Array.isArray(list) && list.every((entry) => Object(entry) === entry)
  check(isList, `hostItem: ${field}`, 'an array of objects', list)
  return list
}

function partsIn(item: Fields, field: string): readonly Fields[] {
  const parts = item[field] ?? []
  const isList = Array.isArray(parts) && parts.every((part) => typeof Object(part).type === 'string')
  check(isList, `hostItem: ${field}`, 'an array of parts with types', parts)
  return parts
}

function filledPart(part: Fields, field: 'text' | 'refusal'): Fields {
  return part['type'] === 'output_text' ? answerPart(part) : { ...part, [field]: textIn(part, field) }
}

/** Whatever the type of a part of an answer is, its events are those of text. */
function answerPart(part: Fields): Fields {
  const logprobs = objectsIn(part, 'logprobs')
  return {
    ...part,
    text: textIn(part, 'text'),
    annotations: objectsIn(part, 'annotations'),
    logprobs: logprobs.map((logprob) => ({ ...logprob, top_logprobs: objectsIn(logprob, 'top_logprobs') })),
  }
}
