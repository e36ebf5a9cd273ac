import type { Fields } from '../../shared/fields.js'
import { unsupported } from '../../shared/request-error.js'
import { atOnce, createWork } from '../../shared/slices.js'
import { hashOf } from './text-hash.js'

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

/** A policy; or `seen`: the engine's model gets the images, and everything else is handled as by `refuse-last`. */
export type AttachmentReading = AttachmentPolicy | 'seen'

/**
 * Returns the text that stands in for an attachment.
 *
 * @param what - `image inputs are`, for the error
 * @param image - its address, if it is an image
 * @throws RequestError if it is refused
 */
export type ReadAttachment = (param: string, what: string, placeholder: string, image?: string) => string

/** Returns the text that stands for an image that the model gets: the same in each prompt, wherever it stands. */
export function imageMark(url: string): string {
  return `[image ${atOnce(hashOf(url, createWork())).toString(36)}]`
}

/** The remedies of a client, and of its server's operator. */
const HINT =
  "Send text instead, or have the server replace images and files by placeholders (images: 'placeholder', or " +
  'serve --images placeholder).'

type AttachmentHandling = Exclude<AttachmentPolicy, 'refuse-last'>

/** @param onPlaceholder - called for each placeholder */
export function attachmentReaders(
  reading: AttachmentReading,
  onPlaceholder: () => void,
): { readonly [Handling in AttachmentHandling]: ReadAttachment } {
  const sees = reading === 'seen'
  return {
    refuse(param, what, _placeholder, image) {
      if (sees && image !== undefined) return imageMark(image)
      throw unsupported(param, what, HINT)
    },
    placeholder(_param, _what, placeholder, image) {
      if (sees && image !== undefined) return imageMark(image)
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
  policy: AttachmentReading,
): (index: number) => AttachmentHandling {
  if (policy !== 'refuse-last' && policy !== 'seen') return () => policy
  const last = items.findLastIndex((item) => isMessage(item) && item['role'] === 'user')
  // Instructions after the user's last message are as new as it is.
  return (index) => (index >= last && isMessage(items[index]) ? 'refuse' : 'placeholder')
}

function isMessage(item: Fields | undefined): boolean {
  return (item?.['type'] ?? 'message') === 'message'
}
