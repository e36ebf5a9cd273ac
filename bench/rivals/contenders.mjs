import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort, startServe } from '../command.mjs'
import { startProgram } from '../start-program.mjs'
import { versionOf } from './install.mjs'

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} about its version, and what it does not do
 * @property {boolean} [isOther] whether it has to be installed
 * @property {boolean} [store] whether the requests ask for their responses to be stored
 * @property {(place: { url: string, bin: string, folder: string }) => Promise<Started>} start in front of a server; `folder`
 *   is for its files
 *
 * @typedef {object} Started
 * @property {number} port
 * @property {import('node:child_process').ChildProcess} child
 */

const RELAY = {
  name: 'relay',
  about: 'node:http, writes the bytes of /v1/responses unchanged',
  async start({ url }) {
    return await startProgram('relay', url)
  },
}

const PASSES_ON = 'the answers of /v1/responses, whose prompt, Harmony and events are made by the engine'

/** The contenders, the one first that the others are compared with. */
export const CONTENDERS = [
  RELAY,
  ...[false, true].map((store) => ({
    name: store ? 'ours, stored' : 'ours',
    about: `makes prompt and events itself${store ? '; in memory' : ''}`,
    store,
    start: startOurs,
  })),
  ...[false, true].map((store) => ({
    name: store ? 'agentic-api, stored' : 'agentic-api',
    about: `${versionOf('agentic-api')}, passes on ${PASSES_ON}${store ? '; in SQLite' : ''}`,
    isOther: true,
    store,
    start: startAgenticApi,
  })),
  {
    name: 'smg',
    about: `${versionOf('smg')}, passes on ${PASSES_ON}; stores nothing in this mode`,
    isOther: true,
    start: startSmg,
  },
]

async function startOurs({ url }) {
  const { child, url: served } = await startServe(url)
  return { child, port: Number(new URL(served).port) }
}

async function startAgenticApi({ url, bin, folder }) {
  const port = await freePort()
  const args = ['--llm-api-base', url, '--gateway-host', '127.0.0.1', '--gateway-port', String(port)]
  const database = `sqlite://${join(folder, `${port}.db`)}?mode=rwc`
  return await started(join(bin, 'agentic-server'), [...args, '--db-url', database], port, folder)
}

async function startSmg({ url, bin, folder }) {
  const [port, metrics] = [await freePort(), await freePort()]
  const args = ['launch', '--backend', 'openai', '--worker-urls', url, '--host', '127.0.0.1', '--port', String(port)]
  return await started(join(bin, 'smg'), [...args, '--prometheus-port', String(metrics)], port, folder)
}

const ASKED = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-oss', input: 'Go on.', store: false }),
}

/** Starts a command, and waits until it answers: some listen before they know the engine. */
async function started(command, args, port, folder) {
  const log = openSync(join(folder, 'log'), 'a')
  const child = spawn(command, args, { stdio: ['ignore', log, log], env: { ...process.env, HOME: folder } })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${command} ended with ${code}`)
  })
  ended.catch(() => {})
  for (let tries = 0; tries < 600; tries++) {
    const status = await fetch(`http://127.0.0.1:${port}/v1/responses`, ASKED).then(
      (answer) => answer.status,
      () => undefined,
    )
    if (status === 200) return { child, port }
    await Promise.race([wait(50), ended])
  }
  child.kill()
  throw new Error(`${command} does not answer`)
}
