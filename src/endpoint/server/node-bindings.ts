import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'

export interface NodeBindings {
  readonly incoming: IncomingMessage | undefined
  readonly outgoing: ServerResponse | undefined
  /** Whether no middleware of a host may still change an answer: it is written at once, without a web stream. */
  readonly isOwn: boolean
}

/** Marks a request as one of our own server, in what `@hono/node-server` says of it. */
export function markOwn(env: unknown): void {
  Object.assign(Object(env), OWN)
}

const OWN = { isOwn: true }

/** Returns Node's own request and response if the app runs on `@hono/node-server`; undefined on other runtimes. */
export function nodeBindings({ env }: Pick<Context, 'env'>): NodeBindings {
  const { incoming, outgoing, isOwn } = Object(env) as Partial<NodeBindings>
  return {
    incoming: typeof incoming?.pause === 'function' ? incoming : undefined,
    outgoing: typeof outgoing?.write === 'function' ? outgoing : undefined,
    isOwn: isOwn === true,
  }
}
