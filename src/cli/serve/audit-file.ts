import type { CallRecord } from '../../endpoint/server/index.js'
import { complaint, type Io, UsageError, unreadable } from '../io.js'

/** A file with a line of JSON for each tool call. */
export interface AuditFile {
  write(call: CallRecord): void
  /** Resolves when all pending lines are written. */
  flush(): Promise<void>
}

/**
 * Opens the file of `--audit` for appending.
 *
 * @throws UsageError if it cannot be written, before the first call rather than after it
 */
export async function openAudit(file: string | undefined, io: Io): Promise<AuditFile | undefined> {
  if (file === undefined) return undefined
  try {
    await io.appendFile(file, '')
  } catch (error) {
    throw new UsageError(`--audit: ${unreadable(file, error, 'write').message}`, { cause: error })
  }
  // Writes are sequential: concurrent ones may interleave long lines.
  let last: Promise<void> = Promise.resolve()
  return {
    write(call) {
      const line = lineOf(call)
      last = last
        .then(() => io.appendFile(file, line))
        .catch((error: unknown) => io.complain(complaint(unreadable(file, error, 'write'))))
    },
    flush: () => last,
  }
}

/**
 * Formats a line. All lines have the same fields in the same order, null if empty. `arguments` are last, if requested.
 */
function lineOf(call: CallRecord): string {
  const fields = {
    time: new Date(call.at * 1000).toISOString().replace('.000', ''),
    owner: call.owner,
    response_id: call.responseId,
    item_id: call.itemId,
    type: call.type,
    server_label: call.serverLabel ?? null,
    name: call.name ?? null,
    allowed_by: call.allowedBy,
    approval_request_id: call.approvalRequestId ?? null,
    ms: Math.ceil(call.seconds * 1000),
    outcome: call.outcome,
    error_code: call.errorCode ?? null,
    ...('arguments' in call && { arguments: call.arguments }),
  }
  return `${escaped(JSON.stringify(fields))}\n`
}

/**
 * Escapes characters that a terminal or an editor acts on: JSON escapes only some of them. The value stays the same.
 */
function escaped(json: string): string {
  return json.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join(''),
  )
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
