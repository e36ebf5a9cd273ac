// Applies each patch of test/mutants to a copy of the library, and runs the laws that have to catch it there:
//
//     npm run test:mutants                  all of them
//     npm run test:mutants -- id-changed    those whose name contains a word
//
// A mutant that no law catches is a fault that the tests miss: then this exits with 1.

import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'test', 'mutants')
const COPIED = ['src', 'test/laws', 'test/support', 'package.json', 'tsconfig.json', 'vitest.config.ts']

const mutants = readdirSync(folder)
  .filter((file) => file.endsWith('.patch'))
  .map((file) => file.slice(0, -'.patch'.length))
  .filter((name) => process.argv.length < 3 || process.argv.slice(2).some((word) => name.includes(word)))

if (mutants.length === 0) {
  process.stderr.write(
    `test:mutants: expected a word of a name in test/mutants, got ${process.argv.slice(2).join(' ')}\n`,
  )
  process.exit(2)
}

const survivors = []
const queue = [...mutants]
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
process.stdout.write(`${mutants.length - survivors.length} of ${mutants.length} mutants caught\n`)
process.exitCode = survivors.length === 0 ? 0 : 1

async function work() {
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const verdict = await judge(name)
    if (!verdict.isCaught) survivors.push(name)
    process.stdout.write(`${verdict.isCaught ? 'caught  ' : 'SURVIVED'}  ${name.padEnd(26)}${verdict.by}\n`)
  }
}

async function judge(name) {
  const patch = readFileSync(join(folder, `${name}.patch`), 'utf8')
  const laws = /^Laws: (.+)$/m.exec(patch)?.[1]?.split(' ')
  if (laws === undefined) return { isCaught: false, by: 'no line "Laws: ..." in its patch' }
  // Outside of the checkout: git applies no patch to files that it ignores.
  const copy = mkdtempSync(join(tmpdir(), 'mutant-'))
  try {
    for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    const applied = spawnSync('git', ['apply', '--unidiff-zero', '-'], { cwd: copy, input: patch, encoding: 'utf8' })
    if (applied.status !== 0) return { isCaught: false, by: `the patch does not apply: ${applied.stderr.trim()}` }
    return await runLaws(copy, laws)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Runs the laws until one fails. A file that cannot even be loaded has caught nothing. */
async function runLaws(copy, laws) {
  const files = laws.map((law) => `test/laws/${law}.test.ts`)
  const child = spawn('npx', ['vitest', 'run', '--bail=1', '--reporter=json', ...files], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'ignore'],
    // The count of CI: `npm test` runs fewer.
    env: { LAW_RUNS: '250', ...process.env },
  })
  let output = ''
  for await (const piece of child.stdout) output += piece
  const { testResults } = JSON.parse(output.slice(output.indexOf('{')))
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed')
  if (failed !== undefined) return { isCaught: true, by: failed.title }
  const broken = testResults.find(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  return { isCaught: false, by: broken === undefined ? `by none of ${laws.join(', ')}` : `${broken.message}` }
}
