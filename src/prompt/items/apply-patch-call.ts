import type { Fields } from '../../fields.js'
import { PATCH_RECIPIENT, patchText } from '../../recipients/apply-patch.js'
import { invalidValue } from '../../request-error.js'
import type { PatchOperation } from '../../responses/items.js'
import { fieldOf, nameIn, objectAt, optionalTextIn, textIn } from '../fields.js'
import { CALL } from './call-header.js'
import type { ItemReader } from './item-reader.js'

const CALLEE = { recipient: PATCH_RECIPIENT, channel: 'commentary' } as const
const KIND = 'apply patch call'

/** Reads apply_patch_call: its operation as a patch of one file. */
export const readApplyPatchCall: ItemReader = (item, { conversation }, index, param) => {
  const operation = operationAt(objectAt(fieldOf(item, 'operation'), `${param}.operation`), `${param}.operation`)
  const message = { ...CALL, ...CALLEE, content: patchText(operation), item: index } as const
  conversation.call(KIND, nameIn(item, 'call_id', param), CALLEE, message, param)
}

/** Reads apply_patch_call_output: the client's text or, without one, whether the change was made. */
export const readApplyPatchCallOutput: ItemReader = (item, { conversation }, index, param) => {
  const hasFailed = fieldOf(item, 'status') === 'failed'
  const said = optionalTextIn(item, 'output', param) ?? ''
  const text = hasFailed ? [FAILED, ...(said === '' ? [] : [said])].join('\n') : said || DONE
  conversation.output(nameIn(item, 'call_id', param), { kind: KIND, item: index, param, text })
}

/** The success message of gpt-oss's own tool. */
const DONE = 'Done!'
const FAILED = 'The patch was not applied.'

function operationAt(fields: Fields, param: string): PatchOperation {
  const type = nameIn(fields, 'type', param)
  const path = textIn(fields, 'path', param)
  switch (type) {
    case 'delete_file':
      return { type, path }
    case 'create_file':
    case 'update_file':
      return { type, path, diff: textIn(fields, 'diff', param) }
    default:
      throw invalidValue(`${param}.type`, type, ['create_file', 'update_file', 'delete_file'])
  }
}
