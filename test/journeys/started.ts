import { delimiter, join } from 'node:path'
import { expect } from 'vitest'
import type { Asked } from '../support/scripted-server.js'
import { env } from './project.js'
import { type Terminal, type } from './terminal.js'

/** Of a command until it listens or ends, and of `serve` once it is told to end. */
const MAX_MS = 20_000

/** Types commands in a folder where the command is installed, without npx, which passes signals on to its shell alone. */
export function typeIn(folder: string, commands: string, variables: Readonly<Record<string, string>> = {}): Terminal {
  const path = [join(folder, 'node_modules/.bin'), env['PATH']].join(delimiter)
  return type(commands, folder, { ...env, ...variables, PATH: path })
}

/** Waits for something of a command, and ends the command if that takes too long. */
export async function inTime<Result>(terminal: Terminal, wait: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => void terminal.close(), MAX_MS)
  try {
    return await wait
  } finally {
    clearTimeout(timer)
  }
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed as JSON; undefined for a stream. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

/** A `serve` that listens. */
export interface Started {
  readonly url: string
  readonly folder: string
  readonly variables: Readonly<Record<string, string>>
  /** What it has printed and logged since it was started. */
  readonly printed: string
  /** The requests to its engine. */
  readonly asked: readonly Asked[]
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answered>
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Answered>
  /** Ends it as a supervisor does, and resolves to its exit code. */
  terminate(): Promise<number | null>
  /** Ends it as a power failure does. */
  kill(): void
  restart(): Promise<void>
}

/**
 * Types a command and waits until it listens.
 *
 * @param variables - of the environment, which the command line may use
 * @param asked - the list of the requests to its engine
 */
export async function start(
  options: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
  asked: readonly Asked[],
): Promise<Started> {
  let terminal: Terminal
  let url = ''
  async function listen(): Promise<void> {
    terminal = typeIn(folder, `exec harmony-responses serve ${options}`, variables)
    await inTime(
      terminal,
      terminal.until((printed) => ADDRESS.test(printed)),
    )
    const [, text, json] = ADDRESS.exec(terminal.printed) ?? []
    expect(terminal.isRunning, `serve ${options}:\n${terminal.printed}`).toBe(true)
    url = text ?? json ?? ''
  }
  async function request(path: string, init: RequestInit): Promise<Answered> {
    const response = await fetch(url + path, init)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
  function terminate(): Promise<number | null> {
    terminal.terminate()
    return inTime(terminal, terminal.exit)
  }
  await listen()
  return {
    ...{ folder, variables, asked },
    get url() {
      return url
    },
    get printed() {
      return terminal.printed
    },
    get: (path, headers = {}) => request(path, { headers }),
    post: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    terminate,
    kill: () => terminal.kill(),
    async restart() {
      await terminate()
      await listen()
    },
  }
}

/** In the banner, and in a log of JSON. */
const ADDRESS = /listens on (\S+)\/v1\n|"url":"(\S+?)\/v1"/
