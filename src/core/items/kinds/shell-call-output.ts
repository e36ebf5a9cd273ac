import { copyOf } from '../../../shared/copy-of.js'
import type { CallResult } from '../../responses/call-result.js'
import type { ShellOutput } from '../../responses/items.js'
import type { ItemKind } from '../item-kind.js'
import type { ItemBase } from '../item-state.js'
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

export interface ShellCallOutput extends ItemBase {
  type: 'shell_call_output'
  /** `call_id` of the call that it answers. */
  answers: string
  output: ShellOutput[]
  /** How many commands the call had. */
  commands: number
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
    const { commands, max_output_length } = call.action
    return {
      status: 'completed',
      answers: call.callId,
      output: shellOutputsOf(result),
      commands: commands.length,
      maxOutputLength: max_output_length,
    }
  },

  close(item, _outcome, context) {
    // The SDK throws at the output of a command that the call does not have: extra output goes to the last one.
    const answered = Math.min(item.commands, item.output.length)
    for (let command_index = 0; command_index < answered; command_index++) {
      const isLast = command_index === answered - 1
      const output = copyOf(item.output.slice(command_index, isLast ? undefined : command_index + 1))
      for (const { stdout, stderr } of output) {
        context.emitFor(item, 'response.shell_call_output_content.delta', { command_index, delta: { stdout, stderr } })
      }
      context.emitFor(item, 'response.shell_call_output_content.done', { command_index, output })
    }
  },

  wire: (item) => ({
    call_id: item.answers,
    output: item.stage === 'silent' ? [] : copyOf(item.output),
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
