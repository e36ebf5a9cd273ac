import type { ApprovedCall } from '../../../../core/options/options.js'
import type { InputItem } from '../../../../core/responses/input-items.js'
import type { McpApprovalRequestItem } from '../../../../core/responses/items.js'
import { RequestError } from '../../../../shared/request-error.js'
import type { ResponseStore } from '../../../stores/store.js'

/** Items with the place of each in the request; undefined if the request did not bring the item. */
export interface ItemsInPlace {
  readonly input: readonly InputItem[]
  readonly places: readonly (number | undefined)[]
}

/**
 * Returns the stored calls for the request's approval requests, as the model wrote them, by the responses that made
 * them. Sealed ones are not included. Those of one response are in its order where the request does not show it.
 *
 * @param shown - the approval requests that the conversation contains
 */
export async function requestedInStore(
  items: readonly InputItem[],
  shown: ReadonlySet<string>,
  { owner, store }: { readonly owner: string; readonly store: Pick<ResponseStore, 'find' | 'findItem'> },
): Promise<ApprovedCall[][]> {
  const ids = new Set(items.flatMap((item) => approvalRequestId(item) ?? []))
  const byResponse = new Map<string, ApprovedCall[]>()
  for (const id of ids) {
    const found = await store.findItem(id, owner)
    const request = found?.isOutput ? found.item : undefined
    if (found === undefined || request?.type !== 'mcp_approval_request') continue
    // The types have been compared.
    const { server_label: serverLabel, name, arguments: text } = request as McpApprovalRequestItem
    const calls = byResponse.get(found.responseId) ?? []
    byResponse.set(found.responseId, calls)
    calls.push({ approvalRequestId: id, serverLabel, name, arguments: text })
  }
  for (const [responseId, calls] of byResponse) {
    if (calls.filter((call) => !shown.has(call.approvalRequestId)).length < 2) continue
    const found = await store.find(responseId, owner)
    if (found?.state !== 'finished') continue
    const { added, response } = found.finished
    const nths = new Map(added.concat(response.output as readonly InputItem[]).map(({ id }, nth) => [id, nth]))
    const nthOf = (call: ApprovedCall): number => nths.get(call.approvalRequestId) ?? nths.size
    calls.sort((a, b) => nthOf(a) - nthOf(b))
  }
  return [...byResponse.values()]
}

/** Returns the approval requests that a conversation contains, if its last items answer any. */
export function requestsShown(before: readonly InputItem[], items: readonly InputItem[]): ReadonlySet<string> {
  const shown = new Set<string>()
  if (!items.some(({ type }) => type === 'mcp_approval_response')) return shown
  for (const part of [before, items])
    for (const item of part) if (item.type === 'mcp_approval_request' && item.id) shown.add(item.id)
  return shown
}

/** Returns the id of the approval request that an item is or answers. */
function approvalRequestId(item: InputItem): string | undefined {
  if (item.type === 'mcp_approval_response') return item.approval_request_id
  return item.type === 'mcp_approval_request' ? item.id : undefined
}

/**
 * Returns the items with each approval request in its original form: the model must not read a client's copy, which may
 * differ. A client that sends only answers, like the AI SDK, need not send the requests: those of one response stand
 * before the first answer to one of them.
 *
 * @param items - the items of the request
 * @param shown - the approval requests that the conversation contains
 * @param requested - the calls of the requests, together if one response made them
 */
export function withRequests(
  items: readonly InputItem[],
  shown: ReadonlySet<string>,
  requested: readonly (readonly ApprovedCall[])[],
): ItemsInPlace {
  const known = new Map(
    requested.flatMap((group) => group.map((call) => [call.approvalRequestId, { call, group }] as const)),
  )
  const answered = new Set(
    items.flatMap((item) => (item.type === 'mcp_approval_response' ? [item.approval_request_id] : [])),
  )
  const added = new Set<string>()
  const input: InputItem[] = []
  const places: (number | undefined)[] = []
  const add = (item: InputItem, place: number | undefined): void => {
    input.push(item)
    places.push(place)
  }
  for (const [index, item] of items.entries()) {
    const id = approvalRequestId(item) ?? ''
    const { call, group = [] } = known.get(id) ?? {}
    if (item.type === 'mcp_approval_request' && call !== undefined) {
      add(requestItem(call), index)
      continue
    }
    for (const each of shown.has(id) || added.has(id) ? [] : group) {
      if (shown.has(each.approvalRequestId) || !answered.has(each.approvalRequestId)) continue
      added.add(each.approvalRequestId)
      add(requestItem(each), undefined)
    }
    add(item, index)
  }
  return { input, places }
}

function requestItem({ approvalRequestId: id, serverLabel, name, arguments: text }: ApprovedCall): InputItem {
  return { type: 'mcp_approval_request', id, server_label: serverLabel, name, arguments: text }
}

/**
 * Returns the places of approval requests, or answers to them, that neither a seal nor the store knows and that led to
 * no call: nothing can run for them. A changed id is one of these.
 */
export function unknownRequests(
  own: readonly InputItem[],
  before: readonly InputItem[],
  requested: readonly ApprovedCall[],
): string[] {
  const known = new Set<unknown>(requested.map((call) => call.approvalRequestId))
  const unknown = own.flatMap((item, index) => {
    const id = approvalRequestId(item)
    if (id === undefined || known.has(id)) return []
    return [{ id, param: `input[${index}].${item.type === 'mcp_approval_response' ? 'approval_request_id' : 'id'}` }]
  })
  if (unknown.length === 0) return []
  const ran = done([...before, ...own])
  return unknown.filter(({ id }) => !ran.has(id)).map(({ param }) => param)
}

/** Returns the approval requests whose calls have run. */
function done(items: readonly InputItem[]): ReadonlySet<unknown> {
  return new Set(items.flatMap((item) => (item.type === 'mcp_call' ? [item.approval_request_id] : [])))
}

/**
 * Returns the calls that the user approves in this request. A call that was approved earlier ran then, or never will.
 */
export function approvedCalls(
  own: readonly InputItem[],
  before: readonly InputItem[],
  requested: readonly ApprovedCall[],
): ApprovedCall[] {
  const answers = new Map<string, boolean>()
  for (const item of own) {
    if (item.type !== 'mcp_approval_response') continue
    const { approval_request_id: id, approve } = item
    // If answers conflict, denial wins.
    answers.set(id, answers.get(id) !== false && approve === true)
  }
  if (answers.size === 0) return []
  const ran = done([...before, ...own])
  const calls = new Map(requested.map((call) => [call.approvalRequestId, call]))
  return [...calls.values()].filter(({ approvalRequestId: id }) => answers.get(id) === true && !ran.has(id))
}

/** Returns the error for a request whose calls were approved before. */
export function usedApproval(calls: readonly ApprovedCall[]): RequestError {
  const [call] = calls
  const message =
    calls.length > 1
      ? 'One of the approval requests has been answered before.'
      : `The approval request '${call?.approvalRequestId.slice(0, 40)}' has been answered before.`
  return new RequestError(message, { param: 'input', code: 'invalid_value' })
}
