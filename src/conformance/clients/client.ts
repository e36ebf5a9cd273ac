import type { Invariant } from '../invariant.js'
import { jsonHash } from '../json-hash.js'
import type { StreamEvent } from '../stream-event.js'
import { TextHash } from './text-hash.js'
import type { Where } from './votes.js'

/** The clients whose reading of a stream is known. */
export const CLIENTS = ['openai', 'ai-sdk', 'openai-agents', 'langchain', 'codex'] as const

export type Client = (typeof CLIENTS)[number]

/** What a client breaks at: an invariant that only its model can judge, because it depends on what was read before. */
export type ClientRule = Omit<Invariant, 'neededBy' | 'on' | 'begin'>

/** How a response ended, to a client: as the stream says, by an exception, or (`open`) never. */
export type Ending = 'completed' | 'incomplete' | 'failed' | 'threw' | 'open'

/** A call that a client will run, or hand to the application to be run. */
export interface SeenCall {
  readonly name: string
  /** What the tool is given, before it is parsed. */
  readonly arguments: TextHash
  /** Digest of the same, parsed where it is JSON: clients that parse it show no more than this. */
  readonly value: number
}

/** A call as a client hands it on. */
export function seenCall(name: string, given: string): SeenCall {
  return { name, arguments: TextHash.of(given), value: jsonHash(parsed(given)) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What a client's user sees of a stream. Readers append to it as the client does. */
export class Seen {
  /** Text as it was shown while it was streamed. */
  readonly streamed: TextHash = new TextHash()
  /** The text of the result that the application gets at the end; absent where that is what was streamed. */
  final: TextHash | undefined
  /** Reasoning, as it was shown: raw and summaries, of all that the client shows. */
  readonly reasoning: TextHash = new TextHash()
  /** Calls for the application, in the order in which they are run. */
  readonly calls: SeenCall[] = []
  /** The URLs (or ids of files) of citations, in order. */
  readonly citations: string[] = []
  /** What it shows of calls that are not in `calls`: digests, of models that follow them. */
  readonly hosted: string[] = []
  ending: Ending = 'open'
  /** The error in the client's words, or in ours where its words depend on more than the stream. */
  error: string | undefined
}

/** Reads one stream as a client does. */
export interface ClientReader {
  /** Reads the next event. After the client threw, or left, nothing changes any more. */
  read(event: StreamEvent): void
  /** The stream is over. */
  end(): void
  readonly seen: Seen
}

/**
 * Reports that the client breaks at the event that is read: it throws, or loses what the event says.
 *
 * @param rule - the id of one of the model's rules
 * @param expected - what the client wants, in words
 * @param got - what came: the value, or (then `words`) what there is to say of it
 * @param at - the event that is to blame, where that is another than the one that is read
 */
export type Breaks = (rule: string, expected: string, got: unknown, words?: string, at?: Where) => void

/** Which parts of a response a client shows at all: the rest cannot be lost. */
export interface Reads {
  /** Text of messages while it is streamed. */
  readonly streamed: boolean
  /** It shows messages that are done alone: what a failure cuts off is lost by design. */
  readonly wholeMessages?: true
  /** Text of messages in the result, read from other fields than the streamed text. */
  readonly final: boolean
  readonly refusals: boolean
  readonly rawReasoning: boolean
  readonly summaries: boolean
  readonly functionCalls: boolean
  readonly customCalls: boolean
  /** Whether it names a call with the namespace of its tool. */
  readonly namespaces: boolean
  readonly citations: boolean
  /** How it ends where the response says that it is incomplete, or failed. */
  readonly incomplete: Ending
  readonly failed: Ending
}

/** A client: what it reads of a stream, and what breaks it. */
export interface ClientModel {
  readonly client: Client
  /** Its name in a sentence. */
  readonly name: string
  /** The versions of its packages that the model was measured against. */
  readonly versions: Readonly<Record<string, string>>
  readonly reads: Reads
  /** What it breaks at. Ids begin with the client's name. */
  readonly rules: readonly ClientRule[]
  begin(breaks: Breaks): ClientReader
}
