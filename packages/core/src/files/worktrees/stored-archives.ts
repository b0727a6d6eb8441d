import { createHash } from "node:crypto"
import { preparedBlob } from "../../kernel/keys.ts"
import type { BlobInfo, Blobs } from "../../storage/blobs.ts"

/** Repository of an owner's sessions. Archives are never shared with other owners, or with other repositories. */
export interface ArchivePlace {
  owner: string
  repository: string
}

/** Maximum size of an archive, compressed. A copy of this size takes S3 a few seconds. */
export const MAX_ARCHIVE_BYTES = 512 * 1024 ** 2
/** Maximum number of archives per owner. The oldest are removed. */
const KEPT = 20
const URL_SECONDS = 600

/**
 * Archives of tools and dependencies that worktrees were prepared with, for the owner's later sessions in the same
 * repository. Runners can't reach them: they receive a URL to read one archive, and hand over new ones in their own
 * session.
 */
export function createStoredArchives({ blobs }: { blobs: Blobs }) {
  const prefixOf = (owner: string) => `prepared/${hashOf(owner)}/`
  const keyOf = ({ owner, repository }: ArchivePlace, name: string) => `${prefixOf(owner)}${hashOf(repository)}/${name}`

  return {
    /** Returns a URL for reading an archive. Null if there is no such archive. */
    async find(place: ArchivePlace, name: string, options: { signal: AbortSignal }): Promise<string | null> {
      const key = keyOf(place, name)
      if (!(await blobs.head(key, options))) return null
      return blobs.signedUrl(key, { expiresInSeconds: URL_SECONDS, filename: name })
    },
    /**
     * Stores an archive that a runner has put into its session. An archive that is already stored stays as it is.
     * Returns false if the archive is missing or too large.
     */
    async keep(
      place: ArchivePlace,
      { sid, incarnation, name }: { sid: string; incarnation: number; name: string },
      options: { signal: AbortSignal },
    ): Promise<boolean> {
      const given = preparedBlob(sid, incarnation, name)
      const found = await blobs.head(given, options)
      if (!found || found.sizeBytes > MAX_ARCHIVE_BYTES) return false
      const key = keyOf(place, name)
      const stored = await Array.fromAsync(blobs.list(prefixOf(place.owner), options))
      if (stored.some((one) => one.key === key)) return true
      for (const old of oldest(stored)) await blobs.remove(old.key, options)
      return blobs.copy(given, key, options)
    },
  }
}

/** Returns the archives to remove before another is added. */
function oldest(stored: BlobInfo[]): BlobInfo[] {
  return stored.toSorted((a, b) => b.modifiedAt - a.modifiedAt).slice(KEPT - 1)
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
