import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type ServeOptions, serveResponses } from '../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../src/index.js'
import { answer, call, type Script, type ScriptedEngine, scriptedEngine, think } from '../../src/testing/index.js'
import { type Block, namedBlock } from '../docs/pages.js'
import { OWN_MCP_SERVER, playCodex } from './clients/codex.js'
import { PATCH } from './scenarios.js'

/* Tests the settings of docs/clients.md with the real clients. */

const ON_THE_PAGE = 'http://127.0.0.1:8000/v1'
const PARIS = [think('I know it.'), answer('The capital of France is Paris.')]
const toEnd = { onText: () => {}, signal: new AbortController().signal }

interface Served {
  readonly baseURL: string
  readonly engine: ScriptedEngine
  /** The bodies of the requests, in order. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of a body is what it tests
  readonly bodies: readonly any[]
}

async function serve(script: Script, options: Partial<ServeOptions> = {}): Promise<Served> {
  const engine = scriptedEngine(script)
  const bodies: unknown[] = []
  const server = await serveResponses({
    engine,
    tokenTable: await loadTokenTable(),
    port: 0,
    async authorize(request) {
      if (request.method === 'POST') bodies.push(await request.clone().json())
      return 'anybody'
    },
    ...options,
  })
  onTestFinished(() => server.close({ graceMs: 0 }))
  return { baseURL: `${server.url}/v1`, engine, bodies }
}

const PACKAGES: Readonly<Record<string, () => Promise<object>>> = {
  '@ai-sdk/openai': () => import('@ai-sdk/openai'),
  '@langchain/openai': () => import('@langchain/openai'),
  ai: () => import('ai'),
}

/** Runs a block against a server. Returns what it prints. */
async function run({ code }: Block, baseURL: string): Promise<string> {
  expect(code).toContain(ON_THE_PAGE)
  const body = code
    .replaceAll(ON_THE_PAGE, baseURL)
    .replace(/^import (\{.*\}) from '(.*)'$/gm, "const $1 = await load('$2')")
  const run = new Function('load', 'console', `return (async () => {${body}})()`)
  const printed: string[] = []
  const log = (...values: unknown[]) => void printed.push(values.join(' '))
  await run((name: string) => PACKAGES[name]?.(), { log })
  return printed.join('\n')
}

/** Drops all requests to other machines, like a firewall. */
function firewall(): Promise<string> {
  const { fetch } = globalThis
  onTestFinished(() => void vi.unstubAllGlobals())
  return new Promise((resolve) => {
    vi.stubGlobal('fetch', (url: string | URL | Request, init?: RequestInit) => {
      const { hostname } = new URL(url instanceof Request ? url.url : url)
      if (hostname === '127.0.0.1') return fetch(url, init)
      resolve(hostname)
      return new Promise(() => {})
    })
  })
}

test('Codex knows a model that its catalog describes: its effort, its patch tool, and MCP servers', async () => {
  const { baseURL, engine, bodies } = await serve([
    [think('I look it up.'), call('mcp__docs.lookup', { q: 'life' })],
    [think('A typo.'), { ...call('functions.apply_patch', PATCH), contentType: 'code' }],
    [think('All is done.'), answer('It is fixed.')],
  ])
  const catalog = namedBlock('docs/clients.md', 'codex catalog')
  const toml = namedBlock('docs/clients.md', 'codex')
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'gpt-oss.json')
  await writeFile(file, catalog.code)
  const config = toml.code.replace('/home/ann/.codex/gpt-oss.json', file).replace(ON_THE_PAGE, baseURL)
  const warnings: string[] = []
  const played = await playCodex(config + OWN_MCP_SERVER, { ...toEnd, onWarning: (text) => warnings.push(text) })
  expect(warnings).toEqual([])
  expect(played).toMatchObject({ text: ['It is fixed.'], calls: [{ name: 'apply_patch', arguments: PATCH }] })
  expect(bodies[0]).toMatchObject({ model: 'gpt-oss', reasoning: { effort: 'medium' } })
  expect(bodies[0].tools.map(({ type }: { type: string }) => type)).not.toContain('web_search')
  expect(JSON.stringify(engine.calls[1]?.messages)).toContain('life is 42')
})

test('Codex complains of a model that nothing describes, and continues', async () => {
  const { baseURL } = await serve([PARIS])
  const config = `model = "gpt-oss"\nmodel_provider = "h"\n[model_providers.h]\nname = "h"\nbase_url = "${baseURL}"\n`
  const warnings: string[] = []
  const played = await playCodex(config, { ...toEnd, onWarning: (text) => warnings.push(text) })
  expect(warnings).toEqual([expect.stringContaining('Model metadata for `gpt-oss` not found.')])
  expect(played.text).toEqual(['The capital of France is Paris.'])
})

test('the AI SDK sends effort and summary to gpt-oss, and asks for sealed reasoning, with forceReasoning alone', async () => {
  const { baseURL, bodies } = await serve(() => PARIS)
  const block = namedBlock('docs/clients.md', 'ai sdk')
  expect(await run(block, baseURL)).toBe('The capital of France is Paris. I know it.')
  expect(bodies[0]).toMatchObject({
    reasoning: { effort: 'high', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  })
  vi.stubGlobal('AI_SDK_LOG_WARNINGS', false)
  onTestFinished(() => void vi.unstubAllGlobals())
  await run({ ...block, code: block.code.replace('forceReasoning: true, ', '') }, baseURL)
  expect(bodies[1]).not.toHaveProperty('reasoning')
  expect(bodies[1]).not.toHaveProperty('include')
  await run({ ...block, code: block.code.replace('openai.responses(', 'openai.chat(') }, baseURL)
  expect(bodies[2]).toMatchObject({ reasoning_effort: 'high' })
})

test('LangChain answers and streams over Chat Completions, and over Responses also with streaming: true', async () => {
  const { baseURL, bodies } = await serve(() => PARIS)
  firewall()
  const chat = namedBlock('docs/clients.md', 'langchain over chat completions')
  const responses = namedBlock('docs/clients.md', 'langchain')
  const paris = 'The capital of France is Paris.'
  expect(await run(chat, baseURL)).toBe(`${paris} ${paris}`)
  expect(await run(responses, baseURL)).toBe(paris)
  expect(bodies.map(({ stream }) => stream)).toEqual([false, true, true])
  expect(bodies.map((body) => 'messages' in body)).toEqual([true, true, false])
})

test('LangChain downloads a tokenizer after a stream over Chat Completions that invoke asked for', async () => {
  const { baseURL } = await serve(() => PARIS)
  const asked = firewall()
  const block = namedBlock('docs/clients.md', 'langchain')
  // It never returns, so the test does not await it.
  void run({ ...block, code: block.code.replace('useResponsesApi: true,', '') }, baseURL)
  expect(await asked).toBe('tiktoken.pages.dev')
})
