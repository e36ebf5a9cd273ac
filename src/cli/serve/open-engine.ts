import { stat } from 'node:fs/promises'
import type { McpListing } from '../../core/responses/mcp-listing.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import type { Tool } from '../../endpoint/tools/tool.js'
import type { EngineServer, ServedEngine } from '../../engines/contract/engine-server.js'
import { EngineError, type TokenEngine } from '../../engines/contract/index.js'
import type { GrammarBackend, NamedBackend } from '../../engines/sources/structured-outputs/backends.js'
import { HarmonyResponsesError } from '../../shared/errors.js'
import { RequestError } from '../../shared/request-error.js'
import { type Io, nameOf, UsageError, unreadable } from '../io.js'
import { loadProgress } from './load-progress.js'
import { paced } from './paced.js'
import { createPlayable, type Playable } from './replay/playable.js'
import { readFixtures } from './replay/read-fixtures.js'
import { createReplayEngine } from './replay/replay-engine.js'
import {
  createReplayTool,
  declaredServers,
  type RecordedTools,
  recordedServers,
  recordedTools,
} from './replay/replay-tool.js'
import type { EngineChoice } from './settings.js'

/** A ready engine, and its accessories. */
export interface OpenedEngine {
  readonly engine: TokenEngine
  /** The server behind it, which can answer requests itself. */
  readonly server?: EngineServer
  /** Its description, for people. */
  readonly about: string
  /** Tools that answer hosted calls if no others do. */
  readonly tools: readonly Tool[]
  /**
   * Returns the name of the server's grammar backend, `unknown` before it was needed. Absent for engines with only one.
   */
  readonly grammarBackend?: () => string
  /** Whether its server has to name the length of its context. */
  readonly namesContext?: boolean
  close(): Promise<void>
}

/** What engines need besides their own settings. */
export interface EngineNeeds {
  /** The available MCP servers, whose calls are not replayed. */
  readonly labels: ReadonlySet<string>
  readonly tokenTable: TokenTable
  /** Returns the key of the engine's server; undefined if it has none. */
  readonly key: (() => string) | undefined
}

/** Opens the engine. @throws UsageError if that fails with these settings */
export async function openEngine(
  choice: EngineChoice,
  { labels, tokenTable, key }: EngineNeeds,
  io: Io,
): Promise<OpenedEngine> {
  if (choice.kind === 'replay') return openReplay(choice, labels, tokenTable, io)
  if (choice.kind === 'script') {
    const { openScript } = await import('./script-file.js')
    const engine = paced(await openScript(choice.file, tokenTable, io), choice.delayMs)
    return { engine, about: `plays ${nameOf(choice.file)}; no model`, tools: [], async close() {} }
  }
  try {
    return await (choice.kind === 'model' ? openModel(choice, io) : openServer(choice, key, io))
  } catch (error) {
    const isTold = error instanceof HarmonyResponsesError || error instanceof EngineError
    if (!isTold) throw error
    // An address may have a password in it, and a file has none.
    const what = choice.kind === 'model' ? `--model ${choice.file}` : `--${choice.kind}`
    throw new UsageError(`${what}: ${error.message.replace(/^modelPath: /, '')}`, { cause: error })
  }
}

async function openReplay(
  { folder, delayMs }: Extract<EngineChoice, { kind: 'replay' }>,
  labels: ReadonlySet<string>,
  tokenTable: TokenTable,
  io: Io,
): Promise<OpenedEngine> {
  const fixtures = await readFixtures(folder ?? io.fixtures, io, folder !== undefined)
  let tools: Promise<RecordedTools> | undefined
  const recorded = async (): Promise<RecordedTools> => {
    tools ??= recordedTools(fixtures, tokenTable)
    return tools
  }
  const playables = fixtures.map((fixture) => {
    const declared = declaredServers(fixture.request ?? {})
    const listings = async (): Promise<McpListing[]> => {
      if (declared.length === 0) return []
      const known = (await recorded()).listings
      return declared.flatMap((label) => known.get(label) ?? [])
    }
    return createPlayable(fixture, listings, tokenTable)
  })
  // The package's own fixtures are valid and render, as tests prove. A user's is checked now rather than at some request.
  if (folder !== undefined) for (const playable of playables) await render(playable)
  const servers = new Set([...recordedServers(fixtures)].filter((label) => !labels.has(label)))
  return {
    engine: paced(createReplayEngine(playables, tokenTable), delayMs),
    about: `plays ${fixtures.length === 1 ? '1 recording' : `${fixtures.length} recordings`}, else a script; no model`,
    tools: [createReplayTool(servers, recorded)],
    async close() {},
  }
}

async function render({ name, recording }: Playable): Promise<void> {
  try {
    await recording()
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    throw new UsageError(`fixture ${name}: its request cannot be rendered: ${error.message}`, { cause: error })
  }
}

async function openModel(
  { kind: _, file, ...options }: Extract<EngineChoice, { kind: 'model' }>,
  io: Io,
): Promise<OpenedEngine> {
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  if (!found.isFile()) throw new UsageError(`cannot read ${file}: expected a GGUF file`)
  const { createLlamaCppEngine } = await import('../../engines/sources/llama-cpp.js')
  const engine = await createLlamaCppEngine({ modelPath: file, ...options, onProgress: loadProgress(file, io) })
  return { engine, about: `llama.cpp with ${file}`, tools: [], close: () => engine.dispose() }
}

async function openServer(
  { kind, url, checkModel, structuredOutputs, contextSize }: Extract<EngineChoice, { url: string }>,
  apiKey: EngineNeeds['key'],
  { complain }: Io,
): Promise<OpenedEngine> {
  let grammarBackend: string = structuredOutputs ?? 'unknown'
  const engine = (await createEngine(kind))({
    ...{ url, checkModel },
    ...(apiKey && { apiKey }),
    ...(structuredOutputs && { structuredOutputs }),
    ...(contextSize !== undefined && { contextSize }),
    ...(kind !== 'llama-server' && {
      onBackend(backend) {
        grammarBackend = backend
        complain(`${kind}: the grammar backend is ${backend}\n`)
      },
    }),
  })
  const about = `${kind} at ${new URL(url).host}`
  const { server } = engine
  if (kind === 'llama-server') return { engine, server, about, tools: [], async close() {} }
  const backend = structuredOutputs ?? 'unknown until the first strict request'
  return {
    ...{ engine, server, about: `${about}, grammar backend ${backend}`, tools: [], namesContext: kind === 'vllm' },
    grammarBackend: () => grammarBackend,
    async close() {},
  }
}

interface ServerOptions {
  readonly url: string
  readonly apiKey?: () => string
  readonly checkModel: boolean
  readonly structuredOutputs?: NamedBackend
  readonly contextSize?: number
  readonly onBackend?: (backend: GrammarBackend) => void
}

async function createEngine(
  kind: 'vllm' | 'sglang' | 'llama-server',
): Promise<(options: ServerOptions) => ServedEngine> {
  switch (kind) {
    case 'vllm':
      return (await import('../../engines/sources/vllm.js')).createVllmEngine
    case 'sglang':
      return (await import('../../engines/sources/sglang.js')).createSglangEngine
    case 'llama-server':
      return (await import('../../engines/sources/llama-server.js')).createLlamaServerEngine
  }
}
