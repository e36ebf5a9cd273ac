import type { CallResult } from '../../responses/call-result.js'
import { copyOf } from '../../responses/copy-of.js'
import type { ShellOutput } from '../../responses/items.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemState } from '../item-state.js'
import { textOfResult } from '../parts/tool-result.js'
import type { ShellCall } from './shell-call.js'

/*
 * shell_call_output: the output of commands that the host ran in a container
 *
 *     output_item.added                     with status "completed", because it is added only when it exists
 *       shell_call_output_content.delta     for each command
 *       shell_call_output_content.done
 *     output_item.done
 */

export interface ShellCallOutput extends ItemState {
  type: 'shell_call_output'
  /** `call_id` of the call that it answers. */
  answers: string
  output: ShellOutput[]
  maxOutputLength: number | null
}

/** A shell call that the host ran, with its result. */
interface AnsweredCall {
  readonly kind: 'shell_call_output'
  readonly call: Pick<ShellCall, 'callId' | 'action'>
  readonly result: CallResult
}

export const shellCallOutput: ItemKind<ShellCallOutput, AnsweredCall> = {
  prefix: 'sho',

  create({ call, result }) {
    return {
      status: 'completed',
      answers: call.callId,
      output: shellOutputsOf(result),
      maxOutputLength: call.action.max_output_length,
    }
  },

  wire: (item) => ({
    call_id: item.answers,
    output: copyOf(item.output),
    max_output_length: item.maxOutputLength,
  }),
}

/** Reads a tool message's text as the command's stdout. It has no exit code, so 0 is assumed. */
function shellOutputsOf(result: CallResult): ShellOutput[] {
  const { error } = result
  if (result.shell !== undefined) return result.shell as ShellOutput[]
  if (error === undefined) return [shellOutput(textOfResult(result), '', 0)]
  return [shellOutput(result.output ?? '', error.message, typeof error.code === 'number' ? error.code : 1)]
}

function shellOutput(stdout: string, stderr: string, exit_code: number): ShellOutput {
  return { stdout, stderr, outcome: { type: 'exit', exit_code } }
}
