// Checks the package as its users get it: `npm run build`, then `npm run check:package`. Every check prints one line
// with its figure; one that fails sets the exit code and the others still run.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as esbuild from 'esbuild'
import OpenAI from 'openai'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { bundle, bundling, manifest, root, subpaths } from './bundle.mjs'

/** Files on a disk, threads and connections: what Node alone has. */
const NODE_ALONE = ['./stores/sqlite', './stores/postgres', './stores/redis', './tools/python']

/** The npm packages that each subpath may import. An unlisted subpath may import the dependencies of package.json. */
const PACKAGES = {
  '.': [],
  './harmony': [],
  './tokens': [],
  './citations': [],
  './dialects': [],
  './prompt': [],
  './respond': ['@cfworker/json-schema'],
  './seal': [],
  './testing': ['eventsource-parser', 'fast-check'],
  './tools/browser': ['htmlparser2', 'ipaddr.js', 'undici'],
  './tools/functions': [],
  './sse': ['eventsource-parser'],
  './stores/sqlite': ['node:fs', 'node:os', 'node:worker_threads', 'better-sqlite3'],
  './stores/postgres': ['node:crypto', 'node:fs', 'node:net', 'node:timers/promises', 'pg'],
  './stores/redis': ['node:crypto', 'node:fs', 'node:timers/promises', 'redis'],
  './tools/mcp': [],
  './tools/python': ['node:child_process', 'node:crypto', 'node:fs/promises', 'node:path'],
  './conformance': [],
  './conformance/arbitraries': ['fast-check'],
}

const FIXTURE = 'fixtures/vllm-mcp-python.json'

/** A name in `files` of package.json, with `*` for any part of a file's name. */
const patternOf = (name) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}$`)

const commands = Object.values(manifest.bin).map((file) => file.replace(/^\.\//, ''))

const absent = [...subpaths.map(({ file }) => file), ...commands].filter((file) => !existsSync(join(root, file)))
if (absent.length > 0) {
  console.error(`check:package needs a build, and these are missing: ${absent.join(', ')}. Run: npm run build`)
  process.exit(1)
}

const scratch = await mkdtemp(join(tmpdir(), 'check-package-'))
const specifier = (subpath) => manifest.name + subpath.slice(1)
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`

// ---------------------------------------------------------------------------------------------- what they look at

const distGraph = lazily(readDistGraph)

const tarball = lazily(async () => {
  const out = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch], root)
  const [packed] = JSON.parse(out)
  return { ...packed, path: join(scratch, packed.filename) }
})

/**
 * An empty project that has installed the tarball, as a user would, and the peers that a subpath imports. The others are
 * loaded when they are used, and everything has to import and compile without them.
 */
const project = lazily(async () => {
  const { path } = await tarball()
  const folder = join(scratch, 'project')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
  const imported = Object.values(PACKAGES).flat()
  // The peers that the tests install: better-sqlite3 is compiled if no binary can be fetched.
  const peers = Object.keys(manifest.peerDependencies ?? {})
    .filter((name) => name in manifest.devDependencies)
    .filter((name) => imported.includes(name))
    .map((name) => `${name}@${manifest.devDependencies[name]}`)
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', path, ...peers], folder)
  return folder
})

// ------------------------------------------------------------------------------------------------------ the checks

const checks = [
  [
    'tarball: has what package.json promises and nothing else',
    async () => {
      const { files, size, unpackedSize } = await tarball()
      const paths = files.map((file) => file.path)
      const promised = [
        ...manifest.files.filter((name) => !name.startsWith('!')),
        'package.json',
        'README.md',
        'LICENSE',
      ]
      const within = (path, name) =>
        path === name || path.startsWith(`${name}/`) || (name.includes('*') && patternOf(name).test(path))
      const missing = promised.filter((name) => !paths.some((path) => within(path, name)))
      const stray = paths.filter((path) => !promised.some((name) => within(path, name)))
      expect(missing.length === 0, `not in the tarball: ${missing.join(', ')}`)
      expect(stray.length === 0, `in the tarball without a reason: ${stray.join(', ')}`)
      expect(paths.includes(FIXTURE), `not in the tarball: ${FIXTURE}`)
      return `${files.length} files, ${kB(size)} packed, ${kB(unpackedSize)} unpacked`
    },
  ],
  [
    'publint --strict',
    async () => {
      const { buffer, byteOffset, byteLength } = await readFile((await tarball()).path)
      const packed = buffer.slice(byteOffset, byteOffset + byteLength)
      const { messages, pkg } = await publint({ pack: { tarball: packed }, strict: true })
      const text = messages.map((message) => `${message.type}: ${formatMessage(message, pkg, { color: false })}`)
      expect(!messages.some((message) => message.type === 'error'), text.join('\n'))
      return [`${messages.length} messages`, ...text].join('; ')
    },
  ],
  [
    'are the types wrong (esm-only)',
    async () => {
      const args = ['--no', 'attw', (await tarball()).path, '--profile', 'esm-only', '--no-color']
      const { analysis } = JSON.parse(await run('npx', [...args, '--format', 'json'], root, [0, 1]))
      expect(analysis.types !== false, 'no types found in the tarball')
      await run('npx', args, root)
      return `${Object.keys(analysis.entrypoints).length} entry points, no problem`
    },
  ],

  [
    'sizes: as in sizes.json',
    async () => (await run('node', ['scripts/sizes.mjs'], root)).trim().replaceAll('\n', '; '),
  ],

  ...subpaths.map(({ subpath, file }) => [
    `dependencies: ${specifier(subpath)}`,
    async () => {
      const { inputs, external } = await bundle(file)
      const allowed = PACKAGES[subpath] ?? Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
      const outside = inputs.filter((path) => !path.startsWith('dist/'))
      const foreign = external.filter((path) => !allowed.some((name) => path === name || path.startsWith(`${name}/`)))
      expect(outside.length === 0, `bundles files from outside dist: ${outside.join(', ')}`)
      expect(foreign.length === 0, `imports ${foreign.join(', ')}, and may import ${allowed.join(', ') || 'nothing'}`)
      return `${inputs.length} files, imports ${external.join(', ') || 'nothing'}`
    },
  ]),
  [
    'dependencies: only the command line, the stores in databases and Python import Node modules',
    async () => {
      const graph = await distGraph()
      const library = closure(
        graph,
        subpaths.filter(({ subpath }) => !NODE_ALONE.includes(subpath)).map(({ file }) => file),
      )
      const ofNode = [
        ...commands,
        ...[...graph.keys()].filter((file) =>
          /^dist\/endpoint\/(stores\/(sqlite|postgres|redis)|tools\/python)\//.test(file),
        ),
      ]
      const nodeAlone = [...closure(graph, ofNode)].filter((file) => !library.has(file))
      const portable = [...graph.keys()].filter((file) => !nodeAlone.includes(file))
      const touching = portable.flatMap((file) =>
        graph
          .get(file)
          .filter(({ external, path }) => external && isBuiltin(path))
          .map(({ path }) => `${file} imports ${path}`),
      )
      expect(touching.length === 0, touching.join(', '))
      return `${portable.length} portable files, ${nodeAlone.length} of Node alone`
    },
  ],

  [
    'installed: every subpath imports and translates',
    async () => {
      const folder = await project()
      await writeFile(join(folder, 'use.mjs'), USE)
      const args = ['use.mjs', ...subpaths.map(({ subpath }) => specifier(subpath))]
      return (await run('node', args, folder)).trim()
    },
  ],
  [
    'installed: a CommonJS module can require it',
    async () => {
      const code = `process.stdout.write(typeof require('${manifest.name}').translate)`
      // Node 20 warns on standard error that require() of ES modules is experimental.
      const type = await run('node', ['--input-type=commonjs', '--eval', code], await project())
      expect(type === 'function', `expected translate to be a function, got ${type}`)
      return `translate is a ${type}`
    },
  ],
  [
    'installed: the command line replays the packaged fixture',
    async () => {
      const path = `node_modules/${manifest.name}/${FIXTURE}`
      const args = ['--no', manifest.name, '--', 'replay', path, '--format', 'jsonl']
      const events = (await run('npx', args, await project()))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      const [first, last] = [events.at(0)?.type, events.at(-1)?.type]
      expect(first === 'response.created', `expected response.created first, got ${first}`)
      expect(last === 'response.completed', `expected response.completed last, got ${last}`)
      return `${events.length} events, ${first} to ${last}`
    },
  ],
  [
    'installed: serve --replay answers the openai SDK, and stops when it is told to',
    async () => {
      // The file that npx runs: a signal reaches npx itself alone.
      const command = join(await project(), 'node_modules/.bin', manifest.name)
      const server = spawn(command, ['serve', '--replay', '--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] })
      const exit = once(server, 'exit')
      try {
        const [printed] = await Promise.race([once(server.stdout, 'data'), exit])
        const [, baseURL] = /listens on (\S+)/.exec(String(printed)) ?? []
        expect(baseURL !== undefined, `expected where it listens, got ${printed}`)
        const client = new OpenAI({ baseURL, apiKey: 'none' })
        const input = 'What is the capital of France?'
        const { output_text } = await client.responses.create({ model: 'gpt-oss', input })
        expect(output_text === 'The capital of France is Paris.', `expected the recorded answer, got ${output_text}`)
        server.kill('SIGINT')
        const [code] = await exit
        expect(code === 0, `expected exit code 0, got ${code}`)
        return output_text
      } finally {
        server.kill('SIGKILL')
      }
    },
  ],
  [
    'installed: a strict TypeScript project compiles against it',
    async () => {
      const folder = await project()
      const compilerOptions = {
        module: 'NodeNext',
        target: 'ES2022',
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        types: [],
      }
      const everySubpath = subpaths.map(({ subpath }, index) => `import * as door${index} from '${specifier(subpath)}'`)
      const doors = `export const doors = [${subpaths.map((_, index) => `door${index}`).join(', ')}]`
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts', 'doors.ts'] }))
      await writeFile(join(folder, 'use.ts'), TYPED_USE)
      await writeFile(join(folder, 'doors.ts'), [...everySubpath, doors, ''].join('\n'))
      const compiler = join(root, 'node_modules/typescript/bin/tsc')
      await run('node', [compiler, '-p', 'tsconfig.json'], folder)
      return `${subpaths.length} subpaths, skipLibCheck false`
    },
  ],

  [
    'lockfile: names no download address',
    async () => {
      const lockfile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
      const resolved = Object.entries(lockfile.packages).filter(([, entry]) => 'resolved' in entry)
      expect(resolved.length === 0, `resolved is written for ${resolved.map(([name]) => name).join(', ')}`)
      // Where to donate and why a version is deprecated are prose; anything else that looks like an address is one.
      const text = JSON.stringify(lockfile, (key, value) => (/^(funding|deprecated)$/.test(key) ? undefined : value))
      const addresses = text.match(/"[^"]*(?:https?:|git\+|git:|file:)[^"]*"/g) ?? []
      expect(addresses.length === 0, `addresses: ${addresses.join(', ')}`)
      return `${Object.keys(lockfile.packages).length} packages, no address`
    },
  ],
]

/** Run in the installed project: node use.mjs <specifier>... */
const USE = `
import { readFile } from 'node:fs/promises'

const modules = await Promise.all(process.argv.slice(2).map((specifier) => import(specifier)))
const empty = process.argv.slice(2).filter((_, index) => Object.keys(modules[index]).length === 0)
if (empty.length > 0) throw new Error('exports nothing: ' + empty.join(', '))

const fixture = new URL('${FIXTURE}', import.meta.resolve('${manifest.name}/package.json'))
const { tokens } = JSON.parse(await readFile(fixture, 'utf8'))
const END = 200007
const firstMessage = tokens.slice(0, tokens.indexOf(END) + 1)
if (firstMessage.length === 0) throw new Error('the fixture has no <|end|> among its tokens')

const { translate } = await import('${manifest.name}')
const events = []
for await (const event of translate(firstMessage)) events.push(event.type)
if (events.at(-1) !== 'response.completed') throw new Error('expected response.completed last, got ' + events.at(-1))
console.log(modules.length + ' subpaths, ' + firstMessage.length + ' tokens, ' + events.length + ' events')
`

const TYPED_USE = `import { translate } from '${manifest.name}'
export async function* deltas(tokens: AsyncIterable<number>): AsyncGenerator<string> {
  for await (const event of translate(tokens)) {
    if (event.type === 'response.output_text.delta') yield event.delta
    if (event.type === 'response.completed') yield event.response.id
  }
}
`

// --------------------------------------------------------------------------------------------------------- machinery

function expect(condition, message) {
  if (!condition) throw new Error(message)
}

function lazily(make) {
  let made
  return () => {
    made ??= make()
    return made
  }
}

/** Standard output of a command that must succeed. */
async function run(command, args, cwd, codes = [0]) {
  try {
    return (await promisify(execFile)(command, args, { cwd, maxBuffer: 2 ** 28 })).stdout
  } catch (error) {
    if (codes.includes(error.code)) return error.stdout
    const output = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim()
    throw new Error(`${[command, ...args].join(' ')}\nexit ${error.code}\n${output}`)
  }
}

/** dist as a graph: for each file its imports, found by esbuild. */
async function readDistGraph() {
  const files = (await readdir(join(root, 'dist'), { recursive: true }))
    // The page's files are bundled for a browser already, and are served together with the token table of the others.
    .filter((name) => name.endsWith('.js') && !/^page[\\/]/.test(name))
    .map((name) => join('dist', name))
  const { metafile } = await esbuild.build({ ...bundling, entryPoints: files, splitting: true })
  return new Map(Object.entries(metafile.inputs).map(([file, { imports }]) => [file, imports]))
}

/** Every dist file that the given ones import, directly or not, dynamically or not. */
function closure(graph, files) {
  const reached = new Set()
  const waiting = [...files]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    waiting.push(...(graph.get(file) ?? []).filter((entry) => !entry.external).map((entry) => entry.path))
  }
  return reached
}

let failures = 0
try {
  for (const [name, check] of checks) {
    try {
      console.log(`ok    ${name}: ${await check()}`)
    } catch (error) {
      failures += 1
      console.log(`FAIL  ${name}: ${error.message.replaceAll('\n', '\n      ')}`)
    }
  }
} finally {
  await rm(scratch, { recursive: true, force: true })
}
console.log(`${checks.length - failures} of ${checks.length} package checks passed`)
process.exitCode = failures === 0 ? 0 : 1
