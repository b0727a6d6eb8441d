import type { BlobInfo, BlobKey } from "./blobs.ts"
import { guardSqlite, inTransaction, openSqlite, shrinkSqlite } from "./sqlite-file.ts"

export interface IndexedBlob extends BlobInfo {
  file: string
  contentType: string | null
}

export type FileIndex = ReturnType<typeof createFileIndex>

/**
 * Creates the index that maps blobs to files. A file is marked as condemned before its first byte is written. The
 * transaction that points a key to the file removes this mark, and condemns the key's previous file. After any crash,
 * each file therefore either belongs to a blob or is condemned, and no folder has to be searched for leftover files.
 */
export function createFileIndex({ file, now }: { file: string; now: () => number }) {
  const db = openSqlite(file, SCHEMA)
  const select = db.prepare(`${SELECT} WHERE key = ?`)
  const page = db.prepare(`${SELECT} WHERE key >= ? ORDER BY key LIMIT ?`)
  const pageAfter = db.prepare(`${SELECT} WHERE key > ? ORDER BY key LIMIT ?`)
  const point = db.prepare("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?, ?, ?)")
  const unpoint = db.prepare("DELETE FROM blobs WHERE key = ?")
  const condemn = db.prepare("INSERT INTO condemned VALUES (?, ?)")
  const pardon = db.prepare("DELETE FROM condemned WHERE file = ?")
  const overdue = db.prepare("SELECT file FROM condemned WHERE since < ? LIMIT 100")

  const find = (key: BlobKey) => select.get(key) as IndexedBlob | undefined

  /**
   * Reads a page of blobs. Stops at the first key without the prefix, because keys with the same prefix are adjacent in
   * byte order.
   */
  function readPage(prefix: string, after: BlobKey | undefined, limit: number): IndexedBlob[] {
    const found = after === undefined ? page.all(prefix, limit) : pageAfter.all(after, limit)
    const blobs = found as unknown as IndexedBlob[]
    const end = blobs.findIndex((blob) => !blob.key.startsWith(prefix))
    return end === -1 ? blobs : blobs.slice(0, end)
  }

  return {
    find: (key: BlobKey) => guardSqlite(() => find(key)),

    /** Returns up to `limit` blobs with the prefix, in order, starting after the key `after`. */
    page: (prefix: string, after: BlobKey | undefined, limit: number) =>
      guardSqlite(() => readPage(prefix, after, limit)),

    condemn: (file: string) => guardSqlite(() => condemn.run(file, now())),

    /** Points the key to a file that is still condemned, and returns the key's previous file. */
    point: (key: BlobKey, file: string, sizeBytes: number, contentType: string | undefined) =>
      guardSqlite(() =>
        inTransaction(db, () => {
          const before = find(key)?.file
          if (pardon.run(file).changes !== 1)
            throw new Error("The file was garbage-collected while it was being written.")
          point.run(key, file, sizeBytes, now(), contentType ?? null)
          if (before) condemn.run(before, now())
          return before
        }),
      ),

    /** Removes up to `limit` blobs with the prefix from the index, and condemns their files. */
    drop: (prefix: string, after: BlobKey | undefined, limit: number) =>
      guardSqlite(() =>
        inTransaction(db, () => {
          const dropped = readPage(prefix, after, limit)
          for (const blob of dropped) {
            unpoint.run(blob.key)
            condemn.run(blob.file, now())
          }
          return dropped
        }),
      ),

    /** Returns some files that have been condemned for longer than `ms`. */
    condemnedFor: (ms: number) => guardSqlite(() => overdue.all(now() - ms).map((row) => row.file as string)),

    /** Removes the entries of condemned files that have been deleted. */
    forget: (files: string[]) =>
      guardSqlite(() =>
        inTransaction(db, () => {
          for (const file of files) pardon.run(file)
        }),
      ),

    close: () => db.close(),
    shrink: () => shrinkSqlite(db),
  }
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS blobs (
    key TEXT PRIMARY KEY,
    file TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    content_type TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS condemned (file TEXT PRIMARY KEY, since INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS condemned_by_age ON condemned (since);
`

const SELECT = `SELECT key, file, size_bytes AS sizeBytes, modified_at AS modifiedAt, content_type AS contentType FROM blobs`
