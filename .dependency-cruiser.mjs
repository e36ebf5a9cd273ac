// The layers of src/: docs/architecture.md draws them, `npm run lint` enforces them.

import { entries, lookEntries, pageEntries } from './scripts/entries.mjs'

/** From the bottom up: each imports only what stands before it. Names on one line do not import each other. */
const LAYERS = [
  ['shared'],
  ['core'],
  ['defaults.ts'],
  ['translate.ts'],
  ['dialects', 'engines'],
  ['endpoint', 'judge'],
  ['testing'],
  ['index.ts'],
  ['cli'],
  ['page'],
]

/** The same inside of folders. A file that stands in the folder itself may import all of them. */
const INSIDE = {
  shared: [['options'], ['system']],
  core: [
    ['tokens', 'responses'],
    ['harmony', 'sse'],
    ['recipients', 'diagnostics'],
    ['citations'],
    ['text'],
    ['trace'],
    ['options'],
    ['items', 'response-object'],
    ['state'],
    ['completion'],
    ['translate'],
  ],
  engines: [['grammar'], ['contract'], ['sources']],
  endpoint: [['flow'], ['request', 'prompt', 'seal'], ['tools', 'stores'], ['journal'], ['respond'], ['server']],
  'endpoint/respond': [['calls'], ['strict'], ['demand'], ['prompts'], ['sampling'], ['compaction'], ['opening']],
  'endpoint/server/service': [
    ['limits'],
    ['items'],
    ['storage'],
    ['conversation'],
    ['running'],
    ['take-over', 'trace'],
    ['conversations'],
  ],
  judge: [['conformance'], ['probe']],
  page: [
    ['api', 'parts', 'worker'],
    ['talk', 'look', 'operate'],
  ],
}

/** What these may import of the layers below them: nothing else of these. */
const NARROW = [
  {
    name: 'the judge knows the wire, not the translator that it judges',
    from: { path: '^src/judge/' },
    to: {
      path: '^src/(core|engines)/',
      pathNot: '^src/core/(responses|tokens)/|^src/core/harmony/vocabulary\\.ts$|^src/engines/sources/http/',
    },
  },
  {
    name: 'testing plays a model, judges what a server makes of it, and knows of the endpoint only the contract of stores',
    from: { path: '^src/testing/' },
    to: {
      path: '^src/(endpoint|core)/',
      pathNot: '^src/endpoint/stores/store\\.ts$|^src/core/(harmony|tokens|responses)/',
    },
  },
  {
    name: 'the page runs in a browser: of the command line it knows the lines of clients and what it is told',
    from: { path: '^src/page/' },
    to: { path: '^src/cli/', pathNot: '^src/cli/serve/(client-lines|about-page)\\.ts$' },
  },
]

/** Folders of code that runs anywhere and always gives the same. test/purity.test.ts reads their code. */
export const PURE_FOLDERS = [
  'shared',
  'core',
  'dialects',
  'engines/contract',
  'engines/grammar',
  'endpoint/prompt',
  'endpoint/journal',
]
/** In one of them: the clock and the modules of Node. */
export const SYSTEM = 'shared/system'
const pure = { path: PURE_FOLDERS.map(folder).join('|'), pathNot: folder(SYSTEM) }

function folder(name) {
  return name.endsWith('.ts') ? `^src/${name.replaceAll('.', '\\.')}$` : `^src/${name}/`
}

/** A rule for each layer: it imports none of its own line and none above. */
function ladder(base, lines) {
  const within = (name) => folder(base === '' ? name : `${base}/${name}`)
  return lines.flatMap((line, at) =>
    line.flatMap((name) => {
      const beside = line.filter((other) => other !== name)
      const barred = [...beside, ...lines.slice(at + 1).flat()].map(within)
      if (barred.length === 0) return []
      const title = `${base === '' ? 'src' : base}: ${name} imports only what stands below it`
      return [{ name: title, severity: 'error', from: { path: within(name) }, to: { path: barred.join('|') } }]
    }),
  )
}

/** No import leads to a file outside of the layers. (A file that nothing imports is not reachable, which another rule reports.) */
function placed(base, lines) {
  const places = lines.flat().map((name) => folder(base === '' ? name : `${base}/${name}`))
  return {
    name: `${base === '' ? 'src' : base}: each file stands in a layer`,
    severity: 'error',
    from: {},
    to: { path: base === '' ? '^src/' : `^src/${base}/[^/]+/`, pathNot: places.join('|') },
  }
}

const DECODE = '^src/core/sse/decode\\.ts$'
const LADDERS = Object.entries({ '': LAYERS, ...INSIDE })

export default {
  forbidden: [
    ...LADDERS.flatMap(([base, lines]) => [...ladder(base, lines), placed(base, lines)]),
    ...NARROW.map((rule) => ({ severity: 'error', ...rule })),
    {
      name: 'no file imports itself through others, not even by types',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'each file is reachable from an entry of the package',
      severity: 'error',
      from: { path: entryFiles() },
      to: { path: '^src/', pathNot: entryFiles(), reachable: false },
    },
    {
      name: 'pure code imports no package and nothing of Node, but eventsource-parser for SSE',
      severity: 'error',
      from: { ...pure, pathNot: `${pure.pathNot}|${DECODE}` },
      to: { pathNot: '^src/' },
    },
    {
      name: 'core/sse/decode.ts imports no package but eventsource-parser',
      severity: 'error',
      from: { path: DECODE },
      to: { pathNot: '^src/|(^|/)eventsource-parser(/|$)' },
    },
    {
      name: 'pure code imports nothing of the system',
      severity: 'error',
      from: pure,
      to: { path: folder(SYSTEM) },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/core/tokens/generated/' },
  },
}

/** The sources of what the package exports and runs. */
function entryFiles() {
  return [...entries, ...pageEntries, ...lookEntries].map((name) => `^src/${name}\\.tsx?$`).join('|')
}
