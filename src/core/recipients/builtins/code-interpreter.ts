import { fieldOf, listAt, objectAt, optionalTextIn } from '../../../shared/request-fields.js'
import { PYTHON } from '../../harmony/namespaces.js'
import type { CodeOutput } from '../../responses/items.js'
import type { Builtin, BuiltinNamespace } from './builtin.js'

/**
 * Returns the text that the models were trained on: `get_tool_namespace_config('python')`. It has no functions, because
 * its input is code.
 */
function namespace(): BuiltinNamespace {
  return {
    name: PYTHON,
    description: [
      'Use this tool to execute Python code in your chain of thought. The code will not be shown to the user. This ' +
        'tool should be used for internal reasoning, but not for code that is intended to be visible to the user (e.g. ' +
        'when creating plots, tables, or files).',
      '',
      'When you send a message containing Python code to python, it will be executed in a stateful Jupyter notebook ' +
        'environment. python will respond with the output of the execution or time out after 120.0 seconds. The drive ' +
        "at '/mnt/data' can be used to save and persist user files. Internet access for this session is UNKNOWN. " +
        'Depends on the cluster.',
    ].join('\n'),
    tools: [],
  }
}

export const codeInterpreter: Builtin<'code_interpreter_call', 'host'> = {
  item: 'code_interpreter_call',
  runBy: 'host',
  recipients: { [PYTHON]: null },
  callee: () => ({ kind: 'code_interpreter_call' }),
  namespace,
  address: PYTHON,
  channel: 'analysis',
  recipientAfter: 'role',
  body: 'code',
  replacedBy: { label: 'code_interpreter', tool: PYTHON },
  example: {
    type: 'code_interpreter_call',
    id: '',
    status: 'interpreting',
    code: '',
    container_id: '',
    outputs: null,
  },
  isHosted: () => true,
  isWaiting: ({ status }) => status === 'interpreting',
  isInsertable: true,
  recipientOf: () => PYTHON,
  actionOf: () => undefined,
  asked: ({ code }) => code,
  shown: (content) => content,
  written(item, param) {
    const content = optionalTextIn(item, 'code', param) ?? ''
    // Absent unless the request included them.
    const outputs = fieldOf(item, 'outputs')
    if (outputs === undefined) return { recipient: PYTHON, content }
    const printed = listAt(outputs, `${param}.outputs`).map((output, at) => {
      const logs = optionalTextIn(objectAt(output, `${param}.outputs[${at}]`), 'logs', `${param}.outputs[${at}]`)
      return logs === undefined ? {} : { logs }
    })
    return { recipient: PYTHON, content, result: printedText(printed) }
  },
  data: ['outputs'],
  resultText: ({ outputs }) => outputs && printedText(outputs),
}

/** Returns the output of code, without images, which gpt-oss cannot see. */
function printedText(outputs: readonly Partial<CodeOutput>[]): string {
  return outputs.map((output) => ('logs' in output && output.logs !== undefined ? output.logs : '[image]')).join('\n')
}
