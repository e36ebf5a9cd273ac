import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TokenEngine } from '../../src/engines/contract/index.js'
import { createLlamaServerEngine } from '../../src/engines/sources/llama-server.js'
import { writeTinyGptOss } from '../engine/tiny-gpt-oss/tiny-gpt-oss.js'
import { encodeHarmony } from '../support/tokens.js'
import { ClaudeCode, claudeCodePath } from './claude-code.js'

/** The program `llama-server`. */
const PROGRAM = process.env['LLAMA_SERVER_PATH']

/** The number of notes to read: with the answer, ten turns. */
const NOTES = 9
const START = '<|start|>assistant'
const lastLine = (note: number): string => `so ends note ${note} of all`

/** What the model says after so many notes: it thinks, and reads the next one, in a spelling that JSON.stringify has not. */
function turnAfter(notes: number): string {
  if (notes === NOTES) {
    return `<|channel|>analysis<|message|>All of them are read.<|end|>${START}<|channel|>final<|message|>There are nine otters.<|return|>`
  }
  const next = notes + 1
  return (
    `<|channel|>analysis<|message|>Note ${next} comes next.<|end|>${START}<|channel|>commentary to=functions.Bash ` +
    `<|constrain|>json<|message|>{"command": "cat note-${next}.txt", "description": "Read note ${next}"}<|call|>`
  )
}

const scripts = Array.from({ length: NOTES + 1 }, (_, notes) => ({
  after: encodeHarmony(notes === 0 ? START : `${lastLine(notes)}<|end|>${START}`),
  emit: encodeHarmony(turnAfter(notes)),
}))

/** One call of the model: of how many tokens its prompt was, and how many of them the server had in its cache. */
interface Call {
  readonly prompt: number
  given: number
  cached?: number
}

/** The same engine, which lists its calls. */
function counted(engine: TokenEngine, calls: Call[]): TokenEngine {
  return {
    ...engine,
    generate(prompt, options) {
      const call: Call = { prompt: prompt.length, given: 0 }
      calls.push(call)
      const stream = engine.generate(prompt, options)
      return {
        async next() {
          const step = await stream.next()
          if (step.done) call.cached = step.value?.usage?.cachedTokens ?? 0
          else call.given += [step.value].flat().length
          return step
        },
        return: () => stream.return(),
        [Symbol.asyncIterator]() {
          return this
        },
      }
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe.skipIf(PROGRAM === undefined || claudeCodePath() === undefined)(
  'Claude Code in front of a real llama-server (needs LLAMA_SERVER_PATH)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'llama-server-'))
    let server: ChildProcess
    let url: string
    beforeAll(async () => {
      const model = join(folder, 'scripted.gguf')
      // The model must find the number of the note in the prompt between the ends of the last two calls.
      writeTinyGptOss(model, { scripts, history: 32 })
      const port = await freePort()
      url = `http://127.0.0.1:${port}`
      const given = ['-m', model, '--host', '127.0.0.1', '--port', `${port}`, '-c', '32768', '-np', '1', '-t', '1']
      server = spawn(PROGRAM ?? '', given, { stdio: 'ignore' })
      const failed = new Promise<never>((_, reject) => {
        server.once('error', reject).once('exit', (code) => reject(new Error(`llama-server ended with ${code}`)))
      })
      failed.catch(() => {})
      const isUp = async (): Promise<boolean> => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true
      while (!(await Promise.race([isUp(), failed]))) await new Promise((resolve) => setTimeout(resolve, 200))
    }, 120_000)
    afterAll(() => {
      server?.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    })

    test('at least 95 % of the tenth prompt of a run is in the cache of the server, and all that was there before', async () => {
      const calls: Call[] = []
      const claude = await ClaudeCode.inFrontOf(counted(createLlamaServerEngine({ url }), calls))
      try {
        for (let note = 1; note <= NOTES; note++) {
          const lines = Array.from(
            { length: 12 },
            (_, at) => `Line ${at + 1}: ${note * at + 3} otters were at the river.`,
          )
          claude.write(`note-${note}.txt`, [...lines, lastLine(note)].join('\n'))
        }
        const printed = await claude.ask('Count the otters in my notes.', '--allowedTools', 'Bash')
        expect(printed).toMatchObject({ result: 'There are nine otters.', is_error: false })
      } finally {
        await claude.close()
      }
      expect(calls).toHaveLength(NOTES + 1)
      for (const [at, { prompt, given }] of calls.slice(0, -1).entries()) {
        // Except the token that ended the turn: the server has not read it.
        expect(calls[at + 1]?.cached).toBe(prompt + given - 1)
      }
      const { prompt, cached = 0 } = calls.at(-1) as Call
      // The figures in docs/messages.md.
      process.stdout.write(`${cached} of ${prompt} tokens: ${((100 * cached) / prompt).toFixed(1)} %\n`)
      expect(cached / prompt).toBeGreaterThanOrEqual(0.95)
    }, 900_000)
  },
)
