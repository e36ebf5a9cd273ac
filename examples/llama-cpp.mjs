// Asks a gpt-oss model on this computer one question, and prints the Responses events as they come.
//
//     npm install && npm run build && npm install --no-save node-llama-cpp@3
//     node examples/llama-cpp.mjs gpt-oss-20b-mxfp4.gguf "Why is the sky blue?"

import { existsSync } from 'node:fs'
import { translate } from 'harmony-responses'
import { createLlamaCppEngine } from 'harmony-responses/sources/llama-cpp'
import { createEncoder, loadTokenTable } from 'harmony-responses/tokens'

const [modelPath, question, ...rest] = process.argv.slice(2)
if (!modelPath || !question || rest.length > 0) refuse('usage: node llama-cpp.mjs MODEL.gguf "question"')
if (!existsSync(modelPath)) refuse(`there is no file ${modelPath}`)

// Ctrl-C ends the answer, and a second one the program. Not `once`: a dependency of node-llama-cpp ends the program if
// no other listener is left.
const call = new AbortController()
process.on('SIGINT', () => {
  if (call.signal.aborted) process.exit(130)
  call.abort()
})

const engine = await load()
process.stderr.write(`${engine.gpu ? `on the GPU, by ${engine.gpu}` : 'on the processor, without a GPU'}\n`)
try {
  const { status } = await answer()
  process.exitCode = status === 'failed' ? 1 : 0
} finally {
  await engine.dispose()
}

async function load() {
  try {
    return await createLlamaCppEngine({ modelPath, contextSize: 8192, onProgress: showProgress, signal: call.signal })
  } catch (error) {
    if (call.signal.aborted) process.stderr.write('\n')
    refuse(call.signal.aborted ? 'aborted' : error.message)
  }
}

async function answer() {
  const request = { model: 'gpt-oss', input: question }
  const tokens = engine.generate(await renderPrompt(), { signal: call.signal })
  const events = translate(tokens, { request, signal: call.signal })
  for (;;) {
    const { done, value } = await events.next()
    if (done) return value
    console.log(describe(value))
  }
}

/** The ids of a system and a user message and the beginning of the answer. Markers are ids, and no text becomes one. */
async function renderPrompt() {
  const encode = createEncoder(await loadTokenTable())
  const [start, message, end] = [200006, 200008, 200007]
  const system = [
    'You are ChatGPT, a large language model trained by OpenAI.',
    'Knowledge cutoff: 2024-06',
    `Current date: ${new Date().toISOString().slice(0, 10)}`,
    '',
    'Reasoning: low',
    '',
    '# Valid channels: analysis, commentary, final. Channel must be included for every message.',
  ].join('\n')
  return [
    ...[start, ...encode('system'), message, ...encode(system), end],
    ...[start, ...encode('user'), message, ...encode(question), end],
    ...[start, ...encode('assistant')],
  ]
}

/** An event on one line: its type, and what it brings. */
function describe(event) {
  if (event.delta !== undefined) return `${event.type} ${JSON.stringify(event.delta)}`
  if (event.item) return `${event.type} ${event.item.type} ${event.item.id}`
  if (event.response?.error) return `${event.type} ${event.response.error.code}: ${event.response.error.message}`
  if (event.response?.usage) {
    const { input_tokens, output_tokens } = event.response.usage
    return `${event.type} ${input_tokens} tokens in, ${output_tokens} out`
  }
  return event.type
}

function showProgress(share) {
  const width = 30
  const bar = '#'.repeat(Math.round(share * width)).padEnd(width, '.')
  const percent = `${Math.floor(share * 100)}`.padStart(3)
  process.stderr.write(`\rloading [${bar}] ${percent}%${share === 1 ? '\n' : ''}`)
}

/** Prints one line about the error, and exits. */
function refuse(message) {
  process.stderr.write(`llama-cpp.mjs: ${message.replace(/\s+/g, ' ')}\n`)
  process.exit(2)
}
