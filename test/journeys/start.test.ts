import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../docs/pages.js'
import { cloneInto, env } from './project.js'
import { inTime } from './started.js'
import { type } from './terminal.js'

let folder: string
/** A clone that is installed and built. The README's own journey begins with one that is not. */
let clone: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-'))
  clone = await cloneInto(folder)
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'))
  await cp(join(root, 'dist'), join(clone, 'dist'), { recursive: true })
})
afterAll(() => rm(folder, { recursive: true }))

/** Types `npm start` and waits until it listens. */
async function started() {
  const terminal = type('npm start -- --port 0', clone, env)
  await inTime(
    terminal,
    terminal.until((printed) => printed.includes(' listens on ')),
  )
  const [, url = '', port = ''] = /listens on (http:\/\/127\.0\.0\.1:(\d+))/.exec(terminal.printed) ?? []
  return { terminal, url, port }
}

test('npm start answers without a model, and Ctrl-C ends it with 0, although npm passes the signal on as well', async () => {
  const { terminal, url } = await started()
  expect((await fetch(`${url}/v1/models`)).status).toBe(200)
  await terminal.close()
  expect(await terminal.exit, terminal.printed).toBe(0)
})

test('npm start says in one line that a port is taken, and ends with 2', async () => {
  const { terminal, port } = await started()
  try {
    const second = type(`npm start --silent -- --port ${port}`, clone, env)
    expect(await inTime(second, second.exit)).toBe(2)
    expect(second.printed).toBe(`harmony-responses: serve: port ${port} is in use\n`)
  } finally {
    await terminal.close()
  }
})
