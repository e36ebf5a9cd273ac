import type { OptionCheck } from '../../shared/options/check-options.js'
import { that } from '../../shared/options/checks.js'

/** Required: without a caller, anyone could open everything. */
export const aCaller: OptionCheck = that(
  (value) => typeof value === 'string' && value !== '',
  'whose request it is, a non-empty string',
)
