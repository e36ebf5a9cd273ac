import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * The version of `openai` that tests are held against. `npm test` has the newest that runs on Node 20; `npm run test:clients`
 * runs the same tests with the newest of all, and names a file of that project here.
 */
const project = process.env['OPENAI_SDK_OF'] ?? import.meta.url

/** A declaration file of `openai`: `resources/responses/responses`. */
export function sdkTypes(module: string): string {
  return join(dirname(createRequire(project).resolve('openai')), `${module}.d.ts`)
}
