import { isDeeperThan } from '../../../shared/fields.js'

/** More than the schema of any tool has. Recursive readers, such as the SDK's, overflow the stack at some thousands. */
const MAX_LEVELS = 100

/** Whether JSON is nested more deeply than is safe to pass on. */
export const isTooDeep = (value: unknown): boolean => isDeeperThan(MAX_LEVELS, value)
