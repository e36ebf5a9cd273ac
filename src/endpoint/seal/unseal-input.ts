import type { ApprovedCall } from '../../core/options/options.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, having, oneOf } from '../../shared/options/checks.js'
import { invalidType, stringTooLong } from '../../shared/request-error.js'
import { atOnce, createWork, type Slices, type Work } from '../../shared/slices.js'
import { aCaller } from './caller.js'
import type { Seal } from './seal.js'
import { beginningOf } from './sealed-text.js'

/** Options of `unsealInput`. */
export interface UnsealInputOptions {
  /** The seal that opens the content: the one that `createSeal` made. */
  readonly seal: Seal
  /** The owner of the request. */
  readonly caller: string
  /**
   * How to treat foreign content: sealed by another server, or by this one with a removed key. `refuse` (default): an
   * error. `ignore`: the model continues without the text, and the call is not approved.
   */
  readonly foreign?: 'refuse' | 'ignore'
  /** Called with the place in the request of each ignored content: `input[3].encrypted_content`. */
  readonly onForeign?: (param: string) => void
}

const UNSEAL_INPUT_OPTIONS: OptionTable<UnsealInputOptions> = {
  seal: having(['unseal', 'isForeign'], 'a seal, of createSeal'),
  caller: aCaller,
  foreign: oneOf('refuse', 'ignore'),
  onForeign: aFunction,
}

/** The `encrypted_content` of an item, its text, and how its response was sampled, if the seal records that. */
export interface UnsealedEntry {
  /** The content as the client sent it. */
  readonly sealed: string
  /** The text in it. */
  readonly text: string
  /** How the response's messages were sampled. Absent if the seal did not record it. */
  readonly form?: string
}

/** The opened content of a request's input. */
export interface UnsealedInput {
  /** The contents of the reasoning and compaction items, in order: for `history` of `renderPrompt`. */
  readonly history: readonly UnsealedEntry[]
  /** The call of each sealed approval request that the input contains or answers, as it was sealed. */
  readonly requestedCalls: readonly ApprovedCall[]
  /**
   * The calls that the user approved and that have no `mcp_call` in the input yet: to be run, and for the translator's
   * option of this name. Nothing here prevents a client from omitting a call and approving it again.
   */
  readonly approvedCalls: readonly ApprovedCall[]
}

/**
 * Opens the sealed content of a request's input. Items that are malformed in other ways are left to their reader.
 *
 * @throws RequestError `invalid_encrypted_content`, with its `param`, if something cannot be opened; `invalid_type` if
 * it is not a string, `string_above_max_length` if it is longer than 2 MiB; HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { renderPrompt } from 'harmony-responses/prompt'
 * import { createSeal, unsealInput } from 'harmony-responses/seal'
 *
 * const seal = createSeal([{ id: '2026-11', key: sealKey }])
 * const { history } = unsealInput(request.input, { seal, caller: userId })
 * const prompt = renderPrompt(request, { tokenTable: await loadTokenTable(), date: '2026-01-31', history })
 * ```
 */
export function unsealInput(input: ResponseRequest['input'], options: UnsealInputOptions): UnsealedInput {
  return atOnce(unsealInputInSlices(input, options, createWork()))
}

/** The cost of an item, and how many characters are opened in the time that encoding one takes. */
const ITEM = 4
const OPENED = 4

/** Does the same in slices. Opening one content is not divided. */
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
    // Other ids belong to requests that the server stores itself.
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
      // If answers conflict, denial wins.
      if (openCall(id, `${at}.approval_request_id`)) {
        answers.set(id, answers.get(id) !== false && fieldOf(item, 'approve') === true)
      }
    }
  }
  const requestedCalls = [...calls.values()]
  const isApproved = ({ approvalRequestId: id }: ApprovedCall): boolean => answers.get(id) === true && !done.has(id)
  return { history, requestedCalls, approvedCalls: requestedCalls.filter(isApproved) }
}

/** The longest content, since each is opened in one go: 1 MB takes 40 ms. The longest reasoning takes 0.9 MB. */
const MAX_LENGTH = 2_097_152

/** @throws RequestError */
function checkLength(sealed: string, param: string): void {
  if (sealed.length > MAX_LENGTH) throw stringTooLong(param, MAX_LENGTH, sealed.length)
}

function fieldOf(item: unknown, name: string): unknown {
  return typeof item === 'object' && item !== null && Object.hasOwn(item, name)
    ? (item as Readonly<Record<string, unknown>>)[name]
    : undefined
}
