/*
 * What happens in a server, for metrics and logs. Times are in seconds, by a clock that only rises. Nothing in it is
 * content; `path`, `param`, `session` and `requestedModel` are the client's own words: log them escaped, and never make labels
 * of them.
 */

interface OfRequest {
  /** As it is sent in `x-request-id`. */
  readonly requestId: string
  /** `GET`, `POST`, `DELETE`, `OPTIONS`, or `other`. */
  readonly method: string
}

/** An HTTP request came. */
export interface RequestStarted extends OfRequest {
  readonly type: 'request_started'
}

/** An HTTP request was answered, its stream to the end, or its client left. */
export interface RequestEnded extends OfRequest {
  readonly type: 'request_ended'
  /** The pattern of the route: `/v1/responses/:id`, or one that ends in `*` if there is none. */
  readonly route: string
  /** The path that was asked for, without the query: the client's words. */
  readonly path: string
  /** Of the answer: a stream's is 200 however it ended. From 400 on, the request was refused or failed. */
  readonly status: number
  readonly seconds: number
  /** The client left before it had the whole answer. */
  readonly isAborted: boolean
  /** Whose request it is, as `authorize` says; null if it was refused before, or is for everyone: a health check. */
  readonly owner: string | null
  /** The code of the error in its answer: `invalid_type`, `host_not_allowed`. Null if there is none. */
  readonly code: string | null
  /** The parameter that the error is about: `input[3].type`. It may have keys that the client chose. */
  readonly param: string | null
  /** What Claude Code says of its session in headers: the client's words, printable and at most 128 characters each. */
  readonly session: SessionNames | null
}

/** The session that a request belongs to, by its client. It identifies no user. */
export interface SessionNames {
  readonly id: string
  readonly agent: string | null
  readonly parentAgent: string | null
}

/** How many responses are made, and how many wait for their turn. */
export interface LoadChanged {
  readonly type: 'load_changed'
  readonly running: number
  readonly waiting: number
}

/** Something was refused, or cut off, because its bytes found no room in `limits.memoryBytes`. */
export interface MemoryRefused {
  readonly type: 'memory_refused'
  /** What the bytes were for: `body`, `queue`, `response`, `socket`, `reader`. */
  readonly purpose: string
  /** How many were asked for. */
  readonly bytes: number
  /** There is no room for so much at any time. */
  readonly isForGood: boolean
  readonly usedBytes: number
  readonly totalBytes: number
}

interface OfResponse {
  readonly responseId: string
  /** The name of the model if the server lists it, else `other`. */
  readonly model: string
}

/** A response was begun: its request was accepted, and has waited for its turn. */
export interface ResponseStarted extends OfResponse {
  readonly type: 'response_started'
  /** Absent if it did not come by an HTTP request of its own: by a socket. */
  readonly requestId?: string
  /** As the request has it: the client's words. */
  readonly requestedModel: string
  /** Since the request was read. */
  readonly seconds: number
}

/** The model's first token of a response. */
export interface FirstToken extends OfResponse {
  readonly type: 'first_token'
  /** Since the request was read. */
  readonly seconds: number
}

/** One call of the engine is over. */
export interface ModelCalled extends OfResponse {
  readonly type: 'model_called'
  readonly seconds: number
  readonly tokens: number
  readonly isFailed: boolean
}

/** A hosted call was run. */
export interface ToolCalled extends OfResponse {
  readonly type: 'tool_called'
  /** The type of its item: `mcp_call`, `code_interpreter_call`, `web_search_call`, `shell_call`. */
  readonly tool: string
  readonly seconds: number
  readonly isFailed: boolean
}

/** A response is over. */
export interface ResponseEnded extends OfResponse {
  readonly type: 'response_ended'
  readonly requestId?: string
  readonly requestedModel: string
  /** `cancelled` too if its client left; `failed` too if it could not be kept. */
  readonly status: 'completed' | 'incomplete' | 'failed' | 'cancelled'
  readonly seconds: number
  /** Null where nothing is known. */
  readonly inputTokens: number | null
  readonly cachedTokens: number | null
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  /** The types of tools that the request declared and the model was not told of, because nothing runs them. */
  readonly unhostedTools: readonly string[]
}

/** A response whose process had died was taken over: this process goes on with it, or has ended it as failed. */
export interface ResponseTakenOver {
  readonly type: 'response_taken_over'
  readonly responseId: string
  readonly goesOn: boolean
  /** Why it does not go on: `client_gone`, `other_version`, `text_engine`, `unknown_model`. Null if it does. */
  readonly reason: string | null
}

export type Metric =
  | RequestStarted
  | RequestEnded
  | LoadChanged
  | MemoryRefused
  | ResponseStarted
  | FirstToken
  | ModelCalled
  | ToolCalled
  | ResponseEnded
  | ResponseTakenOver

/** Receives what happens, while it happens. It is called often, so it has to be quick; what it throws is reported. */
export type OnMetric = (metric: Metric) => void
