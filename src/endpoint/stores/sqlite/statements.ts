import type { Database, Statement } from './driver.js'

/** The prepared statements of a database, and its transactions. */
export interface Statements {
  /** Returns the statement of a text, which is prepared once. */
  sql(text: string): Statement
  /** Runs the work in one transaction, which is undone if it throws. */
  inTransaction<Result>(work: () => Result): Result
}

export function createStatements(database: Database): Statements {
  const statements = new Map<string, Statement>()

  function sql(text: string): Statement {
    let statement = statements.get(text)
    if (statement === undefined) {
      statement = database.prepare(text)
      statements.set(text, statement)
    }
    return statement
  }

  function inTransaction<Result>(work: () => Result): Result {
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (error) {
      try {
        database.exec('ROLLBACK')
      } catch {
        // SQLite itself rolls back when the disk is full.
      }
      throw error
    }
  }

  return { sql, inTransaction }
}
