/**
 * Whether a tool's MCP annotations allow a second call: it only reads (`readOnlyHint`), or repeating it has no further
 * effect (`idempotentHint`).
 */
export function saysRepeatable(annotations: unknown): boolean {
  const { readOnlyHint, idempotentHint } = Object(annotations) as {
    readonly readOnlyHint?: unknown
    readonly idempotentHint?: unknown
  }
  return readOnlyHint === true || idempotentHint === true
}
