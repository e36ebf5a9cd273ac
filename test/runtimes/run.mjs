// Installs the packed library into an empty project, has each runtime run smoke.mjs there, and prints a table.
//
//     npm run test:runtimes
//
// A runtime that is not installed on this platform is a failure, not a gap in the table.

import { execFile } from 'node:child_process'
import { access, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const execute = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'runtimes-'))

/** Each runtime: its program, the command for its version, and the command that runs the smoke test. */
const RUNTIMES = {
  [`Node ${process.versions.node.split('.')[0]}`]: runtime(process.execPath, ['--version'], ['smoke-all.mjs']),
  'Node 22': runtime('node-22/bin/node', ['--version'], ['smoke-all.mjs']),
  'Node 24': runtime('node-24/bin/node', ['--version'], ['smoke-all.mjs']),
  'Node 26': runtime('node-26/bin/node', ['--version'], ['smoke-all.mjs']),
  Bun: runtime('@oven/bun-linux-x64/bin/bun', ['--version'], ['smoke-all.mjs']),
  Deno: runtime('@deno/linux-x64-glibc/deno', ['--version'], ['run', '--allow-read', '--allow-env', 'smoke-all.mjs']),
  workerd: runtime('@cloudflare/workerd-linux-64/bin/workerd', ['--version'], ['test', 'workerd.capnp']),
}

function runtime(program, version, args) {
  return { program: program.startsWith('/') ? program : join(here, 'node_modules', program), version, args }
}

const WORKERD = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
);
`

/** The smoke test, and the Worker of docs/server.md with a client that has its key. */
const WORKER = `import docs from './docs-worker.ts'
import { smoke } from './smoke.mjs'

const env = { VLLM_URL: 'http://127.0.0.1:1', CLIENT_KEY: 'key-of-ann-0123456789', SEAL_KEY: btoa('0'.repeat(32)) }
export default {
  async test() {
    await smoke()
    const headers = { authorization: 'Bearer ' + env.CLIENT_KEY }
    const { status } = await docs.fetch(new Request('https://me.example.com/v1/models', { headers }), env)
    if (status !== 200) throw new Error('the Worker of docs/server.md answers with ' + status)
  },
}
`

await installLibrary()
const rows = []
for (const [name, { program, version, args }] of Object.entries(RUNTIMES)) {
  try {
    await access(program)
    const shown = (await execute(program, version)).stdout
    await execute(program, args, { cwd: folder, timeout: 120_000 })
    rows.push([name, /\d+([.-]\d+)+/.exec(shown)?.[0] ?? shown.trim(), '✓'])
  } catch (error) {
    rows.push([name, '', '✗'])
    process.stderr.write(`${name}: ${error.stderr || error.stdout || error.message}\n`)
  }
}
await rm(folder, { recursive: true, force: true })

process.stdout.write('| runtime | version | smoke test |\n|---|---|---|\n')
for (const row of rows) process.stdout.write(`| ${row.join(' | ')} |\n`)
const failed = rows.filter(([, , mark]) => mark === '✗').length
process.stdout.write(`\n${rows.length - failed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1

/** The block of the page below its name. */
async function workerOfDocs() {
  const page = await readFile(join(root, 'docs/server.md'), 'utf8')
  const [, code] = /<!-- worker -->\n```ts\n([\s\S]*?)```\n/.exec(page) ?? []
  if (code === undefined) throw new Error('docs/server.md has no block worker')
  return code
}

/** An empty project that has installed the tarball, as a user would, and the same bundled for workerd. */
async function installLibrary() {
  const npm = (args, cwd) => execute('npm', args, { cwd, maxBuffer: 1e8 })
  const packed = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root)
  const [{ filename }] = JSON.parse(packed.stdout)
  await writeFile(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}')
  await npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', join(folder, filename)], folder)
  await cp(join(here, 'smoke.mjs'), join(folder, 'smoke.mjs'))
  await writeFile(
    join(folder, 'smoke-all.mjs'),
    "import { smoke } from './smoke.mjs'\nconsole.log((await smoke()).join(', '))\n",
  )
  await writeFile(join(folder, 'docs-worker.ts'), await workerOfDocs())
  await writeFile(join(folder, 'worker.mjs'), WORKER)
  await build({
    entryPoints: [join(folder, 'worker.mjs')],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'error',
  })
  await writeFile(join(folder, 'workerd.capnp'), WORKERD)
}
