import type { HarmonyMessage } from '../../../core/harmony/events.js'
import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { TokenFixture } from '../../../engines/sources/token-fixture.js'
import { createRecording, type Recording } from './recording.js'

/**
 * A fixture that is rendered once a prompt arrives that it may answer: rendering all of them would take most of the
 * start-up.
 */
export interface Playable {
  /** The fixture's name. */
  readonly name: string
  /** Whether it was recorded without its input, and so answers any conversation with its tools. */
  readonly answersAny: boolean
  /** Whether it may answer a conversation that begins with this message. */
  mayAnswer(first: HarmonyMessage | undefined): boolean
  /** Returns the recording. Rejects with a RequestError if the fixture's request cannot be rendered. */
  recording(): Promise<Recording>
}

/** @param listings - the listings of the request's MCP servers, which the prompt teaches */
export function createPlayable(
  fixture: TokenFixture,
  listings: () => Promise<readonly McpListing[]>,
  tokenTable: TokenTable,
): Playable {
  const input = fixture.request?.input
  // The prompt contains another character for a lone surrogate.
  const words = typeof input === 'string' && !/\p{Cs}/u.test(input) ? input : undefined
  let recording: Promise<Recording> | undefined
  return {
    name: fixture.name,
    answersAny: input === undefined,
    mayAnswer: (first) => words === undefined || (first?.role === 'user' && first.content === words),
    async recording() {
      recording ??= listings().then((known) => createRecording(fixture, known, tokenTable))
      return recording
    },
  }
}
