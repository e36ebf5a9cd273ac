import type { Client, Ending } from '../../../src/judge/conformance/clients/client.js'

/** A real client's output for one stream. */
export interface Outcome {
  /** Text as it was shown while it was streamed. */
  readonly streamed: string
  /** The text of the result; absent if it equals the streamed text, or if there is no result. */
  readonly final?: string
  readonly reasoning: string
  /** Calls that it runs, or hands to the application; arguments as parsed JSON, or as text if invalid. */
  readonly calls: readonly {
    readonly name: string
    readonly arguments: unknown
    /** Whether the tool gets a text, as a custom tool does, or fields; absent if not tested. */
    readonly isText?: boolean
    /** Whether the end of the answer cut it off; only of what is meant. */
    readonly isCut?: boolean
  }[]
  /** URLs, or ids of files. */
  readonly citations: readonly string[]
  /** Their positions in the text; absent if not tested. */
  readonly spans?: readonly string[]
  /** What it shows of calls that are not in `calls`: as they begin, and as they end; absent if not tested. */
  readonly hosted?: readonly {
    readonly kind: 'call' | 'result' | 'error' | 'approval' | 'custom'
    readonly name: string
    readonly text: string
  }[]
  readonly ending: Ending
  readonly error?: string
  /** Whether it says that it stopped to have calls run; absent if it does not say so. */
  readonly finish?: 'stop' | 'tool-calls'
}

/** A real client that reads a stream. */
export interface Replayer<Name extends string = Client> {
  readonly client: Name
  /** Reads the body of one streamed response. Never rejects: the client's error is its outcome. */
  replay(body: string): Promise<Outcome>
  /** The client is unsteady: an outcome counts once it occurred twice. */
  readonly isUnsteady?: true
  /** Starts it. @throws Error where this machine cannot: without Python, or without a registry to install the client from */
  start?(): Promise<void>
  /** Stops what was started. */
  close?(): Promise<void>
}

/** Events as the body of a response, the way OpenAI frames them. */
export function bodyOf(events: readonly { readonly type?: unknown }[]): string {
  return events.map((event) => `event: ${String(event?.type)}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
