import type { Fields } from '../../shared/fields.js'
import { unsupported } from '../../shared/request-error.js'

/**
 * How images and files are handled, which gpt-oss cannot see:
 *
 * - `refuse-last`: those in the last message of the user are refused, so that the user does not wait for an answer
 *   about them. Those in tool results and in earlier messages become placeholders, so that a conversation with an image
 *   can continue.
 * - `refuse`: all are refused.
 * - `placeholder`: `[image]`, `[audio]`, `[file NAME]` stands in for each of them.
 */
export type AttachmentPolicy = 'refuse-last' | 'refuse' | 'placeholder'

export const ATTACHMENT_POLICIES: readonly AttachmentPolicy[] = ['refuse-last', 'refuse', 'placeholder']

/**
 * Returns the text that stands in for an attachment.
 *
 * @param what - `image inputs are`, for the error
 * @throws RequestError if it is refused
 */
export type ReadAttachment = (param: string, what: string, placeholder: string) => string

/** The remedies of a client, and of its server's operator. */
const HINT =
  "Send text instead, or have the server replace images and files by placeholders (images: 'placeholder', or " +
  'serve --images placeholder).'

type AttachmentHandling = Exclude<AttachmentPolicy, 'refuse-last'>

/** @param onPlaceholder - called for each placeholder */
export function attachmentReaders(onPlaceholder: () => void): {
  readonly [Handling in AttachmentHandling]: ReadAttachment
} {
  return {
    refuse(param, what) {
      throw unsupported(param, what, HINT)
    },
    placeholder(_param, _what, placeholder) {
      onPlaceholder()
      return placeholder
    },
  }
}

/**
 * Returns how the attachments of each item are handled.
 *
 * @param items - the whole conversation: only the user's last message in it counts
 */
export function attachmentHandling(
  items: readonly Fields[],
  policy: AttachmentPolicy,
): (index: number) => AttachmentHandling {
  if (policy !== 'refuse-last') return () => policy
  const last = items.findLastIndex((item) => isMessage(item) && item['role'] === 'user')
  // Instructions after the user's last message are as new as it is.
  return (index) => (index >= last && isMessage(items[index]) ? 'refuse' : 'placeholder')
}

function isMessage(item: Fields | undefined): boolean {
  return (item?.['type'] ?? 'message') === 'message'
}
