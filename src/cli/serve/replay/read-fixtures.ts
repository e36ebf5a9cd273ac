import { readTokenFixture, type TokenFixture } from '../../../engines/sources/token-fixture.js'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import { inFolder } from '../../../shared/system/platform/paths.js'
import { errorCode, type Io, readFileOrStdin, UsageError, unreadable } from '../../io.js'

/**
 * Reads the token fixtures of a folder, or of one file.
 *
 * @param isChecked - false for the package's own, which are valid, as tests prove: checking each of their tokens is time of
 *   every cold start
 * @throws UsageError
 */
export async function readFixtures(path: string, io: Io, isChecked = true): Promise<TokenFixture[]> {
  const files = await filesOf(path, io)
  const fixtures = await Promise.all(
    files.map(async (file) => readFixture(file, await readFileOrStdin(file, io), isChecked)),
  )
  if (fixtures.length > 0) return fixtures
  throw new UsageError(`serve --replay ${path}: expected token fixtures (*.json), found none`)
}

async function filesOf(path: string, io: Io): Promise<string[]> {
  try {
    const names = await io.readFolder(path)
    const fixtures = names.filter((name) => name.endsWith('.json')).sort()
    return fixtures.map((name) => inFolder(path, name))
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return [path]
    throw unreadable(path, error)
  }
}

function readFixture(file: string, text: string, isChecked: boolean): TokenFixture {
  if (!isChecked) return JSON.parse(text) as TokenFixture
  try {
    return readTokenFixture(text)
  } catch (error) {
    if (!(error instanceof HarmonyResponsesError)) throw error
    throw new UsageError(`${file}: ${error.message}`, { cause: error })
  }
}
