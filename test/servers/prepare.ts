import { FOLDER, install, obstacle } from './install.js'
import { writeModels } from './model/write-models.js'
import { formatFor } from './server.js'
import { chosenSuites } from './suites.js'

/**
 * Installs missing servers before the first test.
 *
 * @throws Error if one cannot be installed, and SERVERS_REQUIRED says that no test may be skipped
 */
export default async function prepare(): Promise<void> {
  const { kinds } = chosenSuites()
  await install(kinds.filter((kind) => obstacle(kind) === undefined))
  for (const kind of kinds) {
    const missing = obstacle(kind)
    if (missing === undefined) continue
    if (process.env['SERVERS_REQUIRED'] === '1') throw new Error(`servers: ${missing}, and SERVERS_REQUIRED=1 is set`)
    console.log(`servers: ${missing}, so that tests of ${kind} are skipped`)
  }
  const formats = kinds.filter((kind) => obstacle(kind) === undefined).map(formatFor)
  await writeModels(FOLDER, [...new Set(formats)])
}
