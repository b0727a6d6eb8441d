import { useQueryClient } from "@tanstack/react-query"
import { useLocation } from "wouter"
import { flag, number, object, text } from "../../api/decode.ts"
import { paths } from "../../session/context/routes.ts"
import { useToast, useTold } from "../../session/context/studio.ts"
import { isRunning } from "../../session/stream/run.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"

const Restored = object({ version: number, previous: number, changed: flag })
const Forked = object({ id: text, name: text })

/** Version to restore, or one of its files. */
export interface Wanted {
  version: number
  path?: string | undefined
  /** Newest version that the person has seen. If there is a newer one, nothing is restored. */
  seen?: number
}

export const versionsKey = (sessionId: string) => ["versions", sessionId]

/** Returns the actions on a session's versions. */
export function useVersions() {
  const { sessionId, api } = useShownSession()
  const client = useQueryClient()
  const toast = useToast()
  const told = useTold()
  const [, go] = useLocation()

  return {
    /** Resolves to the versions before and after; null if it failed. */
    async restore({ version, path, seen }: Wanted): Promise<{ version: number; previous: number } | null> {
      const request = { path: { id: sessionId, version }, body: { path, if_version: seen }, response: Restored }
      const restored = await told(api.call("POST /api/v1/sessions/{id}/versions/{version}/restore", request))
      if (!restored) return null
      const what = path === undefined ? `version ${version}` : `${path} from version ${version}`
      const done = `Restored ${what} as version ${restored.version}.`
      toast(restored.changed ? done : "Nothing to restore. The files already match this version.", "ok")
      await client.invalidateQueries({ queryKey: versionsKey(sessionId) })
      return restored
    },
    /** Opens the new session. */
    async fork(version: number): Promise<void> {
      const request = { path: { id: sessionId, version }, idempotencyKey: crypto.randomUUID(), response: Forked }
      const forked = await told(api.call("POST /api/v1/sessions/{id}/versions/{version}/fork", request))
      if (!forked) return
      toast(`Forked as ${forked.name}.`, "ok")
      go(paths.run(forked.id))
    },
  }
}

/** Returns why nothing can be restored now; null if it can. */
export function useNotRestorable(): string | null {
  const readOnly = useReadOnly()
  const running = useSessionData(({ live }) => live.conversation.some(({ run }) => isRunning(run)))
  if (readOnly !== null) return readOnly
  return running ? "A run is changing the files. Wait for the run to end, or stop it." : null
}
