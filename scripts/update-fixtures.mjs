// Writes the expected events of every token fixture, fixtures/NAME.events.jsonl: what the command line of dist prints
// for fixtures/NAME.json. `npm run fixtures` builds and runs it; read the difference before you keep it.

import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../fixtures', import.meta.url))
const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const events = execFileSync(process.execPath, [command, 'replay', `${folder}/${file}`, '--format', 'jsonl'])
  writeFileSync(`${folder}/${file.replace(/\.json$/, '.events.jsonl')}`, events)
  console.log(`${file}: ${events.toString().trimEnd().split('\n').length} events`)
}
