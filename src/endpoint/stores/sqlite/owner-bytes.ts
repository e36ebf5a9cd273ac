import type { Value } from './driver.js'
import type { Statements } from './statements.js'

/** Counts bytes of an owner that are added, or negative ones that have left. */
export function countBytes({ sql }: Pick<Statements, 'sql'>, owner: Value, bytes: number): void {
  sql(
    'INSERT INTO owners (owner, bytes) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes',
  ).run(owner, bytes)
}

/** Returns the bytes of an owner. */
export function bytesOf({ sql }: Pick<Statements, 'sql'>, owner: Value): number {
  return (sql('SELECT bytes FROM owners WHERE owner = ?').get(owner)?.['bytes'] as number | undefined) ?? 0
}
