import { FOLDER, install, type Kind, obstacle } from './install.js'
import { writeModels } from './model/write-models.js'

/** Which servers are installed: SERVERS=vllm, or both. */
const KINDS = (process.env['SERVERS'] ?? 'vllm,sglang').split(',') as Kind[]

/** Installs what is not there yet, before the first test. */
export default async function prepare(): Promise<void> {
  const missing = obstacle()
  if (missing !== undefined) return console.log(`servers: ${missing}, so that their tests are skipped`)
  for (const kind of KINDS) install(kind)
  await writeModels(FOLDER)
}
