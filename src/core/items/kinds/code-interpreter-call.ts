import { listOf } from '../../options/check-list.js'
import type { CallResult } from '../../responses/call-result.js'
import { copyOf } from '../../responses/copy-of.js'
import type { CodeOutput } from '../../responses/items.js'
import { textOf } from '../../text/text-buffer.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'
import { callDelta } from '../parts/call-delta.js'
import { containerIdOf } from '../parts/container-id.js'
import { textOfResult } from '../parts/tool-result.js'

/*
 * code_interpreter_call: code that the host runs (python, if the request declares code_interpreter)
 *
 *     output_item.added
 *       code_interpreter_call.in_progress
 *       code_interpreter_call_code.delta *
 *       code_interpreter_call_code.done
 *       code_interpreter_call.interpreting   at the terminator
 *       code_interpreter_call.completed      not before the result
 *     output_item.done
 *
 * The API has no `.failed` event for it: only the status of the done item says "failed".
 */

export interface CodeInterpreterCall extends ItemState {
  type: 'code_interpreter_call'
  containerId: string
  /** Null until there are outputs, or if the request does not include them. */
  outputs: readonly CodeOutput[] | null
}

/** The `include` value that requests outputs. Without it they are null, as in captured streams. */
const OUTPUTS = 'code_interpreter_call.outputs'

export const codeInterpreterCall: ItemKind<CodeInterpreterCall> = {
  prefix: 'ci',
  result: 'completes',
  lists: { outputs: listOf('type') },

  create: (_recipient, context) => ({
    containerId: containerIdOf('code_interpreter', context),
    outputs: context.includes(OUTPUTS) ? [] : null,
  }),

  delta: callDelta('code_interpreter_call_code'),

  resolve(item, result, context) {
    item.outputs = result !== null && context.includes(OUTPUTS) ? outputsOf(result) : null
  },

  wire: (item) => ({
    code: textOf(item.text),
    container_id: item.containerId,
    outputs: copyOf(item.outputs) as CodeOutput[] | null,
  }),
}

/** Reads a tool message's text as the code's output, and appends error messages to it. */
function outputsOf(result: CallResult): readonly CodeOutput[] {
  const { error } = result
  if (result.outputs !== undefined) return result.outputs
  const logs = error === undefined ? textOfResult(result) : [result.output, error.message].filter(Boolean).join('\n')
  return [{ type: 'logs', logs }]
}
