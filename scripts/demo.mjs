// Answers a question with a scripted model and a real MCP server, and shows which events each token became:
// npm run demo

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { collectResponse, loadTokenTable } from 'harmony-responses'
import { respond } from 'harmony-responses/respond'
import { answer, call, scriptedEngine, think } from 'harmony-responses/testing'
import { createEncoder } from 'harmony-responses/tokens'
import { mcpTools } from 'harmony-responses/tools/mcp'

const QUESTION = 'How warm is it in Paris?'
const START = 200006

const tokenTable = await loadTokenTable()
const errors = []
// A reader that leaves (`| head`) is not an error.
process.stdout.on('error', () => process.exit())

try {
  await print(`question: ${QUESTION}\n\n`)
  const { response, entries } = await ask()
  if (errors.length > 0) throw errors[0]
  if (response.status !== 'completed') throw new Error(response.error?.message ?? `the response is ${response.status}`)
  process.exitCode = await showTimeline(fixtureOf(entries, response))
  await print(`\nanswer: ${response.output.at(-1).content[0].text}\n`)
} catch (error) {
  process.stderr.write(`demo: ${error.message.replace(/\s+/g, ' ')}\n`)
  process.exitCode = 1
}

/** The response, and all of its inputs. */
async function ask() {
  const engine = scriptedEngine(({ messages }) => {
    const last = messages.at(-1)
    if (last.role === 'tool') return answer(`In Paris it is ${last.content}.`)
    return [think('I need the weather in Paris.'), call('weather.now', { city: 'Paris' })]
  })
  const onError = (error) => errors.push(error)
  const program = fileURLToPath(new URL('../examples/weather-server.mjs', import.meta.url))
  const tools = mcpTools({ servers: { weather: { command: process.execPath, args: [program] } }, onError })
  const request = {
    model: 'gpt-oss',
    input: QUESTION,
    tools: [{ type: 'mcp', server_label: 'weather', require_approval: 'never' }],
  }
  const entries = []
  const append = (added) => void entries.push(...added)
  try {
    const options = { engine, tools: [tools], tokenTable, append, onError }
    return { response: await collectResponse(respond(request, options)), entries }
  } finally {
    await tools.close()
  }
}

/**
 * Returns a response in the form that `replay` reads: its tokens with their origin, and the other inputs of its events.
 */
function fixtureOf(entries, { usage }) {
  const { request, listings } = entries.find(({ type }) => type === 'open')
  const assistant = createEncoder(tokenTable)('assistant')
  const tokens = entries.flatMap((entry) => {
    if (entry.type === 'chunk') return [entry.tokens]
    if (entry.type === 'tool_result') return [{ host: entry.transcript }]
    return entry.type === 'turn' ? [{ host: [START, ...assistant] }] : []
  })
  return {
    version: 1,
    name: 'npm run demo',
    origin: 'a scripted model, and examples/weather-server.mjs over stdio',
    request,
    setup: { mcpListings: listings },
    // The first <|start|>assistant ends the prompt.
    tokens: tokens.slice(1),
    end: { usage: { inputTokens: usage.input_tokens, cachedTokens: usage.input_tokens_details.cached_tokens } },
  }
}

/** Has `harmony-responses replay` print a fixture's timeline. Resolves to its exit code. */
async function showTimeline(fixture) {
  const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
  const replay = spawn(process.execPath, [program, 'replay', '-', '--format', 'timeline'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  replay.stdin.on('error', () => {}) // it ended early: its exit code says why
  replay.stdin.end(JSON.stringify(fixture))
  const [code] = await once(replay, 'close')
  return code ?? 1
}

/** Resolves once it is written, so that the child's output follows this process's. */
function print(text) {
  return new Promise((resolve) => process.stdout.write(text, resolve))
}
