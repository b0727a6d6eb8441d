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

/** Maximum time to wait for a write by another process. Writes take milliseconds. */
const BUSY_MS = 10_000

/** Version of the table layout. Increment it with each change, and migrate older files. */
const LAYOUT = 1

/**
 * Opens or creates a SQLite file that several processes may use at the same time. Committed data survives if the
 * process dies. With `synchronous = NORMAL`, a power failure may lose the last commits, but never damages the file or
 * leaves a partial commit. In return, a machine can do thousands of writes per second. Throws if the file is damaged,
 * or was written by a newer version. In this case, the file remains unchanged.
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
  // This setting only takes effect in a new file, before it has any content.
  db.exec("PRAGMA auto_vacuum = INCREMENTAL")
  switchToWal(db)
  db.exec("PRAGMA synchronous = NORMAL")
  inTransaction(db, () => db.exec(`${schema}; PRAGMA user_version = ${LAYOUT}`))
}

/**
 * Creates a file that only its owner can read, because other users may be able to read the folder. SQLite gives its
 * auxiliary files the same mode. Doesn't open an existing file, because closing it here would drop the locks that this
 * process has on it.
 */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

/**
 * Returns some unused pages to the disk if this is worthwhile. An older file without incremental vacuum is rewritten
 * once more than half of it is unused.
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
    // The file shrinks when the WAL is checkpointed.
    db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()
  })
}

const INCREMENTAL = 2
/**
 * Minimum number of unused pages to return to the disk (4 MB), and the maximum number per call (40 MB, which takes a
 * fraction of a second).
 */
const WORTH_PAGES = 1000
const PAGES_AT_ONCE = 10_000

function refuseNewer(db: SqliteFile, file: string): void {
  const layout = Number(db.prepare("PRAGMA user_version").get()?.user_version)
  if (layout <= LAYOUT) return
  throw new AppError(
    "storage_unavailable",
    `${file} was written by a newer version of Switchyard. Use that version to read it.`,
  )
}

/** Runs `work` in a transaction. Acquires the write lock before that, so that the transaction never fails halfway. */
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

/**
 * Switches the file to WAL mode. If several processes open a new file, SQLite lets one of them switch it. The others
 * fail immediately, so they retry here.
 */
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
  [READ_ONLY]: "The server doesn't have permission to write to its data folder.",
  [IO_ERROR]: "The server's disk is failing or full.",
  [DISK_FULL]: "The disk is full.",
}

/** Maps errors of SQLite to `storage_unavailable` (busy, out of space, failing disk) and `storage_damaged`. */
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

/** Like `guardSqlite`, but the error message also names the file and says what the operator can do. */
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
const REMEDY = "Restore the data folder from a backup, or recover the file's content with sqlite3's `.recover`."

/**
 * Returns the primary SQLite error code, or 0 if there is none. Extended codes contain the primary code in their low
 * byte.
 */
function sqliteCode(error: unknown): number {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : 0
}
