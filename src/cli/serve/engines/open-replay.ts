import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { TokenFixture } from '../../../engines/sources/token-fixture.js'
import { RequestError } from '../../../shared/request-error.js'
import { type Io, UsageError } from '../../io.js'
import { createPlayable, type Playable } from '../replay/playable.js'
import { readFixtures } from '../replay/read-fixtures.js'
import { createReplayEngine } from '../replay/replay-engine.js'
import {
  createReplayTool,
  declaredServers,
  type RecordedTools,
  recordedServers,
  recordedTools,
} from '../replay/replay-tool.js'
import type { EngineNeeds, EngineSettings, OpenedEngine } from './engine.js'
import { paced } from './paced.js'

/** Opens an engine that plays recordings. @throws UsageError */
export async function openReplay(
  { target: folder, delay }: EngineSettings,
  { labels, tokenTable }: EngineNeeds,
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
    engine: paced(createReplayEngine(playables, tokenTable), delay),
    about: `plays ${fixtures.length === 1 ? '1 recording' : `${fixtures.length} recordings`}, else a script; no model`,
    examples: fixtures.flatMap(({ request }) => exampleOf(request)),
    tools: [createReplayTool(servers, recorded)],
  }
}

/** What a recording was asked, without the keys of servers. None if it was not a question in words. */
function exampleOf({ input, tools }: NonNullable<TokenFixture['request']> = {}): object[] {
  if (typeof input !== 'string') return []
  const withoutKeys = (tool: object): object => ({ ...tool, headers: undefined, authorization: undefined })
  return [{ input, tools: (tools ?? []).map(withoutKeys) }]
}

async function render({ name, recording }: Playable): Promise<void> {
  try {
    await recording()
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    throw new UsageError(`fixture ${name}: its request cannot be rendered: ${error.message}`, { cause: error })
  }
}
