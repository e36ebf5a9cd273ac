import { fieldOf, nameIn, optionalTextIn } from '../../../shared/request-fields.js'
import type { ItemReader } from './item-reader.js'

/** apply_patch_call_output: the client's output or, without one, whether it made the change. */
export const readApplyPatchCallOutput: ItemReader = (item, { conversation }, index, param) => {
  const hasFailed = fieldOf(item, 'status') === 'failed'
  const output = optionalTextIn(item, 'output', param) ?? ''
  const text = hasFailed ? [FAILED, ...(output === '' ? [] : [output])].join('\n') : output || DONE
  conversation.output(nameIn(item, 'call_id', param), { kind: 'apply patch call', item: index, param, text })
}

/** The output of gpt-oss's own tool. */
const DONE = 'Done!'
const FAILED = 'The patch was not applied.'
