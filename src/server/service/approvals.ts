import { RequestError } from '../../request-error.js'
import type { InputItem } from '../../responses/input-items.js'
import type { McpApprovalRequestItem } from '../../responses/items.js'
import type { ResponseStore } from '../../stores/store.js'
import type { ApprovedCall } from '../../translate/options/options.js'

/** Items, and where the request has each; undefined if it did not bring the item. */
export interface ItemsInPlace {
  readonly input: readonly InputItem[]
  readonly places: readonly (number | undefined)[]
}

/** The calls of the approval requests of a request's items that are in the store, as their responses gave them. Others are sealed. */
export async function requestedInStore(
  items: readonly InputItem[],
  { owner, store }: { readonly owner: string; readonly store: Pick<ResponseStore, 'findItem'> },
): Promise<ApprovedCall[]> {
  const ids = new Set(items.flatMap((item) => approvalRequestId(item) ?? []))
  const calls: ApprovedCall[] = []
  for (const id of ids) {
    const found = await store.findItem(id, owner)
    const asked = found?.isOutput ? found.item : undefined
    if (asked?.type !== 'mcp_approval_request') continue
    // Its type was compared before.
    const { server_label: serverLabel, name, arguments: text } = asked as unknown as McpApprovalRequestItem
    calls.push({ approvalRequestId: id, serverLabel, name, arguments: text })
  }
  return calls
}

/** The id of the approval request that an item is, or answers. */
function approvalRequestId(item: InputItem): string | undefined {
  if (item.type === 'mcp_approval_response') return item.approval_request_id
  return item.type === 'mcp_approval_request' ? item.id : undefined
}

/**
 * The items with each approval request as it was made: the model must not read a client's copy of it, which may say
 * something else. A client that sends an answer alone, as the AI SDK does, need not send the request.
 *
 * @param items - those that the request brings
 * @param before - the conversation before them
 */
export function withRequests(
  items: readonly InputItem[],
  before: readonly InputItem[],
  requested: readonly ApprovedCall[],
): ItemsInPlace {
  const calls = new Map(requested.map((call) => [call.approvalRequestId, call]))
  const asked = new Set<string | undefined>()
  if (calls.size > 0) for (const item of before) if (item.type === 'mcp_approval_request') asked.add(item.id)
  for (const item of items) if (item.type === 'mcp_approval_request') asked.add(item.id)
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
      if (item.type === 'mcp_approval_response' && call !== undefined && !asked.has(call.approvalRequestId)) {
        asked.add(call.approvalRequestId)
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
 * Where a request has approval requests, or answers to them, that neither a seal nor the store knows, and that no call
 * came of: nothing can run for them. A changed id is one of these.
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

/** The approval requests whose calls have run. */
function done(items: readonly InputItem[]): ReadonlySet<unknown> {
  return new Set(items.flatMap((item) => (item.type === 'mcp_call' ? [item.approval_request_id] : [])))
}

/** The calls that the user approves in this request. What was approved in an earlier one ran there, or never will. */
export function approvedCalls(
  own: readonly InputItem[],
  before: readonly InputItem[],
  requested: readonly ApprovedCall[],
): ApprovedCall[] {
  const answers = new Map<string, boolean>()
  for (const item of own) {
    if (item.type !== 'mcp_approval_response') continue
    const { approval_request_id: id, approve } = item
    // On conflicting answers, denial wins.
    answers.set(id, answers.get(id) !== false && approve === true)
  }
  if (answers.size === 0) return []
  const ran = done([...before, ...own])
  const calls = new Map(requested.map((call) => [call.approvalRequestId, call]))
  return [...calls.values()].filter(({ approvalRequestId: id }) => answers.get(id) === true && !ran.has(id))
}

/** What a request is refused with whose calls were approved before. */
export function usedApproval(calls: readonly ApprovedCall[]): RequestError {
  const [call] = calls
  const message =
    calls.length > 1
      ? 'One of the approval requests has been answered before.'
      : `The approval request '${call?.approvalRequestId.slice(0, 40)}' has been answered before.`
  return new RequestError(message, { param: 'input', code: 'invalid_value' })
}
