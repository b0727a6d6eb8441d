import { closeSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AppError } from "../errors.ts"

export type SqliteFile = DatabaseSync

const BUSY = 5
const READ_ONLY = 8
const IO_ERROR = 10
const CORRUPT = 11
const DISK_FULL = 13
const CANNOT_OPEN = 14
const NO_DATABASE = 26
const DAMAGED = [CORRUPT, NO_DATABASE]
const UNAVAILABLE = [BUSY, READ_ONLY, IO_ERROR, DISK_FULL, CANNOT_OPEN]

/** The message of a store that has no room on its disk. */
export const DISK_FULL_MESSAGE = "The server's disk is full."

/** The time for which a call waits for another process's write. Writes here take milliseconds. */
const BUSY_MS = 10_000

/** The version of the tables' layout. A change of them raises it, and migrates the older ones. */
const LAYOUT = 1

/**
 * Opens or makes a SQLite file that several processes may use at once. What was committed survives the death of the
 * process. With `synchronous = NORMAL` a power cut may take back the last commits, but never leaves a damaged file or
 * half a commit; on one machine that is worth thousands of writes a second. A file that a newer version laid out, and
 * one that is damaged, is refused and left as it is.
 */
export function openSqlite(file: string, schema: string): SqliteFile {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  createPrivately(file)
  return named(file, () => {
    const db = new DatabaseSync(file, { timeout: BUSY_MS })
    try {
      prepareFile(db, file, schema)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  })
}

function prepareFile(db: SqliteFile, file: string, schema: string): void {
  refuseNewer(db, file)
  // Of a new file only, and before anything is in it.
  db.exec("PRAGMA auto_vacuum = INCREMENTAL")
  switchToWal(db)
  db.exec("PRAGMA synchronous = NORMAL")
  inTransaction(db, () => db.exec(`${schema}; PRAGMA user_version = ${LAYOUT}`))
}

/**
 * Creates a file that only its owner can read, for the folder may be one that others can look into. SQLite gives its other
 * files the same mode. One that is there stays closed: closing it here would take the locks of this process off it.
 */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

/**
 * Gives a part of the pages that the file has no use for back to the disk, where that is worth it. A file from before this
 * was thought of is written anew, once, when more than half of it is free.
 */
export function shrinkSqlite(db: SqliteFile): void {
  const pragma = (name: string) => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  guardSqlite(() => {
    const free = pragma("freelist_count")
    if (free < WORTH_PAGES) return
    if (pragma("auto_vacuum") === INCREMENTAL) {
      db.prepare(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`).all()
    } else if (free * 2 > pragma("page_count")) {
      db.exec("PRAGMA auto_vacuum = INCREMENTAL")
      db.exec("VACUUM")
    }
    // The file itself gets shorter when the WAL is folded in.
    db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()
  })
}

const INCREMENTAL = 2
/** 4 MB; and 40 MB, which take a fraction of a second. */
const WORTH_PAGES = 1000
const PAGES_AT_ONCE = 10_000

function refuseNewer(db: SqliteFile, file: string): void {
  const layout = Number(db.prepare("PRAGMA user_version").get()?.user_version)
  if (layout <= LAYOUT) return
  throw new AppError("storage_unavailable", `${file} was written by a newer version, which must be used to read it.`)
}

/** Runs the work as one transaction that takes the write lock first, so that it never fails half-way for being late. */
export function inTransaction<T>(db: SqliteFile, work: () => T): T {
  db.exec("BEGIN IMMEDIATE")
  try {
    const result = work()
    db.exec("COMMIT")
    return result
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw error
  }
}

/** Of several processes that open a new file, SQLite lets one switch it to WAL and fails the others without waiting. */
function switchToWal(db: SqliteFile): void {
  const giveUpAt = performance.now() + BUSY_MS
  for (;;) {
    try {
      db.exec("PRAGMA journal_mode = WAL")
      return
    } catch (error) {
      if (sqliteCode(error) !== BUSY || performance.now() > giveUpAt) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

const UNAVAILABLE_MESSAGE = "The database is currently unavailable."
const UNAVAILABLE_MESSAGES: Record<number, string> = {
  [READ_ONLY]: "The server may not write to its data folder.",
  [IO_ERROR]: "The server's disk fails, or is full.",
  [DISK_FULL]: DISK_FULL_MESSAGE,
}

/** SQLite's own conditions: `storage_unavailable` (busy, out of space, a failing disk) and `storage_damaged`. */
export function guardSqlite<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = sqliteCode(error)
    if (DAMAGED.includes(code)) throw new AppError("storage_damaged", DAMAGED_MESSAGE, {}, { cause: error })
    if (!UNAVAILABLE.includes(code)) throw error
    throw new AppError("storage_unavailable", UNAVAILABLE_MESSAGES[code] ?? UNAVAILABLE_MESSAGE, {}, { cause: error })
  }
}

/** The same, for whoever starts a server: with the file, and what to do about it. */
function named<T>(file: string, work: () => T): T {
  try {
    return guardSqlite(work)
  } catch (error) {
    if (!(error instanceof AppError) || error.cause === undefined) throw error
    const message =
      error.code === "storage_damaged" ? `${file} is damaged. ${REMEDY}` : `${file} can't be opened. ${error.message}`
    throw new AppError(error.code, message, {}, { cause: error.cause })
  }
}

const DAMAGED_MESSAGE = "The database is damaged."
const REMEDY = "Put a copy of the data folder back, or recover what is in the file with sqlite3's `.recover`."

/** The primary code of an error of SQLite, or 0: extended codes keep it in their low byte. */
function sqliteCode(error: unknown): number {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : 0
}
