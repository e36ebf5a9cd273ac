import type { Profile } from '../../src/judge/conformance/index.js'
import type { Scenario } from './scenarios.js'

/** The clients by whose profiles a client's streams are checked. */
export type ClientProfile = Extract<Profile, `client:${string}`>

/** A call of the client's, as its tool was given it: parsed for functions, verbatim for custom tools. */
export interface Call {
  readonly name: string
  readonly arguments: unknown
}

/** The client's output for a run, all its turns together. */
export interface Played {
  /** The text of each message in order, preambles too, as it was streamed. */
  readonly text: readonly string[]
  readonly reasoning: string
  /** The calls that the client ran. */
  readonly calls: readonly Call[]
  /** Hosted calls and their results, in a line each: see `hostedCalls`. */
  readonly hosted: readonly string[]
  readonly citations: readonly { readonly url: string; readonly title: string }[]
  readonly ending: 'completed' | 'incomplete' | 'failed' | 'aborted'
  /** The client's words for a failure. */
  readonly error?: string
}

/** The expected output of a scenario, and how the items of earlier turns come back: by type, `unchanged`. */
export interface Shows extends Played {
  readonly sentBack: Readonly<Record<string, string>>
}

export interface PlayOptions {
  /** Called for every piece of text, as soon as the client shows it. */
  readonly onText: (text: string) => void
  /** Aborts the run. */
  readonly signal: AbortSignal
}

/** Plays a scenario as an application would: runs the tools, calls again, until the client reports the end. */
export type Play = (scenario: Scenario, baseURL: string, options: PlayOptions) => Promise<Played>

/** A limit of a client. The test requires exactly this limit. */
export interface Limit {
  readonly scenario: readonly string[]
  readonly what: string
  readonly because: string
  /** The output with this limit. */
  readonly shows: { readonly [aspect in keyof Shows]?: Shows[aspect] | undefined }
}

export interface Client {
  readonly name: string
  /** The judge's profile for streams that this client reads. */
  readonly profile: ClientProfile
  readonly play: Play
  readonly limits: readonly Limit[]
  /** The scenario for a client that has tools of its own, with calls of those in the place of ours. */
  readonly wording?: (scenario: Scenario) => Scenario
  /** It shows a message when it is complete, not while it is streamed. */
  readonly showsWholeMessages?: true
  /** It does not show reasoning that has only blanks. */
  readonly hidesBlankReasoning?: true
}

/** The key that clients insist on. */
export const API_KEY = 'none'

type Item = { readonly type: string; readonly [field: string]: unknown }

/** A hosted call as a line: its input, and its outcome. Undefined for other items. */
export function hostedCalls(item: object): string[] {
  const { type, ...fields } = item as Item
  const action = fields['action'] as { type: string; query?: string; url?: string; pattern?: string }
  switch (type) {
    case 'mcp_call':
      return [
        `${type} ${fields['server_label']}.${fields['name']} ${fields['arguments']} -> ${fields['output'] ?? 'failed'}`,
      ]
    case 'code_interpreter_call': {
      const outputs = (fields['outputs'] ?? []) as { logs?: string }[]
      return [`${type} ${fields['code']} -> ${outputs.map(({ logs }) => logs).join('')}`]
    }
    case 'web_search_call':
      return [`${type} ${action.type} ${[action.pattern, action.query ?? action.url].filter(Boolean).join(' in ')}`]
    case 'file_search_call': {
      const results = (fields['results'] ?? []) as { filename: string }[]
      const found = results.map(({ filename }) => filename).join(', ')
      return [`${type} ${(fields['queries'] as string[]).join(', ')} -> ${found}`]
    }
    case 'image_generation_call':
      return [`${type} -> ${fields['result']}`]
    case 'compaction':
      return [`${type} ${fields['encrypted_content']}`]
    case 'shell_call_output':
      return [`${type} ${(fields['output'] as { stdout: string }[]).map(({ stdout }) => stdout).join('')}`]
    default:
      return []
  }
}

/** Appends text to the message that it belongs to. */
export function collectText(): { add(id: string, text: string): void; all(): string[] } {
  const messages = new Map<string, string>()
  return {
    add: (id, text) => messages.set(id, (messages.get(id) ?? '') + text),
    all: () => [...messages.values()],
  }
}

/** An error in one line, without the values that validators print. */
export function messageOf(error: unknown): string {
  const [issue] = (Object(error) as { issues?: { message: string }[] }).issues ?? []
  const message = issue?.message ?? (error instanceof Error ? error.message : JSON.stringify(error))
  // The helper of openai 6 prints the whole event.
  return (message.split(/: Value:|\n/)[0] ?? '').replace(/\{"type":"([^"]*)".*/, '$1')
}
