import * as z from "zod"
import { repositoryCredentialsKey } from "../../kernel/keys.ts"
import type { Records } from "../../storage/records.ts"
import type { Sealer } from "../../storage/sealing.ts"
import type { Remote, RemoteCredentials } from "./remote.ts"

/** One incarnation of a session. */
export interface SessionLife {
  sid: string
  incarnation: number
}

/**
 * Encrypted credentials for the repositories of sessions. Each session has one record for credentials from the
 * repository URL, and one for its owner's token for the host. They can be decrypted only for the session and URL for
 * which they were given, and not for a later session with the same ID.
 */
export interface RepositoryCredentials {
  /** Stores credentials from the URL, and replaces earlier ones. */
  store(session: SessionLife, remote: Required<Remote>, options: { signal: AbortSignal }): Promise<void>
  /** Stores the owner's credentials for the host of the repository, with the `id` of these credentials. */
  storeOfHost(
    session: SessionLife,
    remote: Required<Remote> & { id: string },
    options: { signal: AbortSignal },
  ): Promise<void>
  /** Returns the ID of the session's host credentials. */
  hostId(sid: string, options: { signal: AbortSignal }): Promise<string | undefined>
  eraseOfHost(sid: string, options: { signal: AbortSignal }): Promise<void>
  /** Returns the credentials from the URL or, if there are none, the credentials for the URL's host. */
  get(session: SessionLife, url: string, options: { signal: AbortSignal }): Promise<RemoteCredentials | undefined>
  /** Copies the credentials from the URL to another session. Does nothing if there are none. */
  copy(from: SessionLife, to: SessionLife, url: string, options: { signal: AbortSignal }): Promise<void>
  erase(sid: string, options: { signal: AbortSignal }): Promise<void>
}

const Stored = z.object({ username: z.string(), password: z.string() })
const HostRecord = z.object({ id: z.string() })

/** Creates the store. `sealerOf` returns a sealer whose key is shared only by the runners of the given session. */
export function createRepositoryCredentials(deps: {
  records: Records
  sealerOf: (sid: string) => Sealer
}): RepositoryCredentials {
  const { records, sealerOf } = deps
  const sealed = (session: SessionLife, { url, credentials }: Required<Remote>) =>
    sealerOf(session.sid).seal(session.sid, sealName(session, url), JSON.stringify(credentials))

  async function read(
    session: SessionLife,
    from: "repository" | "host",
    url: string,
    options: { signal: AbortSignal },
  ): Promise<RemoteCredentials | undefined> {
    const record = await records.get(repositoryCredentialsKey(session.sid, from), options)
    return record?.bytes && opened(sealerOf(session.sid), session, url, record.bytes)
  }

  async function store(session: SessionLife, remote: Required<Remote>, options: { signal: AbortSignal }) {
    const key = repositoryCredentialsKey(session.sid, "repository")
    await records.put(key, { value: {}, bytes: sealed(session, remote) }, options)
  }

  return {
    store,
    async storeOfHost(session, { id, ...remote }, { signal }) {
      const key = repositoryCredentialsKey(session.sid, "host")
      await records.put(key, { value: { id }, bytes: sealed(session, remote) }, { signal })
    },
    async hostId(sid, { signal }) {
      const record = await records.get(repositoryCredentialsKey(sid, "host"), { signal })
      return record && HostRecord.parse(record.value).id
    },
    get: async (session, url, options) =>
      (await read(session, "repository", url, options)) ?? (await read(session, "host", url, options)),
    async copy(from, to, url, options) {
      const credentials = await read(from, "repository", url, options)
      if (credentials) await store(to, { url, credentials }, options)
    },
    async eraseOfHost(sid, { signal }) {
      await records.remove(repositoryCredentialsKey(sid, "host"), { signal })
    },
    async erase(sid, { signal }) {
      await records.remove(repositoryCredentialsKey(sid, "repository"), { signal })
      await records.remove(repositoryCredentialsKey(sid, "host"), { signal })
    },
  }
}

/**
 * Decrypts credentials. Returns undefined if they were stored for another URL or another incarnation of the session.
 */
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
