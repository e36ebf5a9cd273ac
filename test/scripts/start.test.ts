import { readFile, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ENGINES } from '../../src/cli/serve/engines/index.js'
import { type BareCheckout, createBareCheckout, type Ran } from './bare-checkout.js'

/** With one dependency and no code. */
let checkout: BareCheckout

const write = (path: string, text: string): Promise<void> => checkout.write(path, text)
const remove = (path: string): Promise<void> => rm(join(checkout.folder, path), { recursive: true })
const run = (...asked: Parameters<BareCheckout['run']>): Promise<Ran> => checkout.run(...asked)
const lock = (version: string) => ({
  packages: {
    '': { name: 'harmony-responses' },
    'node_modules/hono': { version },
    'node_modules/of-another-system': { version: '1.0.0', optional: true },
  },
})
const installed = (version: string) => ({ packages: { 'node_modules/hono': { version } } })
const TABLE = 'src/cli/serve/engines/index.ts'
const BUILT = 'dist/page/index.html'
const PROGRAM = `process.stdout.write(process.argv.slice(2).join(' '))\n`

beforeEach(async () => {
  checkout = await createBareCheckout()
  await write('package-lock.json', JSON.stringify(lock('4.0.0')))
  await write('node_modules/.package-lock.json', JSON.stringify(installed('4.0.0')))
  for (const source of ['src/core/index.ts', 'tsup.config.ts', 'tsconfig.json']) await write(source, '')
  await write(TABLE, await readFile(TABLE, 'utf8'))
  await write('dist/cli/main.js', PROGRAM)
  await write(BUILT, '')
  await touch(BUILT, 60)
})
afterEach(() => checkout.remove())

/** Changes when a file was written, in seconds from now. */
const touch = (path: string, seconds: number): Promise<void> => {
  const time = Date.now() / 1000 + seconds
  return utimes(join(checkout.folder, path), time, time)
}

/** Has Node say that it is of another version. */
const ofVersion = (version: string): NodeJS.ProcessEnv => {
  const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` }
}

describe('scripts/prepare.mjs', () => {
  test('nothing is installed where all packages have the version of the lock', async () => {
    expect(await run('prepare.mjs')).toEqual({ code: 0, out: '', err: '', asked: [] })
  })

  test('packages are installed where there are none', async () => {
    await remove('node_modules')
    expect(await run('prepare.mjs')).toEqual({ code: 0, out: '', err: '', asked: ['ci'] })
  })

  test('packages are installed where the lock has another version', async () => {
    await write('package-lock.json', JSON.stringify(lock('4.0.1')))
    expect((await run('prepare.mjs')).asked).toEqual(['ci'])
  })

  test('an installation that fails says why, and ends with 1', async () => {
    await remove('node_modules')
    const { code, err } = await run('prepare.mjs', [], { NPM_FAILS: '1' })
    expect({ code, err }).toEqual({ code: 1, err: 'no such registry\nnpm ci failed: exit code 1\n' })
  })

  test.each(['18.20.4', '20.18.3'])('Node %s is refused in one line, before anything is installed', async (version) => {
    await remove('node_modules')
    const { code, err, asked } = await run('prepare.mjs', [], ofVersion(version))
    expect(err).toBe(`harmony-responses needs Node 20.19 or newer, and this is ${version}\n`)
    expect({ code, asked }).toEqual({ code: 2, asked: [] })
  })

  test.each(['20.19.0', '22.0.0'])('Node %s is new enough', async (version) => {
    expect((await run('prepare.mjs', [], ofVersion(version))).code).toBe(0)
  })
})

describe('scripts/start.mjs', () => {
  test('what is built is served at once, from recordings, with the options of the command', async () => {
    expect(await run('start.mjs', ['--port', '9000'])).toEqual({
      code: 0,
      err: '',
      out: 'serve --replay --port 9000',
      asked: [],
    })
  })

  test('it is built where a source is newer than the build', async () => {
    await touch('src/core/index.ts', 120)
    expect((await run('start.mjs')).asked).toEqual(['run --silent build:js'])
  })

  test('it is built where a build has not ended', async () => {
    await remove(BUILT)
    expect((await run('start.mjs')).asked).toEqual(['run --silent build:js'])
  })

  test('the token table, which tests write, asks for no build', async () => {
    await write('src/core/tokens/generated/o200k-harmony.ts', '')
    await touch('src/core/tokens/generated/o200k-harmony.ts', 120)
    expect((await run('start.mjs')).asked).toEqual([])
  })

  test('a Node that is too old is refused in one line', async () => {
    const { code, out, err } = await run('start.mjs', [], ofVersion('18.20.4'))
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^[^\n]+\n$/)
  })

  test.each([...Object.keys(ENGINES), 'config'])('--%s takes the place of the recordings', async (name) => {
    expect((await run('start.mjs', [`--${name}`, 'x'])).out).toBe(`serve --${name} x`)
    expect((await run('start.mjs', [`--${name}=x`])).out).toBe(`serve --${name}=x`)
  })

  test('--skip-model-check and --vllm-x are no engines', async () => {
    expect((await run('start.mjs', ['--skip-model-check', '--vllm-x'])).out).toBe(
      'serve --replay --skip-model-check --vllm-x',
    )
  })
})
