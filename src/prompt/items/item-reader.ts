import type { Fields } from '../../fields.js'
import type { RequestTools } from '../../recipients/request-tools.js'
import type { ReadAttachment } from '../attachments.js'
import type { Conversation } from '../conversation.js'

/** What an `encrypted_content` holds. */
export interface UnsealedText {
  readonly text: string
  /** How the messages up to it were sampled: see {@link SampledForm}. */
  readonly form?: string | undefined
}

/** What an item is read with. */
export interface ReadContext {
  readonly conversation: Conversation
  readonly tools: RequestTools
  /** Reads the images and files of this item. */
  readonly attach: ReadAttachment
  /** What an `encrypted_content` holds, if the host opened it. */
  unsealed(blob: string): UnsealedText | undefined
  /** The ids of the approval requests that the client answers, wherever its answer stands. */
  readonly answeredApprovals: ReadonlySet<unknown>
  /** The calls that an approval request added, by its id. */
  readonly approvalCalls: Map<string, { readonly recipient: string; readonly isApproved: boolean | null }>
}

/**
 * Reads one type of input item: adds the messages that it becomes.
 *
 * @param index - in `input`
 * @param param - its path, for errors: `input[3]`
 * @throws RequestError
 */
export type ItemReader = (item: Fields, context: ReadContext, index: number, param: string) => void
