// Servers that are started as commands, ours and others', and their processor time.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The command, as it is installed. */
export const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/**
 * Starts `serve` in front of a vLLM. Resolves when it listens.
 *
 * @param given - `node`, options of Node; `args`, more options; `env`, more variables
 */
export function startServe(vllm, { node = [], args = [], env = {} } = {}) {
  const serve = [PROGRAM, 'serve', '--vllm', vllm, '--limit', 'concurrency=1000', ...args]
  return listening([...node, ...serve], env, vllm)
}

/** Starts `serve` without a model, with its page. */
export function startReplay() {
  return listening([PROGRAM, 'serve', '--replay', '--no-key'], {})
}

async function listening(args, env, other = '') {
  const stdio = ['ignore', 'pipe', 'ignore']
  const child = spawn(process.execPath, [...args, '--port', '0'], { stdio, env: { ...process.env, ...env } })
  let printed = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += text
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(other === '' ? printed : printed.replaceAll(other, '')) ?? []
    if (url !== undefined) return { url, child }
  }
  throw new Error(`serve did not start: ${printed}`)
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Returns the processor time of a process with all of its threads, in milliseconds. */
export function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS
}

/** A port that nothing listens on, for a command that cannot choose one. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
