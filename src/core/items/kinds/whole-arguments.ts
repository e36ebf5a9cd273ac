import { replacedByServer } from '../../recipients/builtin-tools.js'
import {
  createScan,
  isSuperfluous,
  type ObjectScan,
  objectIn,
  type ShownArguments,
  scanObject,
  undeclaredArguments,
} from '../../recipients/written-arguments.js'
import { createTextBuffer, textOf } from '../../text/text-buffer.js'
import type { ItemContext } from '../item-context.js'
import type { ItemBase } from '../item-state.js'
import { functionCall } from './function-call.js'
import { mcpApprovalRequest } from './mcp-approval-request.js'
import { mcpCall } from './mcp-call.js'
import { spelledCall } from './spelled-call.js'

/*
 * Ends the arguments of a call after their object. Later text is held back, since no delta can be retracted, and ends
 * up in no item: no client can parse a call with `{"city":"Paris"} I will now look`.
 */

/** A call whose text is streamed, with the scan of its object; null if its text may be anything. */
interface ScannedCall extends ItemBase {
  readonly scan?: ObjectScan | null
}

interface StreamedKind<Call> {
  delta?(item: Call, text: string, context: ItemContext, tokens: readonly []): void
  calls?(item: Call): string
}

/** Passes on the text of the object, and holds back any text after it. */
function writeObject<Call extends ScannedCall>(
  kind: StreamedKind<Call>,
  item: Call,
  text: string,
  context: ItemContext,
): void {
  const end = item.scan ? scanObject(item.scan, text) : text.length
  if (end === text.length) kind.delta?.(item, text, context, [])
  else {
    if (end > 0) kind.delta?.(item, text.slice(0, end), context, [])
    item.held += text.slice(end)
  }
}

/** Drops text after the object. White space is not dropped, nor anything if there is no complete object. */
function endObject<Call extends ScannedCall>(kind: StreamedKind<Call>, item: Call, context: ItemContext): void {
  if (item.scan?.isOver !== true || item.held === '') return
  const { held } = item
  item.held = ''
  if (!isSuperfluous(held, textOf(item.text))) kind.delta?.(item, held, context, [])
  else context.notice('text_after_arguments', kind.calls?.(item) ?? item.type, held)
}

export const wholeFunctionCall: typeof functionCall = spelledCall({
  ...functionCall,

  create: (subject, context) => ({
    ...functionCall.create(subject, context),
    isDeclared: subject.declared,
    scan: createScan(),
  }),

  // Without a schema, partial arguments cannot be checked, so they are shown once complete.
  delta(item, text, context) {
    if (item.isDeclared === false) item.held += text
    else writeObject(functionCall, item, text, context)
  },

  finish(item, context) {
    if (item.isDeclared !== false) endObject(functionCall, item, context)
    else if (item.held.trim() !== '') {
      const { shown, dropped } = undeclaredArguments(item.name, item.held)
      if (dropped !== '') context.notice('text_after_arguments', functionCall.calls?.(item) ?? '', dropped)
      item.held = ''
      functionCall.delta?.(item, shown, context, [])
    }
    functionCall.finish?.(item, context)
  },
})

/** The maximum number of names in the error for an ambiguous name. */
const MOST_CANDIDATES = 10

export const wholeMcpCall: typeof mcpCall = spelledCall({
  ...mcpCall,

  create: (subject, context) => ({
    ...mcpCall.create(subject, context),
    // A server that replaces a built-in tool receives its code, which is no object.
    scan: replacedByServer(subject.serverLabel) === undefined ? createScan() : null,
    ...(subject.candidates && { candidates: subject.candidates.slice(0, MOST_CANDIDATES) }),
  }),

  delta(item, text, context) {
    writeObject(mcpCall, item, text, context)
  },

  finish(item, context) {
    endObject(mcpCall, item, context)
  },

  refusal(item) {
    const refused = mcpCall.refusal?.(item)
    if (refused?.error === undefined || item.candidates === undefined) return refused
    const message = `${refused.error.message}: several tools have this name. Use one of ${item.candidates.join(', ')}`
    return { error: { ...refused.error, message } }
  },
})

export const wholeMcpApprovalRequest: typeof mcpApprovalRequest = spelledCall({
  ...mcpApprovalRequest,

  // Runs before sealing: the user approves the arguments as shown, and the tool receives exactly these.
  finish(item, context) {
    const { shown, dropped }: ShownArguments = objectIn(textOf(item.text))
    if (dropped !== '') {
      item.text = { ...createTextBuffer(), deltas: [shown] }
      context.notice('text_after_arguments', mcpApprovalRequest.calls?.(item) ?? item.type, dropped)
    }
    mcpApprovalRequest.finish?.(item, context)
  },
})
