import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { environment, requirementsOf } from '../../python/environment.mjs'
import type { Outcome, Replayer } from '../replay.js'

const SCRIPT = fileURLToPath(new URL('replay.py', import.meta.url))

/** The APIs that `replay.py` reads, with the environments of their clients: see `test/clients/python/requirements`. */
const ENVIRONMENTS = { responses: 'openai-3', chat: 'openai-3', messages: 'anthropic' } as const

/** The version of a package that an environment has. */
export function pinned(name: string, environment: string): string | undefined {
  return new RegExp(`^${name}==(.+)$`, 'm').exec(readFileSync(requirementsOf(environment), 'utf8'))?.[1]
}

/** A client for Python: one process for all of its streams. */
export function pythonReplayer<Name extends string>(client: Name, api: keyof typeof ENVIRONMENTS): Replayer<Name> {
  let process: Promise<Started> | undefined
  const start = (): Promise<Started> => {
    process ??= started(ENVIRONMENTS[api])
    return process
  }
  return {
    client,
    async replay(body) {
      const { ask } = await start()
      return ask(JSON.stringify({ client: api, body }))
    },
    start: async () => {
      await start()
    },
    async close() {
      const { end } = await (process ?? { end: () => {} })
      end()
    },
  }
}

interface Started {
  ask(request: string): Promise<Outcome>
  end(): void
}

async function started(name: string): Promise<Started> {
  const child = spawn(await environment(name), [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting: { resolve(outcome: Outcome): void; reject(error: Error): void }[] = []
  // It answers in the order of the requests.
  createInterface(child.stdout).on('line', (line) => waiting.shift()?.resolve(JSON.parse(line) as Outcome))
  child.once('close', (status) => {
    for (const { reject } of waiting) reject(new Error(`Python ended with ${status}`))
  })
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        child.stdin.write(`${request}\n`)
      }),
    end: () => child.stdin.end(),
  }
}
