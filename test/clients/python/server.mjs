// The endpoint with a model that each test scripts, for clients in Python: node server.mjs RECORD_FILE
//
// POST /scripts { turns, contextLength? } answers { model }: a request for that model plays the turns in order, one for each
// model call. A turn is Harmony as the model writes it, or a list of that and of { "fail": true } or { "hang": true }.
// GET /scripts/MODEL answers what the engine was asked: { prompts }, each a list of messages. A turn may take several calls.
//
// Every answer over HTTP that a client got goes to RECORD_FILE, one JSON a line, for test_wire.py.

import { appendFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { serveResponses } from '../../../dist/endpoint/server/node.js'
import { mcpTools } from '../../../dist/endpoint/tools/mcp/index.js'
import { loadTokenTable } from '../../../dist/index.js'
import { fail, hang, scriptedEngine } from '../../../dist/testing/index.js'

const [recordFile] = process.argv.slice(2)
const docsServer = fileURLToPath(new URL('../docs-server.mjs', import.meta.url))
const engines = new Map()

const server = await serveResponses({
  port: 0,
  engine: (model) => engines.get(model),
  tokenTable: await loadTokenTable(),
  tools: [mcpTools({ servers: { docs: { command: process.execPath, args: [docsServer] } } })],
  // Failures in a script are intended; SHOW_ERRORS=1 shows other errors, such as a script with too few turns.
  onError(error) {
    if (process.env.SHOW_ERRORS) console.error(error)
  },
})

const front = createServer((asked, answer) => {
  const chunks = []
  asked.on('data', (chunk) => chunks.push(chunk))
  asked.on('end', () => {
    const body = Buffer.concat(chunks)
    if (asked.url.startsWith('/scripts')) answerScripts(asked, String(body), answer)
    else pass(asked, body, answer)
  })
})

function answerScripts({ method, url }, body, answer) {
  let said
  if (method === 'POST') {
    const model = `scripted-${engines.size + 1}`
    const { turns, ...options } = JSON.parse(body)
    const scripted = turns.map((turn) => [turn].flat().map(pieceOf))
    engines.set(model, scriptedEngine(scripted, options))
    said = { model }
  } else {
    const engine = engines.get(url.slice('/scripts/'.length))
    said = { prompts: engine.calls.map(({ messages }) => messages) }
  }
  answer.writeHead(200, { 'content-type': 'application/json' })
  answer.end(JSON.stringify(said))
}

function pieceOf(piece) {
  if (typeof piece !== 'object') return piece
  return 'fail' in piece ? fail() : hang()
}

function pass(asked, body, answer) {
  const { method, url: path, headers } = asked
  const inner = request({ port: server.port, host: '127.0.0.1', method, path, headers }, (given) => {
    answer.writeHead(given.statusCode, given.headers)
    const kept = []
    given.on('data', (chunk) => {
      kept.push(chunk)
      answer.write(chunk)
    })
    given.on('end', () => answer.end())
    given.on('close', () => {
      const line = { method, path, status: given.statusCode, type: given.headers['content-type'] ?? '' }
      appendFileSync(recordFile, `${JSON.stringify({ ...line, body: String(Buffer.concat(kept)) })}\n`)
      answer.destroy()
    })
  })
  inner.on('error', () => answer.destroy())
  answer.on('close', () => inner.destroy())
  inner.end(body)
}

front.on('upgrade', (asked, socket, head) => {
  const inner = connect(server.port, '127.0.0.1', () => {
    const lines = asked.rawHeaders.flatMap((text, at, all) => (at % 2 === 0 ? [`${text}: ${all[at + 1]}\r\n`] : []))
    inner.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${lines.join('')}\r\n`)
    inner.write(head)
    socket.pipe(inner).pipe(socket)
  })
  inner.on('error', () => socket.destroy())
  socket.on('error', () => inner.destroy())
})

front.listen(0, '127.0.0.1', () => process.stdout.write(`${front.address().port}\n`))
