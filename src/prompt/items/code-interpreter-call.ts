import { PYTHON } from '../../harmony/namespaces.js'
import { fieldOf, listAt, objectAt, optionalTextIn } from '../fields.js'
import { printedText } from '../result-text.js'
import type { ItemReader } from './item-reader.js'

const CALLEE = { recipient: PYTHON, channel: 'analysis' } as const

/** Reads code_interpreter_call: the code and, if the request included outputs, its output. */
export const readCodeInterpreterCall: ItemReader = (item, { conversation }, index, param) => {
  const content = optionalTextIn(item, 'code', param) ?? ''
  conversation.add({ role: 'assistant', ...CALLEE, contentType: 'code', content, item: index })
  const outputs = fieldOf(item, 'outputs')
  const result = { role: 'tool', name: PYTHON, recipient: 'assistant', channel: 'analysis', item: index } as const
  if (outputs === undefined) conversation.add({ ...result, content: '', missing: 'omitted' })
  else {
    const list = listAt(outputs, `${param}.outputs`).map((output, at) => {
      const logs = optionalTextIn(objectAt(output, `${param}.outputs[${at}]`), 'logs', `${param}.outputs[${at}]`)
      return logs === undefined ? {} : { logs }
    })
    conversation.add({ ...result, content: printedText(list) })
  }
}
