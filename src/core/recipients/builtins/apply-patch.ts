import type { Fields } from '../../../shared/fields.js'
import { invalidValue } from '../../../shared/request-error.js'
import { fieldOf, nameIn, objectAt, textIn } from '../../../shared/request-fields.js'
import type { PatchOperation } from '../../responses/items.js'
import { PATCH_RECIPIENT, patchText, readPatch } from '../apply-patch.js'
import type { Builtin } from './builtin.js'

export const applyPatch: Builtin<'apply_patch_call', 'client'> = {
  item: 'apply_patch_call',
  runBy: 'client',
  recipients: {},
  callee: () => ({ kind: 'apply_patch_call' }),
  namespace: () => null,
  address: PATCH_RECIPIENT,
  channel: 'commentary',
  recipientAfter: 'channel',
  body: 'text',
  replacedBy: null,
  example: null,
  isHosted: () => false,
  isWaiting: () => false,
  isInsertable: false,
  recipientOf: () => PATCH_RECIPIENT,
  actionOf: () => undefined,
  asked: ({ operation }) => operation,
  shown(content) {
    const { operation } = readPatch(content) ?? {}
    return operation === undefined ? content : patchText(operation)
  },
  written(item, param) {
    const at = `${param}.operation`
    return { recipient: PATCH_RECIPIENT, content: patchText(operationAt(objectAt(fieldOf(item, 'operation'), at), at)) }
  },
  data: [],
  resultText: () => undefined,
}

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
