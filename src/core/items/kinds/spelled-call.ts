import type { ItemKind } from '../item-kind.js'
import type { ItemBase } from '../item-state.js'

/** Wraps a kind of call so that it reports a callee that was found by another name than its own. */
export function spelledCall<I extends ItemBase, S extends { readonly written?: string }>(
  kind: ItemKind<I, S>,
): ItemKind<I, S> {
  return {
    ...kind,
    create(subject, context) {
      if (subject.written !== undefined) context.notice('misspelled_recipient', subject.written)
      return kind.create(subject, context)
    },
  }
}
