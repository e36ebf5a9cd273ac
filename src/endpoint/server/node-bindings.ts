import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'

export interface NodeBindings {
  readonly incoming: IncomingMessage | undefined
  readonly outgoing: ServerResponse | undefined
}

/** Returns Node's own request and response if the app runs on `@hono/node-server`; undefined on other runtimes. */
export function nodeBindings({ env }: Pick<Context, 'env'>): NodeBindings {
  const { incoming, outgoing } = Object(env) as Partial<NodeBindings>
  return {
    incoming: typeof incoming?.pause === 'function' ? incoming : undefined,
    outgoing: typeof outgoing?.write === 'function' ? outgoing : undefined,
  }
}
