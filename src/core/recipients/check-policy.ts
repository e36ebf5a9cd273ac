import { check } from '../../shared/errors.js'
import { checkOptions, type OptionCheck, type OptionTable } from '../../shared/options/check-options.js'
import { anObject, aText, listOf, oneOf } from '../../shared/options/checks.js'
import { lookUp, policies, type RecipientPolicy } from './policy.js'

const POLICY: OptionTable<RecipientPolicy> = {
  name: aText,
  nonToolRecipients: listOf(aText, 'an array of recipients'),
  order: listOf(oneOf(...policies.openai.order), `an array of ${policies.openai.order.join(', ')}`),
  builtins: anObject,
  aliases: anObject,
  undeclared: oneOf('function_call', 'mcp_call', 'unavailable_mcp_call'),
  mcpApproval: oneOf('always', 'never'),
}

const FIELDS = Object.keys(POLICY) as (keyof RecipientPolicy)[]

/** Accepts the name of a policy, or a table. It does not resolve the policy, since each response does that once. */
export const aPolicy: OptionCheck = (value, path) => {
  if (typeof value === 'object' && value !== null) return checkOptions(path, value, POLICY, FIELDS, path)
  const isKnown = typeof value === 'string' && lookUp<RecipientPolicy>(policies, value) !== undefined
  check(isKnown, path, `one of ${Object.keys(policies).join(', ')}, or a table`, value)
}
