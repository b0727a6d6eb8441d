import type { StatementSync } from "node:sqlite"
import { checkRange, checkRecordKey, encodeRecord } from "./limits.ts"
import type { Json, RangeOptions, Records, StoredRecord } from "./records.ts"
import { guardSqlite, openSqlite, type SqliteFile, shrinkSqlite } from "./sqlite-file.ts"

/**
 * Creates the interface to records in a SQLite file, which several processes can use safely. See `openSqlite` for
 * durability. `now` only determines when expired records are dropped.
 */
export function createSqliteRecords({ file, now = Date.now }: { file: string; now?: () => number }): Records & {
  close(): void
  /** Returns unused pages to the disk. Should be called regularly. */
  shrink(): void
} {
  const db = openSqlite(file, SCHEMA)
  const select = db.prepare("SELECT * FROM records WHERE partition = ? AND sort = ?")
  const puts = preparePuts(db)
  const remove = db.prepare("DELETE FROM records WHERE partition = :partition AND sort = :sort")
  const removeIf = db.prepare(
    "DELETE FROM records WHERE partition = :partition AND sort = :sort AND version = :version",
  )
  const dropExpired = db.prepare("DELETE FROM records WHERE expires_at < ?")
  const prepare = preparedOnce(db)
  let dropAt = 0

  return {
    async get(key, { signal } = {}) {
      signal?.throwIfAborted()
      checkRecordKey(key)
      const row = guardSqlite(() => select.get(key.partition, key.sort))
      return row && toRecord(row as unknown as Row)
    },

    async put(key, body, options = {}) {
      options.signal?.throwIfAborted()
      const row = {
        partition: key.partition,
        sort: key.sort,
        value: encodeRecord(key, body, options),
        bytes: body.bytes ?? null,
        list: options.listed?.list ?? null,
        list_order: options.listed?.order ?? null,
        expires_at: options.expiresAt ?? null,
      }
      if (now() >= dropAt) {
        guardSqlite(() => dropExpired.run(Math.floor(now() / 1000)))
        dropAt = now() + HOUR_MS
      }
      // Use `all` instead of `get`. A statement commits when it has finished, but `get` stops at the first row, and
      // would hide a failed commit.
      const rows = guardSqlite(() => {
        if (options.ifAbsent) return puts.ifAbsent.all(row)
        if (options.ifVersion !== undefined) return puts.ifVersion.all({ ...row, version: options.ifVersion })
        return puts.always.all(row)
      })
      return rows[0]?.version as number | undefined
    },

    async remove(key, { ifVersion, signal } = {}) {
      signal?.throwIfAborted()
      checkRecordKey(key)
      const at = { partition: key.partition, sort: key.sort }
      if (ifVersion !== undefined) return guardSqlite(() => removeIf.run({ ...at, version: ifVersion })).changes === 1
      guardSqlite(() => remove.run(at))
      return true
    },

    async *range(partition, options = {}) {
      checkRange(partition, options)
      yield* pages(prepare, { scope: "partition", columns: ["sort"] }, partition, options)
    },

    async *byList(list, options = {}) {
      checkRange(list, options)
      yield* pages(prepare, { scope: "list", columns: ["list_order", "partition", "sort"] }, list, options)
    },

    close: () => db.close(),
    shrink: () => shrinkSqlite(db),
  }
}

// SQLite compares TEXT byte by byte, in UTF-8. This is the order that `Records` specifies.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS records (
    partition TEXT NOT NULL,
    sort TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT NOT NULL,
    bytes BLOB,
    list TEXT,
    list_order TEXT,
    expires_at INTEGER,
    PRIMARY KEY (partition, sort)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS records_by_list ON records (list, list_order, partition, sort) WHERE list IS NOT NULL;
  CREATE INDEX IF NOT EXISTS records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;
`

const HOUR_MS = 60 * 60 * 1000

/** Maximum size of a page, as in DynamoDB. It limits the memory used, however large the records are. */
const PAGE_BYTES = 1024 * 1024

interface Row {
  partition: string
  sort: string
  version: number
  value: string
  bytes: Uint8Array | null
  list_order: string | null
}

type Prepare = (sql: string) => StatementSync

/**
 * Prepares each statement only once. All prepared statements are kept, because there are only a few kinds of ranges.
 */
function preparedOnce(db: SqliteFile): Prepare {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const statement = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
}

interface Order {
  scope: "partition" | "list"
  columns: ("sort" | "list_order" | "partition")[]
}

function preparePuts(db: SqliteFile) {
  const insert = `INSERT INTO records (partition, sort, version, value, bytes, list, list_order, expires_at)
    VALUES (:partition, :sort, 1, :value, :bytes, :list, :list_order, :expires_at)`
  const update = `version = version + 1, value = :value, bytes = :bytes,
    list = :list, list_order = :list_order, expires_at = :expires_at`
  return {
    ifAbsent: db.prepare(`${insert} ON CONFLICT DO NOTHING RETURNING version`),
    ifVersion: db.prepare(
      `UPDATE records SET ${update} WHERE partition = :partition AND sort = :sort AND version = :version RETURNING version`,
    ),
    always: db.prepare(`${insert} ON CONFLICT DO UPDATE SET ${update} RETURNING version`),
  }
}

/**
 * Yields records and reads one page at a time. No statement stays open between pages, so a consumer may stop, wait or
 * write.
 */
async function* pages(
  prepare: Prepare,
  order: Order,
  scope: string,
  options: RangeOptions,
): AsyncGenerator<StoredRecord> {
  let left = options.limit ?? Number.MAX_SAFE_INTEGER
  let last: Row | undefined
  while (left > 0) {
    options.signal?.throwIfAborted()
    const { rows, more } = guardSqlite(() => readPage(prepare, order, scope, { ...options, limit: left }, last))
    for (const row of rows) yield toRecord(row)
    if (!more) return
    left -= rows.length
    last = rows.at(-1)
  }
}

/** Reads one page. `more` is true if the page ended because it was full. */
function readPage(
  prepare: Prepare,
  { scope: scoped, columns }: Order,
  scope: string,
  options: RangeOptions,
  last?: Row,
) {
  const { from, to, limit = 0, reverse } = options
  const where = [`${scoped} = ?`]
  const values: (string | number)[] = [scope]
  const bound = (left: string, compare: string, ...bounds: string[]) => {
    where.push(`${left} ${compare} (${bounds.map(() => "?")})`)
    values.push(...bounds)
  }
  if (from !== undefined) bound(`${columns[0]}`, ">=", from)
  if (to !== undefined) bound(`${columns[0]}`, "<=", to)
  if (last) bound(`(${columns})`, reverse ? "<" : ">", ...columns.map((column) => last[column] ?? ""))

  const by = columns.map((column) => (reverse ? `${column} DESC` : column))
  const rows: Row[] = []
  let sizeBytes = 0
  let more = false
  const sql = `SELECT * FROM records WHERE ${where.join(" AND ")} ORDER BY ${by} LIMIT ?`
  for (const found of prepare(sql).iterate(...values, limit)) {
    const row = found as unknown as Row
    rows.push(row)
    sizeBytes += row.value.length + (row.bytes?.length ?? 0)
    more = sizeBytes > PAGE_BYTES
    if (more) break
  }
  return { rows, more }
}

function toRecord(row: Row): StoredRecord {
  return {
    key: { partition: row.partition, sort: row.sort },
    version: row.version,
    value: JSON.parse(row.value) as { [key: string]: Json },
    ...(row.bytes && { bytes: row.bytes }),
  }
}
