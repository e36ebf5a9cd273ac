/**
 * Whether a tool says by MCP's annotations that calling it twice is as calling it once: it only reads (`readOnlyHint`), or what
 * it does it does once (`idempotentHint`).
 */
export function saysRepeatable(annotations: unknown): boolean {
  const { readOnlyHint, idempotentHint } = Object(annotations) as {
    readonly readOnlyHint?: unknown
    readonly idempotentHint?: unknown
  }
  return readOnlyHint === true || idempotentHint === true
}
