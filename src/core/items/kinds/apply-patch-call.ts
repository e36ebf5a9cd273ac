import { readPatch } from '../../recipients/apply-patch.js'
import { copyOf } from '../../responses/copy-of.js'
import type { PatchOperation } from '../../responses/items.js'
import { textOf } from '../../text/text-buffer.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'

/*
 * apply_patch_call: a change of one file, for the client to make (functions.apply_patch, if the request declares
 * apply_patch)
 *
 *     output_item.added               at the terminator, with the whole operation
 *     output_item.done
 *
 * OpenAI streams the diff in events that no SDK has a type for. The model writes which file it changes in the patch
 * itself, so that the operation is known when the patch is complete.
 */

export interface ApplyPatchCall extends ItemState {
  type: 'apply_patch_call'
  callId: string
  operation: PatchOperation
}

/** The API has no `incomplete` here: a call that was cut off stays in progress. */
function statusOf({ status }: ApplyPatchCall): { status?: 'in_progress' } {
  return status === 'incomplete' ? { status: 'in_progress' } : {}
}

export const applyPatchCall: ItemKind<ApplyPatchCall> = {
  prefix: 'apc',
  opens: 'terminator',
  isRunByClient: true,

  create: () => ({ callId: '', operation: { type: 'update_file', path: '', diff: '' } }),

  finish(item, context) {
    const text = textOf(item.text)
    const { operation, rest } = readPatch(text) ?? {}
    // Clients cannot apply a patch without a file, and report that to the model.
    item.operation = operation ?? { type: 'update_file', path: '', diff: text }
    if (operation === undefined) context.notice('unreadable_arguments', item.type, text)
    else if (rest !== undefined) context.notice('text_after_arguments', item.type, rest)
  },

  wire: (item) => ({ call_id: item.callId, operation: copyOf(item.operation), ...statusOf(item) }),
}
