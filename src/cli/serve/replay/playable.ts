import type { HarmonyMessage } from '../../../harmony/events.js'
import type { McpListing } from '../../../responses/mcp-listing.js'
import type { TokenFixture } from '../../../sources/token-fixture.js'
import type { TokenTable } from '../../../tokens/token-table.js'
import { createRecording, type Recording } from './recording.js'

/** A fixture that is rendered when a prompt comes that it may answer: to render them all would take most of a start. */
export interface Playable {
  /** The fixture's. */
  readonly name: string
  /** It was recorded without its input, and answers any conversation with its tools. */
  readonly answersAny: boolean
  /** Whether it may answer a conversation that begins with this message. */
  mayAnswer(first: HarmonyMessage | undefined): boolean
  /** Rejects with a RequestError if the fixture's request cannot be rendered. */
  recording(): Promise<Recording>
}

/** @param listings - what the MCP servers of the request list, as the prompt teaches it */
export function createPlayable(
  fixture: TokenFixture,
  listings: () => Promise<readonly McpListing[]>,
  tokenTable: TokenTable,
): Playable {
  const input = fixture.request?.input
  // A lone surrogate is another character in the prompt.
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
