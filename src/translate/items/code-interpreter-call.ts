import type { CodeOutput } from '../../responses/items.js'
import { textOf } from '../text-buffer.js'
import { type CallResult, textOfResult } from '../tool-result.js'
import type { ItemBase, ItemKind } from './item.js'
import { writeDelta } from './write-delta.js'

/*
 * code_interpreter_call: code that the host runs (python, where the request declares code_interpreter)
 *
 *     output_item.added
 *       code_interpreter_call.in_progress
 *       code_interpreter_call_code.delta *
 *       code_interpreter_call_code.done
 *       code_interpreter_call.interpreting   at the terminator
 *       code_interpreter_call.completed      when the result is there, not before
 *     output_item.done
 *
 * The API has no event for failure: a failed item is done with status "failed".
 */

export interface CodeInterpreterCall extends ItemBase {
  type: 'code_interpreter_call'
  status: 'in_progress' | 'completed' | 'incomplete' | 'interpreting' | 'failed'
  containerId: string
  /** Null where the request does not include outputs, and where there are none yet. */
  outputs: CodeOutput[] | null
}

/** What a request has to include for outputs to be shown; real streams show null otherwise. */
const OUTPUTS = 'code_interpreter_call.outputs'

export const codeInterpreterCall: ItemKind<CodeInterpreterCall> = {
  type: 'code_interpreter_call',
  prefix: 'ci',
  opens: 'header',
  result: 'completes',
  isRunByClient: false,

  create(_recipient, base, effects) {
    return {
      ...base,
      type: 'code_interpreter_call',
      status: 'in_progress',
      containerId: effects.containerId('code_interpreter'),
      outputs: effects.includes(OUTPUTS) ? [] : null,
    }
  },

  open(item, effects) {
    effects.tell(item, 'response.code_interpreter_call.in_progress', {})
  },

  delta(item, text, effects) {
    writeDelta(item, 'response.code_interpreter_call_code.delta', text, effects)
  },

  close(item, outcome, effects) {
    effects.tell(item, 'response.code_interpreter_call_code.done', {
      code: textOf(item.text),
    })
    if (outcome === 'completed') {
      item.status = 'interpreting'
      effects.tell(item, 'response.code_interpreter_call.interpreting', {})
    }
    return 'waiting'
  },

  settle(item, result, effects) {
    if (result === null) {
      item.status = 'incomplete'
      item.outputs = null
      return
    }
    if (effects.includes(OUTPUTS)) item.outputs = outputsOf(result)
    if (result.error !== undefined) {
      item.status = 'failed'
      return
    }
    item.status = 'completed'
    effects.tell(item, 'response.code_interpreter_call.completed', {})
  },

  wire(item) {
    return {
      type: 'code_interpreter_call',
      id: item.id,
      status: item.status,
      code: textOf(item.text),
      container_id: item.containerId,
      outputs: item.outputs === null ? null : structuredClone(item.outputs),
    }
  },
}

/** A tool message's text is what the code printed, and so is what went wrong. */
function outputsOf(result: CallResult): CodeOutput[] {
  if (result.outputs !== undefined) return structuredClone(result.outputs) as CodeOutput[]
  const { output, error } = result
  const logs = error === undefined ? textOfResult(result) : [output, error.message].filter(Boolean).join('\n')
  return [{ type: 'logs', logs }]
}
