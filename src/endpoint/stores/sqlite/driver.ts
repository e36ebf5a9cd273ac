import { HarmonyResponsesError } from '../../../shared/errors.js'
import { createPrivateFile } from '../../../shared/system/platform/private-files.js'
import { isMarked, marked, unmarked } from '../database/marked-text.js'

/** The values of a column. */
export type Value = string | number | Uint8Array | null

export type Row = Readonly<Record<string, Value>>

export interface Statement {
  /** Runs it. Returns the number of changed rows. */
  run(...values: readonly Value[]): number
  get(...values: readonly Value[]): Row | undefined
  all(...values: readonly Value[]): readonly Row[]
}

/** A database of any driver: every call is complete when it returns. */
export interface Database {
  readonly driver: Driver
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

/** `node:sqlite` is part of Node from 22.13 on; `better-sqlite3` is a package. */
export type Driver = 'node:sqlite' | 'better-sqlite3'

/** What each driver needs. */
const NEEDS: Readonly<Record<Driver, string>> = {
  'node:sqlite': 'Node 22.13 or newer',
  'better-sqlite3': 'the package better-sqlite3',
}

/** The common interface of both drivers. */
interface Opened {
  exec(sql: string): unknown
  prepare(sql: string): {
    run(...values: readonly Value[]): { readonly changes: number | bigint }
    get(...values: readonly Value[]): Row | undefined
    all(...values: readonly Value[]): readonly Row[]
  }
  close(): unknown
}

type Open = new (file: string) => Opened

/**
 * @param driver - default: `node:sqlite` if Node has it, else `better-sqlite3`
 * @throws HarmonyResponsesError `bad_option` if neither is available
 */
export async function openDatabase(file: string, driver?: Driver): Promise<Database> {
  const causes: unknown[] = []
  const names: readonly Driver[] = driver === undefined ? ['node:sqlite', 'better-sqlite3'] : [driver]
  for (const name of names) {
    let Opened: Open
    try {
      Opened = await classOf(name)
    } catch (error) {
      causes.push(error)
      continue
    }
    // Not before the driver is there: without one no file is left behind.
    makePrivate(file)
    return wrapped(name, new Opened(file))
  }
  const ways = names.map((name) => NEEDS[name]).join(', or ')
  throw new HarmonyResponsesError('bad_option', `createSqliteStore: expected ${ways}`, { cause: causes.at(-1) })
}

/** SQLite creates its other files with the permissions of this one. */
export function makePrivate(file: string): void {
  if (file !== '' && !file.startsWith(':')) createPrivateFile(file)
}

async function classOf(name: Driver): Promise<Open> {
  // Imported by a variable: the types of this project's Node lack the module, and bundlers leave it alone.
  const module = (await import(name)) as { readonly DatabaseSync?: Open; readonly default?: Open }
  const found = name === 'node:sqlite' ? module.DatabaseSync : module.default
  if (found === undefined) throw new Error(`${name} has no database`)
  return found
}

function written(value: Value): Value {
  return typeof value === 'string' ? marked(value) : value
}

function read(row: Row): Row {
  for (const value of Object.values(row)) if (typeof value === 'string' && isMarked(value)) return unmarkedRow(row)
  return row
}

function unmarkedRow(row: Row): Row {
  const entries = Object.entries(row)
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? unmarked(value) : value]))
}

function wrapped(driver: Driver, database: Opened): Database {
  return {
    driver,
    exec: (sql) => void database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        run: (...values) => Number(statement.run(...values.map(written)).changes),
        get(...values) {
          const row = statement.get(...values.map(written))
          return row && read(row)
        },
        all: (...values) => statement.all(...values.map(written)).map(read),
      }
    },
    close: () => void database.close(),
  }
}
