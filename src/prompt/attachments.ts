import type { Fields } from '../fields.js'
import { unsupported } from '../request-error.js'

/**
 * What becomes of images and files, which gpt-oss cannot see:
 *
 * - `refuse-last`: in the last message of the user they are refused, so that the user does not wait for an answer about them. In
 *   what tools returned and in anything before that message, placeholders: a conversation with an image goes on.
 * - `refuse`: refused wherever they are.
 * - `placeholder`: `[image]`, `[audio]`, `[file NAME]` in their place, wherever they are.
 */
export type AttachmentPolicy = 'refuse-last' | 'refuse' | 'placeholder'

export const ATTACHMENT_POLICIES: readonly AttachmentPolicy[] = ['refuse-last', 'refuse', 'placeholder']

/**
 * The text that stands for an attachment.
 *
 * @param what - `image inputs are`, for the error
 * @throws RequestError if it is refused
 */
export type ReadAttachment = (param: string, what: string, placeholder: string) => string

/** What a client can do, and what its server's operator can. */
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
 * What becomes of the attachments of each item.
 *
 * @param items - the whole conversation: only the last message of the user in it counts
 */
export function attachmentHandling(
  items: readonly Fields[],
  policy: AttachmentPolicy,
): (index: number) => AttachmentHandling {
  if (policy !== 'refuse-last') return () => policy
  const last = items.findLastIndex((item) => isMessage(item) && item['role'] === 'user')
  // Instructions that follow it are as new as it is.
  return (index) => (index >= last && isMessage(items[index]) ? 'refuse' : 'placeholder')
}

function isMessage(item: Fields | undefined): boolean {
  return (item?.['type'] ?? 'message') === 'message'
}
