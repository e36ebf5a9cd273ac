import { PATCH_RECIPIENT } from '../apply-patch.js'
import type { Builtin } from './builtin.js'

export const applyPatch: Builtin<'apply_patch_call', 'client'> = {
  item: 'apply_patch_call',
  runBy: 'client',
  callee: () => ({ kind: 'apply_patch_call' }),
  namespace: () => null,
  address: PATCH_RECIPIENT,
  channel: 'commentary',
  body: 'text',
  replacedBy: null,
  example: null,
  isHosted: () => false,
  isWaiting: () => false,
  isInsertable: false,
  recipientOf: () => PATCH_RECIPIENT,
  actionOf: () => undefined,
}
