import { AppError } from "../errors.ts"
import type { BlobKey } from "./blobs.ts"
import type { PutOptions, RangeOptions, RecordBody, RecordKey } from "./records.ts"

// The limits of all stores are in this file, so that all implementations reject the same input.

/** Maximum size of a record as measured by `recordSize`: DynamoDB's item limit. */
export const MAX_RECORD_BYTES = 400 * 1024

/** Maximum lifetime of a signed URL, as in S3. */
const MAX_URL_SECONDS = 7 * 24 * 60 * 60

/** Allowance for a record's attribute names and numbers, which DynamoDB also counts. They never need more. */
const OVERHEAD_BYTES = 128

/** Returns a record's size as it counts towards `MAX_RECORD_BYTES`. `json` is the record's value. */
export function recordSize(key: RecordKey, json: string, body: RecordBody, listed: PutOptions["listed"]): number {
  const texts = [key.partition, key.sort, json, listed?.list ?? "", listed?.order ?? ""]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), OVERHEAD_BYTES + (body.bytes?.byteLength ?? 0))
}

/** Returns the record's value as JSON. Throws if the put is invalid. */
export function encodeRecord(key: RecordKey, body: RecordBody, options: PutOptions): string {
  checkRecordKey(key)
  if (options.listed) {
    checkText("A list's name", options.listed.list, 1024)
    checkText("The order in a list", options.listed.order, 512)
  }
  if (options.ifAbsent && options.ifVersion !== undefined) refuse("A put can't have both ifAbsent and ifVersion.")
  if (options.expiresAt !== undefined && !isCount(options.expiresAt))
    refuse("expiresAt must be a whole number of seconds, 0 or more.")
  const json = JSON.stringify(body.value)
  const sizeBytes = recordSize(key, json, body, options.listed)
  if (sizeBytes <= MAX_RECORD_BYTES) return json
  throw new AppError("storage_too_large", "The record is too large.", {
    size_bytes: sizeBytes,
    limit: MAX_RECORD_BYTES,
  })
}

export function checkRecordKey(key: RecordKey): void {
  checkText("A partition", key.partition, 1024)
  checkText("A sort key", key.sort, 512)
}

export function checkRange(partition: string, { from, to, limit }: RangeOptions): void {
  checkText("A partition", partition, 1024)
  if (from !== undefined) checkText("from", from, 512)
  if (to !== undefined) checkText("to", to, 512)
  if (limit !== undefined && !isCount(limit)) refuse("A limit must be a whole number, 0 or more.")
}

export function checkBlobKey(key: BlobKey): void {
  checkText("A blob's key", key, 900)
  checkPrefix(key)
  if (key.split("/").some((segment) => segment === "." || segment === "..")) {
    refuse("A blob's key must not contain dot segments.", { key })
  }
}

/** Throws for an empty prefix, because it is more likely a mistake than a request to remove everything. */
export function checkRemovedPrefix(prefix: string): void {
  if (prefix === "") refuse("The prefix to remove must not be empty.")
  checkPrefix(prefix)
}

/**
 * Throws if a prefix contains characters that keys can't contain. Checks nothing else, because a prefix may end
 * anywhere in a key.
 */
export function checkPrefix(prefix: string): void {
  if (!prefix.isWellFormed() || /[\p{Cc}\uFFFE\uFFFF]/u.test(prefix)) {
    refuse("A blob's key must not contain control characters.", { key: prefix.toWellFormed() })
  }
}

export function checkByteRange(range: { start: number; end?: number } | undefined): void {
  if (!range) return
  const { start, end = start } = range
  if (!isCount(start) || !isCount(end) || end < start) refuse("A range must satisfy 0 <= start <= end.")
}

export function checkUrlLife(expiresInSeconds: number): void {
  if (!isCount(expiresInSeconds) || expiresInSeconds < 1 || expiresInSeconds > MAX_URL_SECONDS) {
    refuse("A signed URL must be valid for one second to one week.")
  }
}

/**
 * Compares strings by their UTF-8 bytes. JavaScript compares UTF-16 units, which gives a different order above U+FFFF.
 */
export function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function checkText(what: string, text: string, maxBytes: number): void {
  // Lone surrogates can't be encoded in UTF-8. A store would replace them, and two different keys could become the
  // same.
  if (!text.isWellFormed()) refuse(`${what} must be well-formed Unicode.`)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes === 0 || sizeBytes > maxBytes)
    refuse(`${what} must have 1 to ${maxBytes} bytes.`, { size_bytes: sizeBytes })
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function refuse(message: string, details: Record<string, unknown> = {}): never {
  throw new AppError("validation_error", message, details)
}
