import type { CodeOutput } from '../../responses/items.js'
import { textOf } from '../text-buffer.js'
import type { CallResult, ItemBase, ItemKind } from './item.js'
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
      containerId: effects.containerId(),
      outputs: effects.includes(OUTPUTS) ? [] : null,
    }
  },

  open(item, effects) {
    effects.tell(item, 'response.code_interpreter_call.in_progress', {})
  },

  delta(item, text, _logprobs, effects) {
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
    if ('error' in result) {
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
  if ('outputs' in result) return structuredClone(result.outputs) as CodeOutput[]
  const logs = 'error' in result ? result.error.message : result.output
  return [{ type: 'logs', logs }]
}
