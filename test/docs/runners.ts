import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stepsOf } from '../journeys/section.js'
import { WALKED } from '../journeys/walked-pages.js'
import { type Block, root } from './pages.js'

/** All files below a folder, but for what is installed there. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return []
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

/** The test that takes a block by its name, as `PAGE NAME`. */
const takers: ReadonlyMap<string, string> = new Map(
  filesBelow('test')
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const calls = readFileSync(join(root, path), 'utf8').matchAll(/namedBlock\(\s*'([^']+)',\s*'([^']+)'/g)
      return Array.from(calls, ([, page, name]): [string, string] => [`${page} ${name}`, path])
    }),
)

/** The tests of each file of `examples/`, by its text. */
const examples: ReadonlyMap<string, string> = new Map(
  filesBelow('examples').map((path) => [
    readFileSync(join(root, path), 'utf8'),
    path.startsWith('examples/servers/') ? 'test/clients/servers.test.ts' : 'test/deploy',
  ]),
)

const TUTORIALS = 'docs/tutorials.md'

/** The lines at which a block that is typed, written or compared begins, as `PAGE:LINE`. */
const walked: ReadonlySet<string> = new Set(
  [TUTORIALS, ...WALKED.map(({ path }) => path)].flatMap((path) =>
    stepsOf(path).flatMap((step) => {
      const shown = step.kind === 'type' && step.shown !== undefined ? [step.shown.line] : []
      return [step.line, ...shown].map((line) => `${path}:${line}`)
    }),
  ),
)

/** The reason why a block is not run, as its page has it in `<!-- not run: REASON -->`. */
export function reasonOf({ mark }: Block): string | undefined {
  return mark === undefined ? undefined : /^not run: (.+)$/.exec(mark)?.[1]
}

/** The test that takes a block by its name. */
export function takerOf({ page, mark }: Block): string | undefined {
  return takers.get(`${page} ${mark}`)
}

/** What runs a block, compares it or reads it as its program does; undefined if nothing does. */
export function runnerOf(block: Block): string | undefined {
  const { page, line, language, code } = block
  const taker = takerOf(block)
  if (taker !== undefined) return taker
  if (language === 'ts') return 'test/docs/snippets.test.ts'
  return examples.get(code) ?? (walked.has(`${page}:${line}`) ? 'test/journeys' : undefined)
}
