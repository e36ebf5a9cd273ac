import type { RequestTools } from '../../../core/recipients/request-tools.js'
import type { Fields } from '../../../shared/fields.js'
import type { ReadAttachment } from '../attachments.js'
import type { Conversation } from '../conversation.js'
import type { ToolNamespace } from '../tool-namespace.js'

/** An opened `encrypted_content`. */
export interface UnsealedText {
  readonly text: string
  /** How the messages up to it were sampled: see {@link SampledForm}. */
  readonly form?: string | undefined
}

/** The call of an approval request. */
export interface ApprovalCall {
  readonly recipient: string
  /** The index of the request in `input`. */
  readonly item: number
  readonly isApproved: boolean | null
}

/** The context in which items are read. */
export interface ReadContext {
  readonly conversation: Conversation
  readonly tools: RequestTools
  /** The namespaces that items teach at their places, by item. */
  readonly taughtAt?: ReadonlyMap<object, readonly ToolNamespace[]> | undefined
  /** Reads the images and files of this item. */
  readonly attach: ReadAttachment
  /** Returns the content of an `encrypted_content` that the host opened. */
  unsealed(blob: string): UnsealedText | undefined
  /** The ids of the approval requests that the client answers, at any place. */
  readonly answeredApprovals: ReadonlySet<unknown>
  /** The calls that approval requests added, by the request's id. */
  readonly approvalCalls: Map<string, ApprovalCall>
  /** The ids of the approval requests whose calls are to be run. */
  readonly pendingApprovals: ReadonlySet<string>
}

/**
 * Reads one type of input item, and adds its messages.
 *
 * @param index - in `input`
 * @param param - its path, for errors: `input[3]`
 * @throws RequestError
 */
export type ItemReader = (item: Fields, context: ReadContext, index: number, param: string) => void
