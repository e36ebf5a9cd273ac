// The servers of examples/servers/ as a reader runs them: in a folder with the packed library, by the frameworks' own
// packages of test/clients. It needs a build.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const clients = join(root, 'test/clients')
const require = createRequire(join(clients, 'package.json'))

const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }

/** What Nest's own starter has in its tsconfig.json; `allowJs` for the modules beside the example. */
const NEST_OPTIONS = [
  ...['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--outDir', 'dist'],
  ...['--strict', '--skipLibCheck', '--experimentalDecorators', '--emitDecoratorMetadata', '--allowJs'],
]

/** @type {import('./site.mjs').Frameworks} */
export const FRAMEWORKS = {
  Express: { file: 'express.mjs', package: 'express', start: ['express.mjs', '0'] },
  Fastify: { file: 'fastify.mjs', package: 'fastify', start: ['fastify.mjs', '0'] },
  Nest: {
    file: 'nest.ts',
    package: '@nestjs/core',
    build: [join(root, 'node_modules/typescript/bin/tsc'), 'nest.ts', ...NEST_OPTIONS],
    start: ['dist/nest.js', '0'],
  },
  Next: {
    file: 'app/v1/responses/route.js',
    package: 'next',
    build: [join(clients, 'node_modules/next/dist/bin/next'), 'build'],
    start: [join(clients, 'node_modules/next/dist/bin/next'), 'start', '--hostname', '127.0.0.1', '--port', '0'],
  },
}

/** Whether the packages of the frameworks are installed. */
export const areInstalled = Object.values(FRAMEWORKS).every(({ package: name }) => {
  try {
    return require.resolve(`${name}/package.json`) !== undefined
  } catch {
    return false
  }
})

/** @type {typeof import('./site.mjs').createSite} */
export async function createSite(model, names) {
  // Below test/clients, where Node and Next find its packages.
  const folder = await mkdtemp(join(clients, '.site-'))
  const library = join(folder, 'node_modules/harmony-responses')
  const remove = () => rm(folder, { recursive: true })
  try {
    await mkdir(library, { recursive: true })
    const packing = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
    const { stdout } = await execute('npm', packing, { cwd: root })
    await execute('tar', ['-xzf', stdout.trim(), '-C', library, '--strip-components=1'], { cwd: folder })
    await cp(join(library, 'examples/servers'), folder, { recursive: true })
    await rename(join(folder, 'model.mjs'), join(folder, 'shipped-model.mjs'))
    await cp(model, join(folder, 'model.mjs'))
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'site', private: true, type: 'module' }))
    for (const name of names) await build(FRAMEWORKS[name].build, folder)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    library,
    start: (name, options = []) => startServer([...options, ...FRAMEWORKS[name].start], folder),
    remove,
  }
}

async function build(args, cwd) {
  if (args === undefined) return
  await execute(process.execPath, args, { cwd, env }).catch(({ message, stdout }) => {
    // The compiler's own words are on its standard output.
    throw new Error(`${message}\n${stdout}`)
  })
}

/** @type {typeof import('./site.mjs').startServer} */
export async function startServer(args, cwd) {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = once(child, 'exit')
  let printed = ''
  let look = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text
      look()
    })
  }
  const server = {
    url: '',
    get printed() {
      return printed
    },
    async until(pattern) {
      const found = new Promise((resolve) => {
        look = () => {
          const match = pattern.exec(printed)
          if (match !== null) resolve(match)
        }
        look()
      })
      const match = await Promise.race([found, exit])
      if (!('index' in match)) throw new Error(`${args.join(' ')} has ended:\n${printed}`)
      return match
    },
    signal: (name) => child.kill(name),
    async stop() {
      child.kill('SIGKILL')
      await exit
    },
  }
  const [, port] = await server.until(/(?:127\.0\.0\.1|port): ?([1-9]\d*)/)
  server.url = `http://127.0.0.1:${port}`
  return server
}
