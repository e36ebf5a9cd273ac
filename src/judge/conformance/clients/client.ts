import type { PossibleCauses } from '../causes.js'
import type { Invariant, WrittenRule } from '../invariant.js'
import { jsonHash } from '../json-hash.js'
import { jsonIn } from '../json-text.js'
import type { StreamEvent } from '../stream-event.js'
import type { Client } from './names.js'
import { TextHash } from './text-hash.js'
import type { EventRef } from './votes.js'

export { CLIENTS, type Client } from './names.js'

/** A rule that only the model of a client can check, because it depends on the state of the client. */
export interface ClientRule extends Pick<WrittenRule<Invariant>, 'id' | 'sentence' | 'severity' | 'fault'> {
  /** What may cause its violations. */
  readonly causes?: PossibleCauses
  /** The client loses the event: what it lacks at the end follows from that. */
  readonly explainsLosses?: true
}

/** Rules by their ids. A sentence alone is a rule that breaks the client, and is the server's fault. */
export function rulesOf(rules: Readonly<Record<string, string | Omit<ClientRule, 'id'>>>): readonly ClientRule[] {
  return Object.entries(rules).map(([id, rule]) => ({ id, ...(typeof rule === 'string' ? { sentence: rule } : rule) }))
}

/**
 * The rules of all clients of an API, with the profiles that need them. Their models check them, because the rules
 * depend on the state of the client.
 *
 * @param losses - the rules that hold for every client
 * @param prefix - the profile of a client, up to its name
 */
export function clientRules<Prefix extends string, Name extends string>(
  losses: readonly ClientRule[],
  prefix: Prefix,
  models: Readonly<Record<Name, { readonly rules: readonly ClientRule[] }>>,
): (ClientRule & { readonly neededBy: readonly `${Prefix}${Name}`[] })[] {
  const names = Object.keys(models) as Name[]
  const all = [...names.flatMap((name) => models[name].rules), ...losses]
  const explaining = all.filter(({ explainsLosses }) => explainsLosses).map(({ id }) => id)
  const explained = (rule: ClientRule): ClientRule =>
    rule.explainsLosses ? rule : { ...rule, causes: { stream: [...(rule.causes?.stream ?? []), ...explaining] } }
  return [
    ...losses.map((rule) => ({ ...explained(rule), neededBy: names.map((name) => `${prefix}${name}` as const) })),
    ...names.flatMap((name) =>
      models[name].rules.map((rule) => ({ ...rule, neededBy: [`${prefix}${name}` as const] })),
    ),
  ]
}

/** The model for a client's profile; undefined for any other profile. */
export function modelFor<Model>(models: Readonly<Record<string, Model>>, profile: string): Model | undefined {
  const [, client] = profile.split(':')
  return client === undefined ? undefined : models[client]
}

/** The ending of a response for a client: as the stream states, with an exception (`threw`), or never (`open`). */
export type Ending = 'completed' | 'incomplete' | 'failed' | 'cancelled' | 'threw' | 'open'

export const ENDING_WORDS: Readonly<Record<Ending, string>> = {
  completed: 'completed',
  incomplete: 'incomplete',
  failed: 'failed',
  cancelled: 'cancelled',
  threw: 'an exception',
  open: 'no end',
}

/** A call that a client runs, or passes to the application to run. */
export interface SeenCall {
  readonly name: string
  /** The arguments or input as text. */
  readonly arguments: TextHash
  /** The hash of the parsed arguments if they are JSON, otherwise of the text. Clients that parse compare by this. */
  readonly value: number
  /** Texts of the stream that the client parses to this value, as well. Only for models whose tools get no text. */
  readonly sameValue?: readonly TextHash[]
  /** Whether the tool gets fields or a text; only for models that can take one for the other. */
  readonly type?: 'function_call' | 'custom_tool_call'
  /** It is passed on as a call that cannot be run, because no tool takes such arguments. */
  readonly isInvalid?: true
}

/** Whether the client runs a call with these arguments. */
export const hasArguments = ({ arguments: own, sameValue = [] }: SeenCall, given: TextHash): boolean =>
  own.equals(given) || sameValue.some((text) => text.equals(given))

/** A call for messages: `get_weather with {}`. */
export const callWords = ({ name, arguments: given }: Pick<SeenCall, 'name' | 'arguments'>): string =>
  `${name} with ${given.plain}`

/** Creates a call from its name and arguments. `json`: what these are as JSON, where the caller has read that. */
export function seenCall(name: string, given: string, json: ReturnType<typeof jsonIn> = jsonIn(given)): SeenCall {
  return { name, arguments: TextHash.of(given), value: jsonHash(json === undefined ? given : json.value) }
}

/** Whether a client has run these calls, in order. One that was cut off may be missing. */
export function ranInOrder<Call>(
  calls: readonly Call[],
  seen: readonly SeenCall[],
  isCut: (call: Call) => boolean,
  isNamed: (call: Call, one: SeenCall) => boolean,
  isSame: (call: Call, one: SeenCall) => boolean,
): boolean {
  let at = 0
  for (const call of calls) {
    const one = seen[at]
    if (isCut(call)) {
      if (one !== undefined && isNamed(call, one)) at++
    } else if (one === undefined || !isSame(call, one)) return false
    else at++
  }
  return at === seen.length
}

/**
 * Shows a call as ai runs it: missing arguments are an empty object, and it does not run a call without JSON.
 *
 * @returns whether it runs
 */
export function runByAi(seen: Seen, call: SeenCall, given: string): boolean {
  const isJson = jsonIn(given) !== undefined
  const isEmpty = given.trim() === ''
  if (isJson) seen.calls.push(call)
  else seen.calls.push({ ...call, ...(isEmpty ? { value: jsonHash({}) } : { isInvalid: true }) })
  return isJson || isEmpty
}

/** The view of a client's user on a stream. Client readers add to it as the client does. */
export class Seen {
  /** The text that was shown during streaming. */
  readonly streamed: TextHash = new TextHash()
  /** The text of the final result; undefined if the client has no result beside the streamed text. */
  final: TextHash | undefined
  /** The reasoning that was shown: raw text and summaries, as far as the client shows them. */
  readonly reasoning: TextHash = new TextHash()
  /** The calls for the application, in the order in which they run. */
  readonly calls: SeenCall[] = []
  /** The URLs or file ids of citations, in order. */
  citations: string[] = []
  /** Hashes of other calls that it shows, such as hosted calls; only for models that track them. */
  readonly hosted: string[] = []
  /** The ids of the items behind `hosted`, with the names that they are shown by. */
  readonly hostedItems: Map<string, string> = new Map()
  ending: Ending = 'open'
  /** The reason for the end that it passes on; only for models that track it. */
  finish: unknown
  /** The client's error message, or our description if the message depends on more than the stream. */
  error: string | undefined
}

/** Simulates how a client reads one stream: its events, or values in place of chunks of Chat Completions. */
export interface ClientReader<Event = StreamEvent> {
  /** Reads the next event. Has no effect after the client threw or stopped reading. */
  read(event: Event): void
  /** Ends the stream. */
  end(): void
  readonly seen: Seen
}

/** What all readers have. */
export abstract class BaseReader<Event = StreamEvent> implements ClientReader<Event> {
  readonly seen: Seen = new Seen()
  protected readonly reportBreak: ReportBreak
  /** Whether the client has stopped reading. */
  protected isOver = false

  constructor(reportBreak: ReportBreak) {
    this.reportBreak = reportBreak
  }

  abstract read(event: Event): void
  abstract end(): void
}

/**
 * Reports that the current event breaks the client: it throws, or loses the content of the event.
 *
 * @param rule - the id of one of the model's rules
 * @param expected - what the client needs, in words
 * @param got - the value that came
 * @param words - a description that replaces `got`
 * @param at - the event at fault, if it is not the current one
 */
export type ReportBreak = (rule: string, expected: string, got: unknown, words?: string, at?: EventRef) => void

/** The parts of a response that a client shows: it cannot lose others. */
export interface Reads {
  /** It shows the text of messages during streaming. */
  readonly streamed: boolean
  /** It shows complete messages only, so that a message cut off by a failure is lost by design. */
  readonly wholeMessages?: true
  /** It has a final result with text from other fields than the deltas. */
  readonly final: boolean
  readonly refusals: boolean
  readonly rawReasoning: boolean
  readonly summaries: boolean
  readonly functionCalls: boolean
  readonly customCalls: boolean
  /** It includes the namespace in the name of a call. */
  readonly namespaces: boolean
  readonly citations: boolean
  /** The rule for hosted calls, if it shows them. */
  readonly hosted?: string
  /** Its ending if the response is incomplete, failed or cancelled. */
  readonly incomplete: Ending
  readonly failed: Ending
  readonly cancelled: Ending
}

/** The model of a client of some API: the parts of a stream that it reads, and the faults that break it. */
export interface ClientModel<Event = StreamEvent, Name extends string = Client, Shown = Reads> {
  readonly client: Name
  /** Its name for messages. */
  readonly name: string
  /** The package versions that the model was tested against. */
  readonly versions: Readonly<Record<string, string>>
  readonly reads: Shown
  /** The rules that it checks. Their ids start with the client's name, in Chat Completions behind `chat-`. */
  readonly rules: readonly ClientRule[]
  begin(reportBreak: ReportBreak): ClientReader<Event>
}
