import { checkOptions, type OptionTable } from '../options/check-options.js'
import { aFunction, having, oneOf } from '../options/checks.js'
import { invalidType, stringTooLong } from '../request-error.js'
import type { ResponseRequest } from '../responses/request.js'
import { atOnce, createWork, type Slices, type Work } from '../slices.js'
import type { ApprovedCall } from '../translate/options/options.js'
import { aCaller } from './caller.js'
import type { Seal } from './seal.js'
import { beginningOf } from './sealed-text.js'

export interface UnsealInputOptions {
  readonly seal: Seal
  /** Whose request it is. */
  readonly caller: string
  /**
   * What becomes of content that something else sealed: another server, or this one with a key that it no longer has.
   * `refuse` (default): an error. `ignore`: the model goes on without the text, and the call is not approved.
   */
  readonly foreign?: 'refuse' | 'ignore'
  /** Receives where in the request each content stands that is ignored: `input[3].encrypted_content`. */
  readonly onForeign?: (param: string) => void
}

const UNSEAL_INPUT_OPTIONS: OptionTable<UnsealInputOptions> = {
  seal: having(['unseal', 'isForeign'], 'a seal, of createSeal'),
  caller: aCaller,
  foreign: oneOf('refuse', 'ignore'),
  onForeign: aFunction,
}

/** The `encrypted_content` of an item, the text in it, and how its response was sampled, if its seal has that. */
export interface UnsealedEntry {
  readonly sealed: string
  readonly text: string
  readonly form?: string
}

/** What a request's input brings back. */
export interface UnsealedInput {
  /** Of the reasoning and compaction items, in their order: for `history` of `renderPrompt`. */
  readonly history: readonly UnsealedEntry[]
  /** Each call of a sealed approval request that the input holds or answers, as it was sealed, answered or not. */
  readonly requestedCalls: readonly ApprovedCall[]
  /**
   * Those of them that the user approved and that have no `mcp_call` in the input yet: for the translator's option of
   * this name, and to be run. Nothing here keeps a client from leaving a call out and approving it again.
   */
  readonly approvedCalls: readonly ApprovedCall[]
}

/**
 * Opens what the items of a request's input carry. Items that are malformed otherwise are left to their reader.
 *
 * @throws RequestError `invalid_encrypted_content`, with its `param`, if something cannot be opened; `invalid_type` if
 *   it is not a string, `string_above_max_length` if it is longer than 2 MiB; HarmonyResponsesError `bad_option`
 */
export function unsealInput(input: ResponseRequest['input'], options: UnsealInputOptions): UnsealedInput {
  return atOnce(unsealInputInSlices(input, options, createWork()))
}

/** The cost of an item, and how many characters are opened in the time in which one is encoded. */
const ITEM = 4
const OPENED = 4

/** The same in slices: a content is opened in one. */
export function* unsealInputInSlices(
  input: ResponseRequest['input'],
  options: UnsealInputOptions,
  work: Work,
): Slices<UnsealedInput> {
  checkOptions('unsealInput', options, UNSEAL_INPUT_OPTIONS, ['seal', 'caller'])
  const { seal, caller, foreign = 'refuse', onForeign } = options

  const history: UnsealedEntry[] = []
  const calls = new Map<string, ApprovedCall>()
  const answers = new Map<string, boolean>()
  const done = new Set<unknown>()

  const isIgnored = (sealed: string, param: string): boolean => {
    if (foreign !== 'ignore' || !seal.isForeign(sealed)) return false
    onForeign?.(param)
    return true
  }
  const openText = (item: object, kind: 'reasoning' | 'compaction', param: string): void => {
    const sealed = fieldOf(item, 'encrypted_content')
    if (sealed === undefined || sealed === null || sealed === '') return
    if (typeof sealed !== 'string') throw invalidType(param, 'a string', sealed)
    if (isIgnored(sealed, param)) return
    const id = fieldOf(item, 'id')
    const itemId = typeof id === 'string' ? id : null
    checkLength(sealed, param)
    work.left -= sealed.length / OPENED
    const { text, form } = seal.unseal(sealed, { caller, kind, itemId, param })
    history.push({ sealed, text, ...(form !== undefined && { form }) })
  }
  const openCall = (id: unknown, param: string): id is string => {
    // Other ids are of requests that the server keeps itself.
    if (typeof id !== 'string' || beginningOf(id)?.kind !== 'approval') return false
    if (calls.has(id)) return true
    if (isIgnored(id, param)) return false
    checkLength(id, param)
    work.left -= id.length / OPENED
    const { serverLabel, name, arguments: text } = seal.unseal(id, { caller, kind: 'approval', param })
    calls.set(id, { approvalRequestId: id, serverLabel, name, arguments: text })
    return true
  }

  for (const [index, item] of (Array.isArray(input) ? input : []).entries()) {
    work.left -= ITEM
    if (work.left <= 0) yield* work.pause()
    const type = fieldOf(item, 'type')
    const at = `input[${index}]`
    if (type === 'reasoning' || type === 'compaction') openText(item, type, `${at}.encrypted_content`)
    else if (type === 'mcp_approval_request') openCall(fieldOf(item, 'id'), `${at}.id`)
    else if (type === 'mcp_call') done.add(fieldOf(item, 'approval_request_id'))
    else if (type === 'mcp_approval_response') {
      const id = fieldOf(item, 'approval_request_id')
      // On conflicting answers, denial wins.
      if (openCall(id, `${at}.approval_request_id`)) {
        answers.set(id, answers.get(id) !== false && fieldOf(item, 'approve') === true)
      }
    }
  }
  const requestedCalls = [...calls.values()]
  const isApproved = ({ approvalRequestId: id }: ApprovedCall): boolean => answers.get(id) === true && !done.has(id)
  return { history, requestedCalls, approvedCalls: requestedCalls.filter(isApproved) }
}

/** A content is opened in one go, in 40 ms for 1 MB. That of the longest reasoning has 0.9 MB. */
const LONGEST = 2_097_152

/** @throws RequestError */
function checkLength(sealed: string, param: string): void {
  if (sealed.length > LONGEST) throw stringTooLong(param, LONGEST, sealed.length)
}

function fieldOf(item: unknown, name: string): unknown {
  return typeof item === 'object' && item !== null && Object.hasOwn(item, name)
    ? (item as Readonly<Record<string, unknown>>)[name]
    : undefined
}
