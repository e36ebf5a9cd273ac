import { createVllmEngine } from '../../src/engines/sources/vllm.js'
import { adapterRows } from './adapter-rows.js'
import { benchRow } from './bench-row.js'
import { chatRows, strictTemplateRows } from './chat-rows.js'
import { crashRows, restartRow } from './crash-rows.js'
import { keyRows, WITH_KEY } from './key-rows.js'
import { CONTEXT } from './model/write-models.js'
import { onServer } from './on-server.js'
import { ownRows } from './own-rows.js'
import { servedRows } from './served-rows.js'
import { STRICT_MODEL_FLAGS, writeStrictModel } from './strict-model.js'

/** The flags with which vLLM's own endpoint calls tools. Without a named backend, the first constraint chooses xgrammar. */
const WITH_PARSER = ['--enable-auto-tool-choice', '--tool-call-parser', 'openai']
const GUIDANCE = ['--structured-outputs-config.backend', 'guidance']

onServer({ kind: 'vllm', model: 'sure', flags: WITH_PARSER }, ({ server, engine, running }) => {
  adapterRows({ name: 'vLLM', engine, running, longestPrompt: CONTEXT - 1, hasCacheSalt: true })
  servedRows('vLLM', engine, running)
  ownRows(server, { hasParser: true, backend: 'xgrammar' })
  chatRows(server)
  benchRow(server)
  crashRows('vLLM', engine, server)
  restartRow('vLLM', engine, server)
})

// A model that is not gpt-oss, with a template that refuses what many refuse.
onServer(
  { kind: 'vllm', model: writeStrictModel, flags: STRICT_MODEL_FLAGS, title: 'a model of another family' },
  ({ server }) => {
    strictTemplateRows(server)
  },
)

/** Other ways to start it: in `npm run test:full`. */
if (process.env['SERVERS_FULL']) {
  // As docs/engines.md says.
  onServer({ kind: 'vllm', model: 'sure', flags: GUIDANCE }, ({ server, engine, running }) => {
    adapterRows({ name: 'vLLM with guidance', engine, running, longestPrompt: CONTEXT - 1 })
    servedRows('vLLM with guidance', engine, running)
    ownRows(server, { hasParser: false, backend: 'guidance' })
  })

  onServer({ kind: 'vllm', model: 'sure', flags: [...WITH_PARSER, ...GUIDANCE] }, ({ server }) => {
    ownRows(server, { hasParser: true, backend: 'guidance' })
  })

  onServer({ kind: 'vllm', model: 'sure', title: 'without a tool parser' }, ({ server }) => {
    ownRows(server, { hasParser: false, backend: 'xgrammar' })
  })

  // As for many clients: one read has several tokens.
  onServer({ kind: 'vllm', model: 'sure', flags: [...GUIDANCE, '--stream-interval', '8'] }, ({ engine, running }) => {
    adapterRows({ name: 'vLLM with several tokens in a chunk', engine, running, longestPrompt: CONTEXT - 1 })
    servedRows('vLLM with several tokens in a chunk', engine, running)
  })

  onServer({ kind: 'vllm', model: 'sure', flags: [...GUIDANCE, ...WITH_KEY] }, ({ server }) => {
    keyRows('vLLM', (options) => createVllmEngine({ url: server().url, ...options }))
  })
}
