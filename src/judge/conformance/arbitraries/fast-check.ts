import type fc from 'fast-check'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import { isMissing, notInstalled } from '../../../shared/missing-package.js'

/** fast-check, the instance of the tests that import this module: a static import of it could not say that it is missing. */
const loaded: typeof fc = await load()
export default loaded

/** @throws HarmonyResponsesError `bad_option` if it is not installed */
async function load(): Promise<typeof fc> {
  try {
    return (await import('fast-check')).default
  } catch (error) {
    if (!isMissing(error, 'fast-check')) throw error
    throw new HarmonyResponsesError('bad_option', notInstalled('fast-check', 4), { cause: error })
  }
}
