import type { Fields } from '../../../shared/fields.js'
import { RequestError } from '../../../shared/request-error.js'
import { fieldOf, nameIn, objectAt, optionalTextIn, textIn } from '../../../shared/request-fields.js'
import { jsonText } from '../schema/json-text.js'
import { CALL, JSON_BODY } from './call-header.js'
import type { ItemReader, ReadContext } from './item-reader.js'
import { addressIn } from './request-address.js'

/** Reads mcp_list_tools: no message. Its tools are taught once, in the developer message. */
export const readMcpListTools: ItemReader = () => {}

/**
 * Reads mcp_call: the call and its result, if any. If the call waited for an approval, the approval request has already
 * added it.
 */
export const readMcpCall: ItemReader = (item, context, index, param) => {
  const request = context.approvalCalls.get(optionalTextIn(item, 'approval_request_id', param) ?? '')
  const callee = calleeOf(item, context, param)
  if (request === undefined) addCall(item, context, index, param)
  const text = optionalTextIn(item, 'output', param) ?? errorText(fieldOf(item, 'error'), `${param}.error`)
  if (text !== undefined) context.conversation.result(callee, text, index, request && { answers: request.item })
}

/** Reads mcp_approval_request: the call. If the client leaves the request unanswered, a result tells the model so. */
export const readMcpApprovalRequest: ItemReader = (item, context, index, param) => {
  const { approvalCalls, answeredApprovals, pendingApprovals, conversation } = context
  const id = nameIn(item, 'id', param)
  const { recipient } = addCall(item, context, index, param, pendingApprovals.has(id))
  approvalCalls.set(id, { recipient, item: index, isApproved: null })
  if (answeredApprovals.has(id)) return
  const late = { answers: index, isOutput: true, isImplied: true } as const
  conversation.result({ recipient, channel: 'commentary' }, UNANSWERED, index, late)
}

/**
 * Reads mcp_approval_response: nothing if the user approved, since the call's result follows; else a result with the
 * denial.
 */
export const readMcpApprovalResponse: ItemReader = (item, context, index, param) => {
  const id = nameIn(item, 'approval_request_id', param)
  const request = context.approvalCalls.get(id)
  if (request === undefined) {
    throw new RequestError(`No approval request found with id '${id}'.`, { param: `${param}.approval_request_id` })
  }
  if (request.isApproved !== null) {
    const message = `The approval request '${id}' has been answered already.`
    throw new RequestError(message, { param: `${param}.approval_request_id` })
  }
  const isApproved = fieldOf(item, 'approve') === true
  context.approvalCalls.set(id, { ...request, isApproved })
  if (isApproved) return
  const reason = optionalTextIn(item, 'reason', param)
  const text = reason === undefined || reason === '' ? DENIED : `${DENIED} Reason: ${reason}`
  const callee = { recipient: request.recipient, channel: 'commentary' } as const
  context.conversation.result(callee, text, index, { answers: request.item, isOutput: true })
}

const UNANSWERED = 'The user has not approved this call.'
const DENIED = 'The user did not approve this call.'

function addCall(
  item: Fields,
  context: ReadContext,
  index: number,
  param: string,
  isPending = false,
): { recipient: string } {
  const callee = calleeOf(item, context, param)
  const content = textIn(item, 'arguments', param)
  context.conversation.add({
    ...{ ...CALL, ...JSON_BODY, ...callee, content, item: index },
    ...(isPending && { isPending }),
  })
  return callee
}

function calleeOf(item: Fields, { tools }: ReadContext, param: string) {
  const recipient = tools.mcpRecipient(addressIn(item, 'server_label', param), addressIn(item, 'name', param))
  return { recipient, channel: 'commentary' } as const
}

/** Returns why a call failed, from any of the API's forms. */
function errorText(error: unknown, param: string): string | undefined {
  if (error === undefined || typeof error === 'string') return error
  const fields = objectAt(error, param)
  const { message, content } = fields
  if (typeof message === 'string') return message
  const parts = Array.isArray(content) ? content : []
  const texts = parts.flatMap((part) => (typeof Object(part).text === 'string' ? [Object(part).text as string] : []))
  return texts.length > 0 ? texts.join('\n') : jsonText(content ?? error)
}
