/*
 * What the operator reads of a server: `GET /admin/...`. Plain JSON, without any content of requests or answers. Times
 * are in Unix seconds, durations in seconds.
 */

/** `GET /admin/now`: what runs now. */
export interface AdminNow {
  /** Always `admin.now`. */
  readonly object: 'admin.now'
  /** The time of the answer. */
  readonly at: number
  /** The running responses, oldest first. */
  readonly running: readonly AdminRunning[]
  /** How many requests wait for a place. */
  readonly waiting: number
  /** The tokens that all of them sample in a second, in the last 10 seconds. */
  readonly tokens_per_second: number
  /** The memory in use, and its limit, in bytes. */
  readonly memory: AdminMemory
}

/** A running response. */
export interface AdminRunning {
  /** The id of the response. */
  readonly id: string
  /** Its owner's name. */
  readonly owner: string
  /** The name of the model whose engine runs it, `other` if the server does not list the name. */
  readonly engine: string
  /** How long ago its request was read. */
  readonly age_seconds: number
  /** How many tokens the model has sampled. */
  readonly tokens: number
  /** Tokens a second since the first one. Null before the second one. */
  readonly tokens_per_second: number | null
  /** The share of its input tokens that the engine had cached, 0 to 1. Null if it has not said so yet. */
  readonly cached_share: number | null
}

/** The memory of requests, responses, sockets, readers and the store. */
export interface AdminMemory {
  /** The bytes in use. */
  readonly used_bytes: number
  /** The limit: `limits.memoryBytes`. */
  readonly total_bytes: number
}

/** `GET /admin/requests`: the last requests and the ends of responses, oldest first. */
export interface AdminRequests {
  /** Always `list`. */
  readonly object: 'list'
  /** At most `limit` of them. */
  readonly data: readonly AdminRequest[]
  /** The number of the last one, for `after` of the next request; that of the request itself if there are none. */
  readonly last: number
  /** Whether more of them follow. */
  readonly has_more: boolean
}

/** A request that was answered, or a response that ended after its request, or on a socket. */
export interface AdminRequest {
  /** Its number: it grows with the time, and never repeats. */
  readonly number: number
  /** When it ended. */
  readonly at: number
  /** The value of `x-request-id`. Null for a response of a socket, or one that was taken over. */
  readonly request_id: string | null
  /** The id of the response that it began. Null if none had begun when it was answered. */
  readonly response_id: string | null
  /** The owner's name. Null if the request was refused before that, or needs no key. */
  readonly owner: string | null
  /** `GET`, `POST`, `DELETE`, `OPTIONS`, or `other`. Null for a response that ended on its own. */
  readonly method: string | null
  /** The pattern of the route: `/v1/responses/:id`. Null for a response that ended on its own. */
  readonly route: string | null
  /** The HTTP status. Null for a response that ended on its own. */
  readonly status: number | null
  /** The status of the response, if it has ended. */
  readonly response_status: 'completed' | 'incomplete' | 'failed' | 'cancelled' | null
  /** The code of the error in its answer: `invalid_type`, `rate_limit_exceeded`. Null if there is none. */
  readonly code: string | null
  /** The reason in words of this library alone, which quote nothing of the request. Null if nothing failed. */
  readonly why: string | null
  /** Seconds from its arrival to its end. */
  readonly seconds: number
}

/** `GET /admin/series`: the last hour, in 360 intervals of 10 seconds, oldest first. */
export interface AdminSeries {
  /** Always `admin.series`. */
  readonly object: 'admin.series'
  /** The length of an interval: 10. */
  readonly interval_seconds: number
  /** At most 360 intervals without a gap. The last one is not over yet. */
  readonly data: readonly AdminInterval[]
}

/** Ten seconds of a server. */
export interface AdminInterval {
  /** Its beginning, a multiple of 10. */
  readonly at: number
  /** How many tokens were sampled in it. */
  readonly tokens: number
  /** The same in a second. */
  readonly tokens_per_second: number
  /** The median of the seconds until the first token, of responses that had theirs in it. Null without any. */
  readonly first_token_p50: number | null
  /** The 99th percentile of the same. */
  readonly first_token_p99: number | null
  /** The most responses that ran at a time. */
  readonly running: number
  /** The most requests that waited at a time. */
  readonly waiting: number
  /** How many requests were answered. */
  readonly requests: number
  /** How many errors were sent, by code. `other` for codes after the first 32. */
  readonly errors: Readonly<Record<string, number>>
  /** The share of input tokens that engines had cached, of responses that ended in it. Null if unknown. */
  readonly cached_share: number | null
  /** The most memory in use, in bytes. */
  readonly memory_bytes: number
}

/** `GET /admin/parts`: the parts of a server, and whether they answer. */
export interface AdminParts {
  /** Always `admin.parts`. */
  readonly object: 'admin.parts'
  /** Engines, then tool servers, then the store. */
  readonly data: readonly AdminPart[]
}

/** A part of a server. */
export interface AdminPart {
  /** Its kind. */
  readonly type: 'engine' | 'mcp' | 'store'
  /** Its name: a model, the label of an MCP server, `memory` or `database`. */
  readonly name: string
  /** Whether it answered now. */
  readonly health: 'ok' | 'failing'
  /** Why it is failing. Null if it is not. */
  readonly why: string | null
  /** Seconds until it answered, or was given up. */
  readonly seconds: number
}

/** `POST /admin/responses/ID/cancel`: the response after it was cancelled, or as it had ended before. */
export interface AdminCancelled {
  /** Always `response`. */
  readonly object: 'response'
  /** Its id. */
  readonly id: string
  /** Its status now. */
  readonly status: 'completed' | 'incomplete' | 'failed' | 'cancelled'
}
