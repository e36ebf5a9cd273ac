import { shellText } from '../../../core/recipients/shell-text.js'
import type { ShellOutput } from '../../../core/responses/items.js'
import { fieldOf, listAt, nameIn, objectAt, optionalIntegerIn, optionalTextIn } from '../../../shared/request-fields.js'
import type { ItemReader } from './item-reader.js'

/** shell_call_output: what each command printed and how it ended. */
export const readShellCallOutput: ItemReader = (item, { conversation }, index, param) => {
  const outputs = listAt(fieldOf(item, 'output') ?? [], `${param}.output`)
  const text = shellText(outputs.map((output, at) => outputAt(output, `${param}.output[${at}]`)))
  conversation.output(nameIn(item, 'call_id', param), {
    kind: 'shell call',
    item: index,
    param,
    text,
    isMissing: outputs.length === 0,
  })
}

/** local_shell_call_output: names its call by `call_id` or, in OpenAI's type, by `id`. */
export const readLocalShellCallOutput: ItemReader = (item, { conversation }, index, param) => {
  const callId = optionalTextIn(item, 'call_id', param) ?? nameIn(item, 'id', param)
  const text = optionalTextIn(item, 'output', param) ?? ''
  conversation.output(callId, { kind: 'local shell call', item: index, param, text })
}

function outputAt(output: unknown, param: string): ShellOutput {
  const fields = objectAt(output, param)
  const outcome = objectAt(fieldOf(fields, 'outcome') ?? {}, `${param}.outcome`)
  const code = optionalIntegerIn(outcome, 'exit_code', `${param}.outcome`) ?? 0
  return {
    stdout: optionalTextIn(fields, 'stdout', param) ?? '',
    stderr: optionalTextIn(fields, 'stderr', param) ?? '',
    outcome: fieldOf(outcome, 'type') === 'timeout' ? { type: 'timeout' } : { type: 'exit', exit_code: code },
  }
}
