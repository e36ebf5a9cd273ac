import { FOLDER, install, obstacle } from './install.js'
import { writeModels } from './model/write-models.js'
import { chosenSuites } from './suites.js'

/** Installs missing servers before the first test. */
export default async function prepare(): Promise<void> {
  if (obstacle() === undefined) await install(chosenSuites().kinds)
  const missing = obstacle()
  if (missing !== undefined) return console.log(`servers: ${missing}, so that their tests are skipped`)
  await writeModels(FOLDER)
}
