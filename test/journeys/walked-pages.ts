import type { PLAYED } from './played-engines.js'

/** A page whose commands are typed in its order, from top to bottom, and what it takes for granted. */
export interface WalkedPage {
  readonly path: string
  /** What its folder has before the first step. */
  readonly installed: 'nothing' | 'the library' | 'the library and MCP' | 'the checkout' | 'a fresh clone'
  readonly files?: Readonly<Record<string, string>>
  /** What answers at an address of the page. */
  readonly servers?: Readonly<Record<string, keyof typeof PLAYED | 'replay'>>
  /** Typed before its first step. */
  readonly before?: string
}

const ROME = { role: 'user', content: 'How is the weather in Rome?' }
const PARAMETERS = { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] }
const WEATHER = { type: 'function', function: { name: 'get_weather', parameters: PARAMETERS } }
const FRANCE = 'What is the capital of France?'

export const WALKED: readonly WalkedPage[] = [
  { path: 'README.md', installed: 'a fresh clone' },
  { path: 'fixtures/README.md', installed: 'the checkout' },
  {
    path: 'docs/command-line.md',
    installed: 'the library',
    files: { 'request.json': JSON.stringify({ input: FRANCE }) },
  },
  { path: 'docs/durability.md', installed: 'the library' },
  {
    path: 'docs/judge.md',
    installed: 'the library',
    files: {
      'request.json': JSON.stringify({ input: FRANCE, stream: true }),
      'chat.json': JSON.stringify({ model: 'gpt-oss', stream: true, messages: [ROME], tools: [WEATHER] }),
      'messages.json': JSON.stringify({ model: 'gpt-oss', stream: true, max_tokens: 99, messages: [ROME] }),
    },
    servers: { 'http://localhost:8000': 'replay' },
    before: `ask() { curl --silent --fail -N "http://localhost:8000/v1/$1" -H 'content-type: application/json' -d "@$2"; }
      ask responses request.json > capture.jsonl
      ask chat/completions chat.json > chat.sse
      ask messages messages.json > messages.sse`,
  },
  {
    path: 'docs/probe.md',
    installed: 'the library',
    servers: { 'http://localhost:8000': 'replay', 'https://api.example.com': 'replay' },
  },
  { path: 'docs/sealing.md', installed: 'nothing' },
  {
    path: 'docs/serve.md',
    installed: 'the library and MCP',
    files: { 'handbook/otters.md': 'Otters hold hands while they sleep.\n', 'keys.txt': `ann ${'0'.repeat(64)}\n` },
    servers: { 'http://localhost:8001': 'vllm', 'http://localhost:8081': 'llama-server' },
  },
  { path: 'docs/versions.md', installed: 'the library' },
]
