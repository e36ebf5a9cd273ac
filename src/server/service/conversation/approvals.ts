import { RequestError } from '../../../request-error.js'
import type { InputItem } from '../../../responses/input-items.js'
import type { McpApprovalRequestItem } from '../../../responses/items.js'
import type { ResponseStore } from '../../../stores/store.js'
import type { ApprovedCall } from '../../../translate/options/options.js'

/** Items with the place of each in the request; undefined if the request did not bring the item. */
export interface ItemsInPlace {
  readonly input: readonly InputItem[]
  readonly places: readonly (number | undefined)[]
}

/**
 * Returns the stored calls for the request's approval requests, as the model wrote them. Sealed ones are not included.
 */
export async function requestedInStore(
  items: readonly InputItem[],
  { owner, store }: { readonly owner: string; readonly store: Pick<ResponseStore, 'findItem'> },
): Promise<ApprovedCall[]> {
  const ids = new Set(items.flatMap((item) => approvalRequestId(item) ?? []))
  const calls: ApprovedCall[] = []
  for (const id of ids) {
    const found = await store.findItem(id, owner)
    const request = found?.isOutput ? found.item : undefined
    if (request?.type !== 'mcp_approval_request') continue
    // The types have been compared.
    const { server_label: serverLabel, name, arguments: text } = request as McpApprovalRequestItem
    calls.push({ approvalRequestId: id, serverLabel, name, arguments: text })
  }
  return calls
}

/** Returns the id of the approval request that an item is or answers. */
function approvalRequestId(item: InputItem): string | undefined {
  if (item.type === 'mcp_approval_response') return item.approval_request_id
  return item.type === 'mcp_approval_request' ? item.id : undefined
}

/**
 * Returns the items with each approval request in its original form: the model must not read a client's copy, which may
 * differ. A client that sends only an answer, like the AI SDK, need not send the request.
 *
 * @param items - the items of the request
 * @param before - the conversation before them
 */
export function withRequests(
  items: readonly InputItem[],
  before: readonly InputItem[],
  requested: readonly ApprovedCall[],
): ItemsInPlace {
  const calls = new Map(requested.map((call) => [call.approvalRequestId, call]))
  const requestIds = new Set<string | undefined>()
  if (calls.size > 0) for (const item of before) if (item.type === 'mcp_approval_request') requestIds.add(item.id)
  for (const item of items) if (item.type === 'mcp_approval_request') requestIds.add(item.id)
  const input: InputItem[] = []
  const places: (number | undefined)[] = []
  const add = (item: InputItem, place: number | undefined): void => {
    input.push(item)
    places.push(place)
  }
  for (const [index, item] of items.entries()) {
    const call = calls.get(approvalRequestId(item) ?? '')
    if (item.type === 'mcp_approval_request' && call !== undefined) add(requestItem(call), index)
    else {
      if (item.type === 'mcp_approval_response' && call !== undefined && !requestIds.has(call.approvalRequestId)) {
        requestIds.add(call.approvalRequestId)
        add(requestItem(call), undefined)
      }
      add(item, index)
    }
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
