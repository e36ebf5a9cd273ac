import { checkOptions, type OptionCheck, type OptionTable } from '../options/check-options.js'
import { anything } from '../options/checks.js'
import { type RecipientPolicy, resolvePolicy } from './policy.js'

/** What a policy of the host's may have; `resolvePolicy` says what each has to be. */
const POLICY: OptionTable<RecipientPolicy> = {
  name: anything,
  nobody: anything,
  order: anything,
  builtins: anything,
  aliases: anything,
  undeclared: anything,
  mcpApproval: anything,
}

/** The name of a policy, or a table. */
export const aPolicy: OptionCheck = (value, path) => {
  resolvePolicy(value as never)
  if (typeof value === 'object') checkOptions(path, value, POLICY, [], path)
}
