import { expect, test } from 'vitest'
import { root } from '../docs/pages.js'
import { env } from './project.js'
import { inTime } from './started.js'
import { type } from './terminal.js'

/** Types `npm start` in the checkout, which is built, and waits until it listens. */
async function started() {
  const terminal = type('npm start -- --port 0', root, env)
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
    const second = type(`npm start --silent -- --port ${port}`, root, env)
    expect(await inTime(second, second.exit)).toBe(2)
    expect(second.printed).toBe(`harmony-responses: serve: port ${port} is in use\n`)
  } finally {
    await terminal.close()
  }
})
