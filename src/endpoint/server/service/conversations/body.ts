import { UnknownParts } from '../../../../core/diagnostics/unknown-parts.js'
import type { ParsedInputItem, ParsedRequest } from '../../../../core/responses/parsed-request.js'
import { isFields } from '../../../../shared/fields.js'
import {
  arrayTooLong,
  invalidType,
  missingParameter,
  RequestError,
  unknownParameter,
  withParam,
} from '../../../../shared/request-error.js'
import { notAnObject } from '../../../request/parse-request.js'
import type { Caller } from '../caller.js'
import { parseBody } from '../parse-body.js'
import type { Setup } from '../setup.js'

/** The most items that one request adds to a conversation, as at OpenAI. */
const MAX_ITEMS = 20

/** The checked body of a request about a conversation. */
export interface ConversationBody {
  readonly items: readonly ParsedInputItem[]
  readonly metadata: { readonly [name: string]: string }
}

/**
 * Checks the body of a request about a conversation, as a response's is checked.
 *
 * @param fields - the fields that it may have; the first of them is required if `isRequired`
 * @throws RequestError
 */
export async function parseConversation(
  setup: Setup,
  body: unknown,
  caller: Pick<Caller, 'signal'>,
  fields: readonly ('items' | 'metadata')[],
  isRequired: boolean,
): Promise<ConversationBody> {
  if (!isFields(body)) throw notAnObject(body)
  const [required] = fields
  if (isRequired && required !== undefined && body[required] === undefined) throw missingParameter(required)
  reportUnknown(setup, body, fields)
  const items = (fields.includes('items') ? body['items'] : undefined) ?? []
  if (!Array.isArray(items)) throw invalidType('items', 'an array of objects', items)
  if (items.length > MAX_ITEMS) throw arrayTooLong('items', MAX_ITEMS, items.length)
  const parsed = await parseItems(setup, { input: items, metadata: body['metadata'] ?? {}, generate: false }, caller)
  return { items: (parsed.input ?? []) as readonly ParsedInputItem[], metadata: parsed.metadata ?? {} }
}

/** @throws RequestError if unknown fields are refused */
function reportUnknown({ options, notice }: Setup, body: object, fields: readonly string[]): void {
  const unknown = new UnknownParts()
  for (const [name, value] of Object.entries(body)) {
    if (value === null || fields.includes(name)) continue
    if (options.request?.unknown === 'refuse') throw unknownParameter(name)
    unknown.add([name])
  }
  const diagnostic = unknown.diagnostic()
  if (diagnostic !== undefined) notice(diagnostic)
}

async function parseItems(setup: Setup, body: object, caller: Pick<Caller, 'signal'>): Promise<ParsedRequest> {
  try {
    return await parseBody(setup, body, caller)
  } catch (error) {
    throw inItems(error)
  }
}

/** Returns an error about the input of a request as one about `items`. */
export function inItems(error: unknown): unknown {
  if (!(error instanceof RequestError) || !/^input\b/.test(error.param ?? '')) return error
  return withParam(error, `items${error.param?.slice('input'.length)}`)
}
