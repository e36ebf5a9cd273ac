import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createCheckout } from '../docs/checkout.js'
import { root } from '../docs/pages.js'
import { deployFile, settingsOf } from './files.js'

const LINES: readonly string[] = deployFile('Dockerfile').replaceAll('\\\n', '').split('\n')

/** The arguments of an instruction of the last stage, in JSON form. */
function words(instruction: string): string[] {
  const line = LINES.findLast((each) => each.startsWith(`${instruction} `)) ?? ''
  return JSON.parse(line.slice(instruction.length))
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>
}

const lockOf = (folder: string): Lock => JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('examples/deploy/Dockerfile', () => {
  test('starts the command with options that it has', async () => {
    const [node, main, command, ...options] = words('ENTRYPOINT')
    expect([node, main, command]).toEqual(['node', '/app/dist/cli/main.js', 'serve'])
    const env = { HARMONY_RESPONSES_API_KEY: 'a-key-of-24-characters-1' }
    const settings = await settingsOf([...options, ...words('CMD')], env)
    expect(settings).toMatchObject({ host: '0.0.0.0', replay: true })
  })

  test('runs as a user who can write to the folder in which it starts, and which is a volume', () => {
    const last = (pattern: RegExp): string | undefined =>
      LINES.map((line) => pattern.exec(line)?.[1]).findLast((found) => found !== undefined)
    const folder = last(/^WORKDIR (.+)/)
    expect([last(/^VOLUME (.+)/), last(/^USER (.+)/)]).toEqual([folder, 'node'])
    expect(LINES).toContain(`RUN mkdir ${folder} && chown node:node ${folder}`)
  })

  test('has the files that the command needs', async () => {
    const folder = temporaryFolder()
    const checkout = await createCheckout()
    onTestFinished(() => checkout.remove())
    for (const line of LINES.filter((each) => each.startsWith('COPY --from=build '))) {
      const names = line.split(' ').slice(2)
      const target = join(folder, names.pop() ?? '')
      for (const name of names.map((each) => each.replace('/build/', ''))) {
        const to = target.endsWith('/') ? join(target, basename(name)) : target
        if (name === 'node_modules') symlinkSync(join(root, name), to, 'junction')
        else cpSync(join(name === 'dist' ? checkout.folder : root, name), to, { recursive: true })
      }
    }
    mkdirSync(join(folder, 'data'))
    const [, main = '', ...options] = words('ENTRYPOINT')
    const child = spawn(process.execPath, [join(folder, main), ...options, ...words('CMD'), '--port', '0'], {
      cwd: join(folder, 'data'),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HARMONY_RESPONSES_API_KEY: 'a-key-of-24-characters-1' },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let url: string | undefined
    for await (const line of createInterface(child.stdout)) {
      url ??= /listens on (\S+)\/v1/.exec(line)?.[1]
      if (line.includes('Ctrl-C')) break
    }
    const headers = { authorization: 'Bearer a-key-of-24-characters-1' }
    const body = JSON.stringify({ input: 'What is the capital of France?' })
    const response = await fetch(`${url}/v1/responses`, { method: 'POST', headers, body })
    expect(await response.text()).toContain('Paris')
  })

  test('installs the packages of package-lock.json in the same versions, and the client of MCP with them', async () => {
    const folder = temporaryFolder()
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(root, name), join(folder, name))
    const [, command = ''] = /^RUN (npm pkg set .+ && npm prune)$/m.exec(deployFile('Dockerfile')) ?? []
    // Without the packages themselves: what npm would leave is in its lock.
    const words = `${command} --package-lock-only --offline`
    await promisify(execFile)('sh', ['-c', words], { cwd: folder })
    const [given, left] = [lockOf(root).packages, lockOf(folder).packages]
    const installed = Object.entries(left).filter(([path]) => path !== '')
    expect(installed.map(([path]) => path)).toContain('node_modules/@modelcontextprotocol/client')
    expect(installed.length).toBeLessThan(Object.keys(given).length / 4)
    for (const [path, { version, integrity }] of installed) {
      expect(given[path], path).toMatchObject({ version, integrity })
    }
  })
})
