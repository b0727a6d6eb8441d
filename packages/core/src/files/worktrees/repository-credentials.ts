import * as z from "zod"
import { repositoryCredentialsKey } from "../../kernel/keys.ts"
import type { Records } from "../../storage/records.ts"
import type { Sealer } from "../../storage/sealing.ts"
import type { Remote, RemoteCredentials } from "./remote.ts"

/** One life of a session. */
export interface SessionLife {
  sid: string
  incarnation: number
}

/**
 * The credentials for the repositories of sessions: sealed, one record a session. They open only for the session and the
 * URL that they were given for, and not for a later session of the same id.
 */
export interface RepositoryCredentials {
  /** Replaces those from before. */
  store(session: SessionLife, remote: Required<Remote>, options: { signal: AbortSignal }): Promise<void>
  get(session: SessionLife, url: string, options: { signal: AbortSignal }): Promise<RemoteCredentials | undefined>
  erase(sid: string, options: { signal: AbortSignal }): Promise<void>
}

const Stored = z.object({ username: z.string(), password: z.string() })

/** `sealerOf` has the key that the session's runners have, too, and those of no other session. */
export function createRepositoryCredentials(deps: {
  records: Records
  sealerOf: (sid: string) => Sealer
}): RepositoryCredentials {
  const { records, sealerOf } = deps
  return {
    async store(session, { url, credentials }, { signal }) {
      const { sid } = session
      const bytes = sealerOf(sid).seal(sid, sealName(session, url), JSON.stringify(credentials))
      await records.put(repositoryCredentialsKey(sid), { value: {}, bytes }, { signal })
    },
    async get(session, url, { signal }) {
      const { sid } = session
      const record = await records.get(repositoryCredentialsKey(sid), { signal })
      return record?.bytes && opened(sealerOf(sid), session, url, record.bytes)
    },
    async erase(sid, { signal }) {
      await records.remove(repositoryCredentialsKey(sid), { signal })
    },
  }
}

/** Undefined for what was sealed for another URL, or another life of the session. */
function opened(sealer: Sealer, session: SessionLife, url: string, bytes: Uint8Array): RemoteCredentials | undefined {
  let text: string
  try {
    text = sealer.open(session.sid, sealName(session, url), bytes)
  } catch {
    return undefined
  }
  return Stored.parse(JSON.parse(text))
}

function sealName({ incarnation }: SessionLife, url: string): string {
  return `repository/${incarnation}/${url}`
}
