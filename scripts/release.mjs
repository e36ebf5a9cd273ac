// Rehearses a release, and publishes nothing: npm run --silent release > notes.md. It packs, checks the package as its users get
// it (publint and attw among the checks), and prints what CHANGELOG.md says of this version. All else is on standard error.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

const tell = (text) => process.stderr.write(`${text}\n`)
const run = (...command) => spawnSync(command.join(' '), { cwd: root, shell: true, stdio: ['ignore', 2, 2] }).status

try {
  const notes = notesOf(manifest.version)
  const changes = readdirSync(`${root}.changeset`).filter((name) => name.endsWith('.md') && name !== 'README.md')
  if (changes.length > 0) {
    throw new Error(`${changes.join(', ')} in .changeset belong to no version yet: npm run changeset version`)
  }
  if (run('npm', 'pack', '--silent') !== 0) throw new Error('npm pack failed')
  if (run('npm', 'run', '--silent', 'check:package') !== 0) throw new Error('the package has faults')
  process.stdout.write(notes)
  const missing = ['repository', 'homepage', 'bugs'].filter((field) => manifest[field] === undefined)
  if (missing.length > 0)
    tell(`package.json has no ${missing.join(', ')}: CONTRIBUTING.md, A release, has the line that sets them`)
  tell(`nothing is published: npm publish ${manifest.name}-${manifest.version}.tgz does that`)
} catch (error) {
  tell(`release: ${error.message}`)
  process.exitCode = 1
}

/** The section of a version. */
function notesOf(version) {
  const [, ...sections] = readFileSync(`${root}CHANGELOG.md`, 'utf8').split(/^## /m)
  const [heading, ...lines] = (sections.find((section) => section.startsWith(`${version}\n`)) ?? '').split('\n')
  if (heading !== version) throw new Error(`CHANGELOG.md has no section ${version}`)
  return `${lines.join('\n').trim()}\n`
}
