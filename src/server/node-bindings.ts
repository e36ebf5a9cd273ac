import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'

interface NodeBindings {
  readonly incoming?: IncomingMessage
  readonly outgoing?: ServerResponse
}

/** Node's own request and response where the app runs on `@hono/node-server`; empty on other runtimes. */
export function nodeBindings({ env }: Pick<Context, 'env'>): NodeBindings {
  const { incoming, outgoing } = Object(env) as NodeBindings
  return {
    ...(typeof incoming?.pause === 'function' && { incoming }),
    ...(typeof outgoing?.write === 'function' && { outgoing }),
  }
}
